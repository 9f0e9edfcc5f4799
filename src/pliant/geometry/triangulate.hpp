// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// Cuts polygons into triangles without new corners, in the orientation of the polygon.
class PolygonCutter {
 public:
  explicit PolygonCutter(const Points& vertices) : vertices_(vertices) {}

  /// Positions in `polygon` (0 .. n - 1) of every triangle's corners; n - 2 triangles for n >= 3 corners.
  /// Quads: the diagonal whose halves both face along the polygon, else the shorter. More corners: ear
  /// clipping in the plane of the polygon, best ear first.
  const std::vector<Triangle>& cut(const std::vector<Index>& polygon);

 private:
  void cut_quad();
  void clip_ears();
  Index best_ear();
  bool is_ear(Index corner);
  void measure(Index corner);
  Vec3 newell_normal() const;
  double facing(Index i, Index j, Index k) const;
  const Vec3& at(Index corner) const { return vertices_[(*polygon_)[corner]]; }

  const Points& vertices_;
  const std::vector<Index>* polygon_ = nullptr;
  Vec3 normal_ = Vec3::Zero();
  std::vector<Index> previous_, next_;  ///< ring of the corners that are left
  std::vector<double> quality_;         ///< of the ear at a corner; <= 0: not convex there
  std::vector<char> refused_;           ///< another corner was inside, at this many corners left
  Index left_ = 0, some_corner_ = 0;
  /// Comparisons that may still be spent on choosing well: polygons with tens of thousands of corners end in
  /// fans instead of in hours.
  std::int64_t patience_ = 300'000'000;
  std::vector<Triangle> triangles_;
};

}  // namespace pliant
