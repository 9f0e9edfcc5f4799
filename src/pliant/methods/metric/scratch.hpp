// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/metric/plastic_flow.hpp"
#include "pliant/methods/metric/state.hpp"

namespace pliant::metric {

/// Never read across steps.
struct Scratch {
  explicit Scratch(const State& state)
      : before(state), x(state.nodes.x.size(), Vec3::Zero()), v(x), outer(x) {
    if (!state.x_before.empty()) hat_x = target = acceleration = moved = x;
  }

  State before;    ///< of a step of several substeps
  Points x, v;     ///< the end of the step
  Points outer;    ///< forces on nodes but gravity and grabs, N
  Points targets;  ///< of held nodes, at the end of a substep or of a trial step
  // of bdf2
  Points hat_x;         ///< x^
  Points target;        ///< where inertia and gravity alone put the nodes
  Points acceleration;  ///< from which it starts
  Points moved;         ///< x - x^
  std::vector<unsigned char> held;
  int right_sides = 0;  ///< of the step
  double enough = 0;    ///< r . z at which further solves of a step under contact may end
  FlowScratch flow;
};

}  // namespace pliant::metric
