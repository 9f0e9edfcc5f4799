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
/// Vertices of the surface; the nodes that carry them are selected.
struct SelectVertices {
  std::vector<int> indices;
};

struct Selector {
  std::variant<SelectAll, SelectBox, SelectSphere, SelectHalfspace, SelectVertices> is;
};

/// The selected nodes, ascending, each once. Limits are widened by 1e-9 of the shape's size, so that nodes on
/// a face count whatever the round-off. Indices beyond the surface are ignored.
std::vector<Index> select_nodes(const Selector& selector, const Shape& shape);

struct Bounds {
  Vec3 min{0, 0, 0}, max{0, 0, 0};
};
/// Of at least one point.
Bounds bounds_of(const Points& points);

}  // namespace pliant
