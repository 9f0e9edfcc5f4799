// SPDX-License-Identifier: Apache-2.0
// The exact momentum of the end of a step (physics/momentum.hpp), which a loosely solved step does not have:
// the linear momentum that the outer forces give, the angular momentum where the body is free, and where it
// is held or grabbed the balance of its rigid motion. It changes scratch.new_x and scratch.new_v, and keeps
// x = x^ + h' v.
#pragma once

#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

/// What moves the body from outside.
struct OuterMotion {
  std::span<const Vec3> forces;  ///< N, one a node, contact included; empty: none
  const Points* jump = nullptr;  ///< of the velocities by an impact, m/s; null: none
  /// Forces are given on nodes, and their moment follows the turn that this correction makes; else it is that of
  /// the step as it was solved.
  bool turns_with_part = false;
  /// They are those of contact: followed only while each turn is less than half of the one before. Pressed between such
  /// forces a part would be pushed over by its own turn.
  bool touches = false;
};

/// For every part of the body by itself; then put_held.
void keep_momentum(Equation& e, const OuterMotion& outer);

/// Held nodes to their targets.
void put_held(Equation& e);

}  // namespace pliant::geometric
