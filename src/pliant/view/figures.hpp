// SPDX-License-Identifier: Apache-2.0
// How a session goes: times of the steps, the rate, energies. For `stats` messages and the table of metrics.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <vector>

#include "pliant/view/world.hpp"

namespace pliant::view {

class Figures {
 public:
  using Ticks = std::chrono::steady_clock;

  /// After a step.
  void note_step(const World& world, Ticks::time_point begin, double ms);
  double step_ms() const { return step_ms_; }  ///< of the last step
  /// Steps a second, over the last second.
  double rate_now();
  /// The `stats` message when it is due: every 0.1 s, by a manual clock every 6 steps.
  std::optional<Json> stats(const World& world, bool manual);
  /// A row for every `stats` message and body: the newest 36 000.
  std::string metrics() const;

  // Any thread.
  std::uint32_t steps() const { return steps_; }
  double rate() const { return rate_; }

 private:
  struct Sample {
    std::uint32_t step = 0;
    double ms = 0;
    std::vector<StageTimes> stages;  ///< of every body
  };
  /// Of one body. Energies and volume are measured once a message: the last entry of their lists.
  Json body_stats(const World& world, int body);

  double step_ms_ = 0;
  std::deque<Ticks::time_point> step_times_;
  std::vector<Sample> samples_;
  std::deque<std::string> rows_;
  Ticks::time_point told_{};
  std::atomic<std::uint32_t> steps_{0};
  std::atomic<double> rate_{0};
};

}  // namespace pliant::view
