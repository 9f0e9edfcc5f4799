// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/physics/stage_watch.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

/// What one step hands along to everything that takes part in it. Scheme: the numbers of the method's
/// integrator (implicit_scheme.hpp, or the method's own). It lives as long as the step.
template <class Scheme>
struct StepContext {
  const StepInput& input;
  const Scheme& scheme;
  Pool& pool;
  StageWatch& watch;
  StepReport& report;
};

}  // namespace pliant
