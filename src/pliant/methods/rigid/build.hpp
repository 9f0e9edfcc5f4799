// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/rigid/options.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::rigid {

/// density in kg/m^3. The surface of the shape must be closed.
Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options);

}  // namespace pliant::rigid
