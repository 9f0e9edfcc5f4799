// SPDX-License-Identifier: Apache-2.0
// Fewer vertices without giving up a point of the inside [Sander00]: edges collapse to vertices that lie
// outside all faces around them, so that every surface on the way contains the one before it.
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// What a collapse may do; lengths are shares of `size`.
struct HullLimits {
  double size = 1;         ///< m
  double flatness = 0.02;  ///< least of twice the area over the sum of the squared edges, 0.58 if equilateral
  double turn = 0.1;       ///< least cosine between the old and the new normal of a face
  double longest_way = 0.5;  ///< of a vertex
  double gap = 1e-5;         ///< that faces keep from each other
};

/// Collapses edges of a closed, manifold, embedded, outward surface, the cheapest in squared distance to its
/// planes first, until `vertices` are left or nothing more can go. What is left is closed, manifold and
/// embedded, has the same handles, and contains the input.
TriMesh progressive_hull(const TriMesh& surface, Index vertices, const HullLimits& limits);

}  // namespace pliant
