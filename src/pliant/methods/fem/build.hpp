// SPDX-License-Identifier: Apache-2.0
// From a shape and a material to a body of finite elements.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/fem/options.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::fem {

/// density in kg/m^3. The shape must have hexahedral cells.
Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options);

}  // namespace pliant::fem
