// SPDX-License-Identifier: Apache-2.0
// A closed surface around any surface at a distance, whatever holes, cavities, overlaps or loose parts it
// has: what the air outside can touch with a ball.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

struct OuterSurfaceOptions {
  double distance = 0.025;  ///< of the result from the surface, m
  double spacing = 0.025;   ///< of the grid, m; at most the distance, or the air leaks in
  /// Gaps that a ball of this radius does not enter are filled, m; at least the distance, which fills nothing
  /// more than the distance itself does.
  double ball = 0.025;
  bool filled = false;  ///< where the winding number exceeds 0.5 there is no air: solids with large holes
};

/// Outward, closed and manifold, without self-intersections; as many pieces as there are. Marching tetrahedra
/// on the distance at grid points; which side a grid point is on is decided by flooding from the rim, so that
/// the surface needs no orientation.
TriMesh outer_surface(const Eigen::AlignedBox3d& box, const TriangleTree& tree,
                      const OuterSurfaceOptions& options, Pool& pool);

}  // namespace pliant
