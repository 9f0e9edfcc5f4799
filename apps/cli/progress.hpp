// SPDX-License-Identifier: Apache-2.0
// How far long work is: a bar with the time left on a terminal, plain lines elsewhere, nothing when quiet.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace pliant::cli {

class Progress {
 public:
  /// Counts `what` (a plural) from `done` to `total`.
  Progress(std::string what, int done, int total, bool quiet);
  ~Progress();  ///< ends the bar's line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(int done);

 private:
  using Clock = std::chrono::steady_clock;
  std::string time_left(int done) const;

  std::string what_;
  int start_, total_;
  bool quiet_, terminal_;
  Clock::time_point began_, drawn_;
  int tenths_said_ = 0;
};

/// What a long set-up is doing: stages that take more than a second are named, with their time on a terminal.
class Stages {
 public:
  explicit Stages(bool quiet);
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  void begin(const std::string& stage);

 private:
  void watch(const std::stop_token& done);
  void show();

  bool quiet_, terminal_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable_any ended_;
  std::string stage_;
  std::chrono::steady_clock::time_point began_;
  bool named_ = false;
  std::jthread watcher_;
};

/// As LoadOptions::progress takes it; `stages` must live as long.
std::function<bool(const std::string&, double)> stages_shown(Stages& stages);

}  // namespace pliant::cli
