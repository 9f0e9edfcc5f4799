// SPDX-License-Identifier: Apache-2.0
// From a shape, a cage and a material to a body.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::cage {

/// density in kg/m^3. Nodes of the shape with volume are quadrature points, the others ride along: see
/// geometry/voxel_quadrature.hpp. The cage is around all of them.
Result<std::unique_ptr<Method>> build(const Shape& shape, TriMesh cage, double density,
                                      const Damping& damping, const Options& options);

/// The same with options.mesh, or where that is empty with the box that options.cells tell.
Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options);

}  // namespace pliant::cage
