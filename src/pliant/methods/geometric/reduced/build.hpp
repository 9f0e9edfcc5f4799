// SPDX-License-Identifier: Apache-2.0
// From a shape, a material and what holds it to a body in reduced space.
#pragma once

#include "pliant/methods/geometric/reduced/basis.hpp"
#include "pliant/methods/geometric/reduced/model.hpp"
#include "pliant/methods/geometric/skin.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::geometric {

/// A model that can be reduced, or why not: one part, the consistent covariance.
Result<Model> reducible_model(Rows rows, const Options& options);

/// A reduced body on a basis of its model.
std::unique_ptr<Method> build_reduced(Model model, Skin skin, const Damping& damping, const Options& options,
                                      Basis basis, Cubature cubature);

/// A reduced body that nothing will hold, on its modes (options.reduction.modal > 0).
Result<std::unique_ptr<Method>> build_free_reduced(Rows rows, Skin skin, const Damping& damping,
                                                   const Options& options);

}  // namespace pliant::geometric
