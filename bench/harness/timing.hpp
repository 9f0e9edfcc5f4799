// SPDX-License-Identifier: Apache-2.0
// Timing that survives a busy machine: warm up, repeat, keep every sample, tell minimum and median, tell the
// load.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace pliant::bench {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double ms() const { return seconds() * 1e3; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Processor time of all threads of this process: what a busy machine does not stretch.
class CpuStopwatch {
 public:
  double ms() const { return now_ms() - start_; }

 private:
  static double now_ms();
  double start_ = now_ms();
};

double minimum(const std::vector<double>& samples);
double median(std::vector<double> samples);

/// Times of single calls in ms, after warm_up calls that are not counted: for `seconds`, at least min_calls.
template <class Call>
std::vector<double> time_calls(double seconds, int warm_up, int min_calls, Call&& call) {
  for (int i = 0; i < warm_up; ++i) call();
  std::vector<double> samples;
  const Stopwatch whole;
  while (int(samples.size()) < min_calls || whole.seconds() < seconds) {
    const Stopwatch watch;
    call();
    samples.push_back(watch.ms());
  }
  return samples;
}

/// Runnable processes averaged over the last minute, as the system tells it.
double load_average();

/// Peak resident memory of this process in bytes since the last reset_peak_memory() (since its start where
/// the system does not allow a reset: then it is an upper bound).
std::size_t peak_memory();
void reset_peak_memory();

}  // namespace pliant::bench
