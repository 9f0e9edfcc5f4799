// SPDX-License-Identifier: Apache-2.0
// The energy of a reduced body in double precision, of the swept nodes with their weights (model.hpp):
//   V(x) = sum_i weight_i sum over the rows k of i of lambda_k/2 |s_k x - R_i d_k|^2
// about rotations that are exact at x, so that its gradient is the one with fixed rotations.
#pragma once

#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/reduced/state.hpp"

namespace pliant::geometric {

/// R_i(x) of the swept nodes, from the state's rotations as warm starts.
Rotations rotations_at(const ReducedModel& model, const ReducedState& state, const Points& x);

double energy(const ReducedModel& model, const ReducedState& state, const Points& x,
              const Rotations& rotations);

/// Minus the gradient of the energy by the nodes' places.
void elastic_forces(const ReducedModel& model, const ReducedState& state, const Points& x,
                    const Rotations& rotations, std::span<Vec3> out);

}  // namespace pliant::geometric
