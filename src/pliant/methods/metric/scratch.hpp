// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/metric/plastic_flow.hpp"
#include "pliant/methods/metric/state.hpp"

namespace pliant::metric {

/// Never read across steps.
struct Scratch {
  explicit Scratch(const State& state)
      : before(state), x(state.nodes.x.size(), Vec3::Zero()), v(x), outer(x) {}

  State before;    ///< of a step of several substeps
  Points x, v;     ///< the end of the step
  Points outer;    ///< forces on nodes but gravity and grabs, N
  Points targets;  ///< of held nodes, at the end of a substep
  FlowScratch flow;
};

}  // namespace pliant::metric
