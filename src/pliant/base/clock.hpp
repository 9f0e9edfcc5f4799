// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace pliant {

using Clock = std::chrono::steady_clock;

inline double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}
inline double milliseconds_since(Clock::time_point start) { return milliseconds(Clock::now() - start); }

}  // namespace pliant
