// SPDX-License-Identifier: Apache-2.0
// Which nodes a pin, a handle or a probe means, told on the shape at rest.
#pragma once

#include <variant>

#include "pliant/geometry/shape.hpp"

namespace pliant {

struct SelectAll {
  bool yes = true;  ///< false selects nothing
};
/// Between two opposite corners, faces included.
struct SelectBox {
  std::array<Vec3, 2> corners{Vec3(0, 0, 0), Vec3(1, 1, 1)};  ///< m
};
struct SelectSphere {
  Vec3 center{0, 0, 0};  ///< m
  double radius = 0.1;   ///< m
};
/// The side that the normal points to, the plane included.
struct SelectHalfspace {
  Vec3 point{0, 0, 0};   ///< m
  Vec3 normal{0, 1, 0};  ///< any length but zero
};
/// Vertices of the surface; the nodes that mainly carry them are selected.
struct SelectVertices {
  std::vector<int> indices;
};

struct Selector {
  std::variant<SelectAll, SelectBox, SelectSphere, SelectHalfspace, SelectVertices> is;
};

/// The selected nodes, ascending, each once. Limits are widened by 1e-9 of the shape's size, so that nodes on
/// a face count whatever the round-off; on a body from a mesh also by the depth of its outermost nodes, so
/// that what is selected at a face is the layer of nodes under it. A region that holds surface vertices but
/// no node selects the nodes that mainly carry these. Indices beyond the surface are ignored. A region that is none
/// (numbers that are not finite, a normal of length zero) and a shape with problems (check_shape) select nothing.
std::vector<Index> select_nodes(const Selector& selector, const Shape& shape);

/// Whether a place is selected, limits widened by the slack, m. Vertices select no places.
bool selects(const Selector& selector, const Vec3& place, double slack);

struct Bounds {
  Vec3 min{0, 0, 0}, max{0, 0, 0};
};
/// Of no points: both are zero.
Bounds bounds_of(const Points& points);

}  // namespace pliant
