// SPDX-License-Identifier: Apache-2.0
// From a shape and a material to a body of the metric method.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/metric/options.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::metric {

/// density in kg/m^3. With options.lattice grid the nodes must lie on a lattice (geometry/lattice_shape.hpp
/// makes one of any solid).
Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options);

}  // namespace pliant::metric
