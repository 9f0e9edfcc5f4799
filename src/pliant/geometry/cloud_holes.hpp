// SPDX-License-Identifier: Apache-2.0
// The holes of a cloud of points, by their rims: points whose neighbours in the tangent plane leave a wide angle free.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// Area of flat lids over all holes together, m^2. Holes much narrower than five points are not seen.
double hole_area(const Points& points, const Points& normals, Pool& pool);

}  // namespace pliant
