// SPDX-License-Identifier: Apache-2.0
// Energies of a caged body that do not depend on the precision of its step.
//   E = sum_q w_q (mu |F - R (1 + e)|^2 + lambda/2 tr(R^T F - 1 - e)^2),  e the permanent strain [Martin09,
//   Eq. 16]
#pragma once

#include "pliant/methods/cage/holds.hpp"
#include "pliant/methods/cage/state.hpp"

namespace pliant::cage {

/// Elastic energy, J, in double precision; on demand minus its derivative by Z, in the world.
double elastic_energy(const Model& model, const State& state, Columns* force);

/// Holds and weight: what else than the body stores energy, J. z: scratch.
double potential(const Model& model, const Holds& holds, const Vec3& gravity, const Columns& x,
                 const Whole& whole, Columns& z);

/// Quadrature points that are turned inside out.
int inverted_points(const Model& model, const State& state);

}  // namespace pliant::cage
