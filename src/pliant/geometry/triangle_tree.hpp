// SPDX-License-Identifier: Apache-2.0
// A tree over the triangles of a surface: nearest point, crossings of a segment, winding number. In double
// precision, the same answer whatever the tree looks like (ties go to the lowest triangle).
#pragma once

#include <memory>
#include <span>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

class TriangleTree {
 public:
  /// Keeps its own copy of what it needs. Triangles without area are never hit and weigh nothing.
  TriangleTree(const Points& vertices, const std::vector<Triangle>& triangles);
  ~TriangleTree();
  TriangleTree(TriangleTree&&) noexcept;
  TriangleTree& operator=(TriangleTree&&) noexcept;

  struct Nearest {
    Index triangle = -1;        ///< -1: none within the distance
    Vec3 point{0, 0, 0};        ///< on the surface
    Vec3 barycentric{0, 0, 0};  ///< of the point; zeros tell edge and corner
    double distance = 0;        ///< m
  };
  Nearest nearest(const Vec3& point, double within) const;
  /// Is any point of the surface within the distance?
  bool any_within(const Vec3& point, double distance) const;

  /// Says which points of the surface count.
  class Filter {
   public:
    virtual bool passes(const Nearest& candidate) const = 0;

   protected:
    ~Filter() = default;
  };
  /// The nearest of the points that pass; every triangle offers the one that is nearest on it.
  Nearest nearest(const Vec3& point, double within, const Filter& filter) const;

  struct Crossing {
    double t = 0;  ///< along the segment, 0 .. 1
    Index triangle = -1;
    double cosine = 0;  ///< direction . normal: > 0 leaves a solid, < 0 enters it
  };
  /// All crossings of the segment from a to b, by ascending t (ties: triangle). Replaces what `out` held.
  void crossings(const Vec3& a, const Vec3& b, std::vector<Crossing>& out) const;
  /// The first crossing; triangle = -1 when there is none.
  Crossing first_crossing(const Vec3& a, const Vec3& b) const;

  /// Generalised winding number: 1 inside a closed outward surface, 0 outside, between them near holes.
  /// Barnes-Hut with dipole and quadrupole-free first-order terms; error below 0.07.
  double winding(const Vec3& point) const;
  /// The same by the exact sum over all triangles: for tests.
  double winding_exact(const Vec3& point) const;

  /// Pairs of triangles that pass through each other: an edge of one, without a common vertex, goes through
  /// the inside of the other. Touching and coplanar overlap do not count. Stops after `most`.
  std::size_t self_intersections(std::size_t most) const;

 private:
  Nearest nearest(const Vec3& point, double within, const Filter* filter) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant
