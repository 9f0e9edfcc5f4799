// SPDX-License-Identifier: Apache-2.0
// Strain of the cells that stays, by the law that all methods share (physics/plasticity.hpp). The strain that
// counts is the deviatoric part of the elastic one, sym(R^T F) - I - E_p, by its Frobenius norm: flesh flows
// in shape, not in volume. Of it the share kappa joins E_p, whose norm is capped; det(I + E_p) = 1.
#pragma once

#include "pliant/methods/meshless/model.hpp"
#include "pliant/methods/meshless/state.hpp"

namespace pliant::meshless {

/// Over a step of h that ended in `state`. Returns the cells that flowed.
int flow(const Model& model, const Options& options, double h, State& state);

}  // namespace pliant::meshless
