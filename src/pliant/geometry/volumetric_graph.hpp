// SPDX-License-Identifier: Apache-2.0
// Nodes inside a surface and the edges between them, for a budget of nodes. Body-centred cubic: 14 near
// neighbours along 7 axes make the stiffness the same in all directions. Parts too thin for the lattice get
// nodes of their own; no edge crosses the outside.
#pragma once

#include "pliant/base/laps.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/geometry/body_graph.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

struct SolidSurface {
  const Points& vertices;                  ///< diagonal 1 about the origin
  const std::vector<Triangle>& triangles;  ///< of the solid parts only
  const TriangleTree& tree;                ///< of these triangles
  bool closed = true;                      ///< every edge has two faces
  bool odd_crossings = false;  ///< crossings along a line do not add up (holes, sheets, non-manifold)
  double volume = 0;           ///< 0 = by counting lattice points
  /// The first so many vertices carry the surface and are to be carried; -1: all that triangles use. Corners of
  /// the discs of a cloud (geometry/point_cloud.hpp) are neither.
  Index carried = -1;
};

/// `laps`: told how long each stage took.
BodyGraph volumetric_graph(const SolidSurface& surface, int nodes, Pool& pool, Laps& laps);

/// The four shortest edges from every part to the others, for bodies whose parts nothing joins.
std::vector<std::array<Index, 2>> links_between_parts(const NodeGraph& graph);

}  // namespace pliant
