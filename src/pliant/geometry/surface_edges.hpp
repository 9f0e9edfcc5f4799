// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// The undirected edges of a triangle surface. Half-edge 3 t + k runs from corner k to corner k + 1 of
/// triangle t.
struct SurfaceEdges {
  static constexpr Index border = -1, non_manifold = -2;
  std::vector<Index> mate;  ///< the other half-edge of an edge with two faces, else border or non_manifold
  Index border_edges = 0, non_manifold_edges = 0;
  Index border_loops = 0;  ///< loops that touch in one vertex count apart
};

SurfaceEdges surface_edges(Index vertices, const std::vector<Triangle>& triangles);

/// Which piece every triangle belongs to, numbered by first triangle; pieces hang together by common
/// vertices.
std::vector<Index> components_by_vertex(Index vertices, const std::vector<Triangle>& triangles);

}  // namespace pliant
