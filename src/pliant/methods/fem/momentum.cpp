// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/momentum.hpp"

#include "pliant/physics/momentum.hpp"

namespace pliant::fem {

void keep_momentum(const Model& model, const Context& step, std::span<const Vec3> forces, Past past,
                   const State& state, Scratch& scratch) {
  const StepPast from{past, step.input.h, state.x_before, state.v_before, scratch.acceleration};
  for (const std::vector<Index>& part : model.parts) {
    const FreeEnd end{.part = part,
                      .mass = model.mass,
                      .h = step.scheme.h,
                      .grown = step.scheme.mass,
                      .gravity = step.input.gravity,
                      .forces = {forces},
                      .hat_x = scratch.hat_x,
                      .hat_v = scratch.hat_v,
                      .x = scratch.x,
                      .velocity = scratch.v};
    end.keep_linear();
    end.keep_spin(predicted_spin(part, model.mass, state.nodes, from));
  }
}

}  // namespace pliant::fem
