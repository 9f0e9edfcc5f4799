// SPDX-License-Identifier: Apache-2.0
// Smooth normals that keep creases. Which corners share a normal is decided once, on the rest surface, so
// that shading does not flicker when a body bends through the crease angle.
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

class ShadingNormals {
 public:
  ShadingNormals() = default;
  /// Vertices at exactly the same rest position count as one (files often split them at seams).
  ShadingNormals(const Points& rest, const std::vector<Triangle>& triangles, double crease_degrees = 40);

  /// Normals of the current shape: the triangles of a group, weighted by area and corner angle.
  void update(const Points& positions, const std::vector<Triangle>& triangles);

  int groups() const { return int(normals_.size()); }
  /// The groups of a triangle's three corners.
  const std::array<Index, 3>& corners(Index triangle) const { return corners_[std::size_t(triangle)]; }
  const Eigen::Vector3f& normal(Index group) const { return normals_[std::size_t(group)]; }

 private:
  std::vector<std::array<Index, 3>> corners_;
  std::vector<Eigen::Vector3f> normals_;
  Points sums_;
};

}  // namespace pliant
