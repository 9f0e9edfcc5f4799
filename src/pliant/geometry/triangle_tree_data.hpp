// SPDX-License-Identifier: Apache-2.0
// What a TriangleTree is made of: nodes with the boxes of their four children side by side, one test for all
// four. Boxes are single precision, rounded outward; triangles are double. Not installed, not public.
//
// Everything lives in local coordinates: x_local = (x - centre) * scale, scale a power of two (exact) that
// brings the largest coordinate into 0.5 .. 1. So the size of a body and its place change nothing.
#pragma once

#include <limits>

#include "pliant/base/aligned.hpp"
#include "pliant/geometry/tri_mesh.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pliant {

/// Four children side by side.
using Lanes = float __attribute__((vector_size(16)));

inline Lanes lanes(float value) { return Lanes{value, value, value, value}; }

#ifdef __SSE2__
inline Lanes smaller(Lanes a, Lanes b) { return _mm_min_ps(a, b); }
inline Lanes larger(Lanes a, Lanes b) { return _mm_max_ps(a, b); }
inline Lanes root(Lanes a) { return _mm_sqrt_ps(a); }
/// Bit k is set where a[k] <= b[k].
inline int not_above(Lanes a, Lanes b) { return _mm_movemask_ps(_mm_cmple_ps(a, b)); }
#else
inline Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes root(Lanes a) {
  return Lanes{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
}
inline int not_above(Lanes a, Lanes b) {
  return (a[0] <= b[0]) | (a[1] <= b[1]) << 1 | (a[2] <= b[2]) << 2 | (a[3] <= b[3]) << 3;
}
#endif

struct TreeNode {
  Lanes bound[2][3];  ///< [low, high][axis]; a missing child has low > high
  Index child[4];     ///< >= 0: a node; < 0: triangle ~child
};

/// The far field of the four children of a node, for winding numbers [Barill18]:
/// area-weighted centre c, radius r to the farthest corner, d = sum n_t, Q = sum (centroid_t - c) n_t^T
/// with n_t the area vectors; only the symmetric part of Q matters.
struct TreeMoments {
  Lanes centre[3];
  Lanes reach_squared;  ///< (2 r)^2: from farther away the moments stand for the triangles
  Lanes d[3];
  Lanes q[6];  ///< xx, yy, zz, xy + yx, xz + zx, yz + zy
};

struct TreeTriangle {
  Index vertex[3];  ///< in the tree's own order, neighbours close together
  Index index;      ///< in the mesh
};

struct TriangleTreeData {
  Vec3 centre = Vec3::Zero();
  double scale = 1;
  AlignedVector<TreeNode> nodes;  ///< the root first; empty without triangles
  AlignedVector<TreeMoments> moments;
  std::vector<TreeTriangle> triangles;  ///< in the order of the tree
  Points vertices;                      ///< local
  std::vector<Index> place;             ///< of a mesh triangle in `triangles`

  const Vec3& corner(Index triangle, int k) const { return vertices[triangles[triangle].vertex[k]]; }
  Vec3 doubled_area(Index triangle) const {
    const Vec3& a = corner(triangle, 0);
    return (corner(triangle, 1) - a).cross(corner(triangle, 2) - a);
  }
  Vec3 to_local(const Vec3& x) const { return (x - centre) * scale; }
};

/// A depth-first walk never holds more nodes than this (the builder bounds the depth).
inline constexpr int most_waiting_nodes = 384;
/// Boxes are this much larger than their triangles, in local coordinates: covers the rounding of queries.
inline constexpr float box_margin = 0x1p-21f;

TriangleTreeData build_triangle_tree(const Points& vertices, const std::vector<Triangle>& triangles);

}  // namespace pliant
