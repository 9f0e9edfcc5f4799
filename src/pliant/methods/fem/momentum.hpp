// SPDX-License-Identifier: Apache-2.0
// The momenta of a step of BDF2 of a body that nothing holds (physics/momentum.hpp): linear and angular momentum
// are the integrator's own, as if its equation were solved exactly and rotations were no chords.
#pragma once

#include "pliant/methods/fem/equation.hpp"
#include "pliant/methods/fem/state.hpp"

namespace pliant::fem {

/// Moves and turns the parts at scratch.x; forces: of the nodes with freedom, N, or none.
void keep_momentum(const Model& model, const Context& step, std::span<const Vec3> forces, Past past,
                   const State& state, Scratch& scratch);

}  // namespace pliant::fem
