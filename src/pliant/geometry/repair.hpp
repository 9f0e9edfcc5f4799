// SPDX-License-Identifier: Apache-2.0
// From polygons as they come to an oriented triangle surface without doubles. Every change is counted,
// nothing is silent; holes, non-manifold edges and borders are reported and left alone (the inside test
// tolerates them).
#pragma once

#include <string>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

struct RepairReport {
  Index input_vertices = 0, input_faces = 0;
  Index not_finite_vertices = 0, faces_dropped_not_finite = 0, faces_dropped_bad_index = 0;
  Index welded_vertices = 0;      ///< vertices merged into another
  double crack = 0;               ///< tolerance that closed the cracks of this mesh, m (cracks.hpp); 0: none
  Index crack_edges = 0;          ///< border edges that were joined so
  Index unused_vertices = 0;      ///< of no face
  Index degenerate_faces = 0;     ///< fewer than three different corners: dropped
  Index duplicate_faces = 0;      ///< second copies: dropped
  Index zero_area_triangles = 0;  ///< kept, without weight
  Index faces_turned = 0;         ///< against their neighbours
  Index patches_turned = 0;       ///< as a whole, to face outward
  Index moebius_edges = 0;        ///< no consistent orientation exists there
  Index components = 0;           ///< joined by welded vertices
  Index border_edges = 0, border_loops = 0, non_manifold_edges = 0;
  bool closed = false;       ///< every edge has two faces running opposite ways
  std::string text() const;  ///< "welded 1477, turned 1132 faces and 1 part", or "nothing"
};

struct Repaired {
  TriMesh mesh;                           ///< welded
  std::vector<Index> welded;              ///< input vertex -> vertex of mesh, -1: no face uses it
  std::vector<Triangle> input_triangles;  ///< the triangles of mesh, in input vertices
  std::vector<Index> component;           ///< of every triangle
  RepairReport report;
};

/// The error names no file: the caller knows it.
Result<Repaired> repair(const PolygonMesh& mesh);

/// Diagonal of the bounding box, m.
double diagonal(const Points& points);

}  // namespace pliant
