// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Adds a round tube with half a ball at each end; a ball when both ends are the same. axis: of unit length,
/// from a to b.
void add_tube(const Vec3& a, const Vec3& b, const Vec3& axis, double radius, TriMesh& out);

}  // namespace pliant
