// SPDX-License-Identifier: Apache-2.0
// What a reduced body keeps as a whole: physics/momentum.hpp in the coordinates Z. With X from the centre of
// mass at rest and B = sum m Phi X every sum over the nodes is a small product, e.g.
//   sum m (X + Phi a)(X + Phi b)^T = sum m X X^T + a^T B + B^T b + a^T M b
// Turning the body about a point is Z += Y W^T, Y the coordinates of x from that point: rigid motion is in
// the space of every body that can turn. Places are from the centre of mass at rest.
#pragma once

#include "pliant/methods/geometric/reduced/equation.hpp"

namespace pliant::geometric {

/// sum m Phi z: the change of sum m x.
Vec3 total(const ReducedModel& model, const Coordinates& z);

/// Gives the end of the step, scratch.new_z and new_v, the exact momentum: the linear one that outer forces
/// give and, if the options ask, the angular one where the body is free, else the balance of its rigid
/// motion. Z = Z^ + h' V holds before and after.
void keep_momentum(ReducedEquation& e);

}  // namespace pliant::geometric
