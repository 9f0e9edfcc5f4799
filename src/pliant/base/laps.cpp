// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/laps.hpp"

#include <algorithm>
#include <ctime>

namespace pliant {
namespace {

double now_ms(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

}  // namespace

Laps::Laps() : wall_(now_ms(CLOCK_MONOTONIC)), cpu_(now_ms(CLOCK_PROCESS_CPUTIME_ID)) {}

void Laps::end(const char* stage) {
  const double wall = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
  auto lap = std::find_if(laps_.begin(), laps_.end(), [&](const Lap& l) { return l.name == stage; });
  if (lap == laps_.end()) lap = laps_.insert(lap, {stage});
  lap->ms += wall - wall_;
  lap->cpu_ms += cpu - cpu_;
  wall_ = wall, cpu_ = cpu;
}

}  // namespace pliant
