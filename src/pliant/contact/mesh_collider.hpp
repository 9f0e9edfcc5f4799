// SPDX-License-Identifier: Apache-2.0
// A triangle surface as a collider, in the coordinates it was written in.
//
// Which side of it a point is on:
//   sealed  (closed manifold that nowhere crosses itself) by the pseudo-normal of the nearest feature: exact
//   dirty   (holes, double walls, self-intersections) by the winding number, asked once when the point comes
//           near; then it is remembered which side of the faces is free for this point: a crack in a scan
//           does not flip the side of what rests on it
//   sheet   (thin: both sides are solid) free is the side where the point was when it came near, remembered
// Side is +1 where the free side is that of the normals, -1 where it is the other.
#pragma once

#include <span>

#include "pliant/base/result.hpp"
#include "pliant/contact/closed_forms.hpp"
#include "pliant/contact/surface_features.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

class MeshCollider {
 public:
  enum class Kind { sealed, dirty, sheet };

  /// The surface should have been repaired (geometry/repair.hpp): what it touches is doubtful where faces are turned.
  /// thin: a sheet, whatever its shape.
  MeshCollider(TriMesh mesh, bool thin);
  MeshCollider(const MeshCollider&) = delete;
  MeshCollider& operator=(const MeshCollider&) = delete;

  /// What is wrong with the surface: no triangles, corners that do not exist, coordinates that are not finite, no
  /// extent. It is empty then and touches nothing.
  const std::vector<Problem>& problems() const { return problems_; }

  /// As Collider::query.
  int query(const Vec3& x, double band, Side& side, std::span<SurfacePoint, max_touches> out) const;
  /// As Collider::crossed.
  bool crossed(const Vec3& from, const Vec3& to, SurfacePoint& out) const;

  Kind kind() const { return kind_; }
  const TriMesh& mesh() const { return mesh_; }
  const Vec3& low() const { return low_; }
  const Vec3& high() const { return high_; }

 private:
  class CornerFilter;

  /// Signed distances at the centres of a coarse grid: most points need no more to be known far away, or
  /// deep inside.
  struct Cells {
    std::array<int, 3> count{1, 1, 1};
    double edge = 1;   ///< m
    double reach = 0;  ///< half the diagonal of a cell: the distance changes by less within it, m
    std::vector<double> distance;
  };
  void fill_cells();
  const double* cell_distance(const Vec3& x) const;  ///< none outside the bounding box

  bool winds_around(const Vec3& x) const { return tree_.winding(x) > 0.5; }
  SurfacePoint seen_from(const Vec3& x, const TriangleTree::Nearest& at, const Vec3& outward) const;
  double search_reach(const Vec3& x, double band) const;
  /// The nearest point that matters to x; false: x is farther than band, and outside.
  bool nearest_sealed(const Vec3& x, double band, SurfacePoint& out) const;
  bool nearest_remembered(const Vec3& x, double band, Side& side, SurfacePoint& out) const;
  /// After the first; returns how many in all.
  int more_touches(const Vec3& x, double band, std::span<SurfacePoint, max_touches> out) const;

  std::vector<Problem> problems_;
  TriMesh mesh_;
  TriangleTree tree_;
  SurfaceFeatures features_;
  Kind kind_;
  Vec3 low_{0, 0, 0}, high_{0, 0, 0};
  double size_ = 0;  ///< diagonal, m
  Cells cells_;
};

}  // namespace pliant
