// SPDX-License-Identifier: Apache-2.0
// A fine surface on a coarse graph. Vertex X leans on nodes i with weights w_i and follows
//   x = sum_i w_i (x_i + F_i (X - X_i)),   F_i = (sum_j (x_j - x_i) r_ij^T / |r_ij|^2) C_i^-1,
//   C_i = sum_j r_ij r_ij^T / |r_ij|^2,    r_ij = X_j - X_i over the neighbours j of i.
// F_i is linear in the node positions, so that the whole is one constant matrix on them, exact for affine
// motion, and without creases where the sets of nodes change.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/body_graph.hpp"
#include "pliant/math/gather.hpp"

namespace pliant {

/// vertices: any number; leaning[v] is the row of `leaning` that vertex v uses, -1 = the nearest node.
/// Vertices that are not finite follow node 0.
Gather surface_embedding(const Points& vertices, const std::vector<Index>& row, const Leaning& leaning,
                         const NodeGraph& graph, double spacing, Pool& pool);

}  // namespace pliant
