// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/clock.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

/// Adds the time since the last call to a stage of the step.
struct StageWatch {
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

}  // namespace pliant
