// SPDX-License-Identifier: Apache-2.0
// Cracks: borders that lie side by side, because a program rounded the two sides otherwise. How wide they are differs
// from mesh to mesh, so the mesh itself says: a weld of its borders that closes most of them, and that leaves every edge
// longer than it is but for slivers, is one that the mesh was meant to have.
#pragma once

#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

struct Cracks {
  double tolerance = 0;  ///< m; 0: there are none
  Index closed = 0;      ///< border edges that the weld joins
};

/// stands_for: of each vertex the one it was welded to (weld.hpp), faces: those that count. Welds vertices of borders in
/// stands_for where that closes cracks.
Cracks close_cracks(const PolygonMesh& mesh, const std::vector<Index>& faces, double diagonal,
                    std::vector<Index>& stands_for);

}  // namespace pliant
