// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// A triangle surface. Vertices are of the surface; nodes carry freedom (geometry/node_graph.hpp).
struct TriMesh {
  Points vertices;                  ///< m
  std::vector<Triangle> triangles;  ///< counter-clockwise seen from outside
};

/// Enclosed volume by the divergence theorem, m^3; meaningful for closed, consistently oriented surfaces.
double enclosed_volume(const Points& vertices, const std::vector<Triangle>& triangles);

/// Every edge is shared by exactly two triangles that run through it in opposite directions.
bool is_closed(const std::vector<Triangle>& triangles);

/// Area-weighted unit normals, one a vertex; (0, 1, 0) where a vertex has no area around it.
Points vertex_normals(const Points& vertices, const std::vector<Triangle>& triangles);

}  // namespace pliant
