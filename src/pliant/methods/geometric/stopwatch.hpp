// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/clock.hpp"
#include "pliant/methods/geometric/body.hpp"

namespace pliant::geometric {

/// Adds the time since the last call to a stage.
struct Body::Stopwatch {
  Clock::time_point begin = Clock::now(), last = begin;
  StageTimes ms;

  void add_to(double StageTimes::*stage) {
    const Clock::time_point now = Clock::now();
    ms.*stage += milliseconds(now - last);
    last = now;
  }
  StageTimes total() {
    add_to(&StageTimes::rhs);
    ms.total = milliseconds(last - begin);
    return ms;
  }
};

}  // namespace pliant::geometric
