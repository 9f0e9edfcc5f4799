// SPDX-License-Identifier: Apache-2.0
// How far long work is: a bar with the time left on a terminal, plain lines elsewhere, nothing when quiet.
#pragma once

#include <chrono>
#include <string>

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

}  // namespace pliant::cli
