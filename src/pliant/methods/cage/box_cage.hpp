// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant::cage {

/// The surface lattice of a box of cells: 2 x 2 x 6 cells have 58 vertices and 112 triangles. The diagonals of
/// its squares alternate, so that no direction is preferred.
TriMesh box_cage(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells);

/// Around points, `clearance` of a cell's edge away from them, along every axis.
TriMesh box_cage_around(std::span<const Vec3> points, const std::array<int, 3>& cells, double clearance);

}  // namespace pliant::cage
