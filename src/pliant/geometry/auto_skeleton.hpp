// SPDX-License-Identifier: Apache-2.0
// A skeleton found in a closed surface: limbs are followed from the thickest place of the body to its ends,
// along the middle of the material. Works on the graph of nodes inside the surface (volumetric_graph.hpp),
// needs no clean mesh, and never leaves the solid to reach a limb that lies beside it. A tree: a ring is cut
// once.
#pragma once

#include <optional>

#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/skeleton.hpp"

namespace pliant {

/// Where the limbs come from: the graph of nodes, or CGAL's mean curvature flow (mean_curvature.hpp), which
/// wants a closed manifold and has no smallest limb.
enum class Skeletonizer { graph, cgal };

struct AutoSkeletonOptions {
  double detail = 0.06;  ///< smallest limb, as a share of the diagonal of the bounding box
  int nodes = 5000;      ///< of the graph the limbs are looked for in
  std::optional<bool> solid = std::nullopt;  ///< none: decided as for bodies (mesh_shape.hpp)
  Skeletonizer skeletonizer = Skeletonizer::graph;
};

struct AutoSkeletonReport {
  Index parts = 0;  ///< separate pieces of the body, each with a tree of its own
  Index limbs = 0;  ///< tips of the tree, over all parts
  Index bones = 0;
  Index bones_leaving = 0;  ///< bones that no place of a joint keeps inside the solid
  double graph_ms = 0, skeleton_ms = 0;
};

struct AutoSkeleton {
  Skeleton skeleton;  ///< no keys; radii are distances to the surface
  AutoSkeletonReport report;
};

/// An error for shells, and for a skeletonizer that was not compiled in. The error names no file.
Result<AutoSkeleton> find_skeleton(const PolygonMesh& mesh, const AutoSkeletonOptions& options, Pool& pool);

}  // namespace pliant
