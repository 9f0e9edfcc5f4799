// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

struct SplitMesh {
  TriMesh mesh;               ///< the old vertices first
  std::vector<Index> parent;  ///< of every triangle, in the old mesh
};

/// The same surface with every edge longer than `longest` halved, again and again, as long as there are no
/// more than `most` vertices. Triangles that share an edge share its middle: closed stays closed.
SplitMesh split_long_edges(TriMesh mesh, double longest, std::size_t most);

}  // namespace pliant
