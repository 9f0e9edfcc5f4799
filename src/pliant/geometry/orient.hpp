// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/surface_edges.hpp"

namespace pliant {

struct Orientation {
  std::vector<char> turned;  ///< triangles whose corners must run the other way round
  Index faces_turned = 0;    ///< against the majority of their patch
  Index patches_turned = 0;  ///< as a whole, to face outward
  Index moebius_edges = 0;   ///< where no consistent orientation exists
};

/// Makes every patch (faces joined across edges with exactly two faces) consistent, the majority keeping its
/// orientation, and turns patches whose back is what can be seen from outside. Closed patches nobody sees
/// keep theirs (inward: a cavity) unless the visible ones were turned.
Orientation orient(const TriMesh& mesh, const SurfaceEdges& edges);

}  // namespace pliant
