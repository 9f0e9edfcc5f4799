// SPDX-License-Identifier: Apache-2.0
// The order in which a sparse Cholesky eliminates its rows, from the graph of the matrix.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/math/symmetric_matrix.hpp"

namespace pliant {

/// Off-diagonal pattern of a symmetric matrix, both triangles: row i touches neighbor[k] for k in
/// [begin[i], begin[i + 1]).
struct MatrixGraph {
  std::vector<Index> begin{0}, neighbor;

  Index rows() const { return Index(begin.size()) - 1; }
};

/// What is wrong with the form or the numbers of a matrix, or empty.
std::string find_defect(const SymmetricMatrix& matrix);

/// The matrix must be free of defects.
MatrixGraph graph_of(const SymmetricMatrix& matrix);

/// order[k] = the row to eliminate at position k. METIS, with a fixed seed: the same graph gives the same
/// order.
std::vector<Index> nested_dissection(const MatrixGraph& graph);

/// The same by approximate minimum degree (Eigen): less fill where the graph is nearly a tree.
std::vector<Index> minimum_degree(const MatrixGraph& graph);

}  // namespace pliant
