// SPDX-License-Identifier: Apache-2.0
// What a figure draws besides bodies: rods, balls, plates, arrows, cells.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

using DrawnEdge = std::pair<Index, Index>;

/// The edges of a cage as one would draw it: without the diagonal of two triangles that are a rectangle.
std::vector<DrawnEdge> drawn_edges(const TriMesh& rest);

TriMesh rods(const Points& points, const std::vector<DrawnEdge>& edges, double radius);

/// A ball at every point, but only one in each cube of four radii: a crowd of points stays a pattern.
TriMesh balls(const Points& points, double radius);

/// A plate on the side of the points that is away from `body`, when they fill a piece of a plane; else nothing.
TriMesh plate(const Points& points, const Vec3& body, double thickness);

/// A rod along the path with a point at its end.
TriMesh arrow(const Points& path, double radius);

/// Corner c of a cell: bit 0 = x, bit 1 = y, bit 2 = z.
using CellCorners = std::array<Vec3, 8>;
TriMesh cell_surfaces(const std::vector<CellCorners>& cells);

void append(const TriMesh& mesh, TriMesh& to);

}  // namespace pliant
