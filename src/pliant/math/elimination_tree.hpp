// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in a sparse Cholesky factorisation, before any number is computed. All indices here are
// positions in the elimination order; parent -1 marks a root.
//
// [Liu90] J. Liu, The role of elimination trees in sparse factorization, 1990.
// [GNP94] Gilbert, Ng, Peyton, An efficient algorithm to compute row and column counts, 1994.
#pragma once

#include <span>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/math/ordering.hpp"

namespace pliant {

/// position[order[k]] = k.
std::vector<Index> invert(std::span<const Index> order);

/// parent[j] = the first row below j that is nonzero in column j of the factor. [Liu90, Alg. 4.2]
std::vector<Index> elimination_tree(const MatrixGraph& graph, std::span<const Index> order);

/// Children before parents, every subtree contiguous; children in ascending order.
std::vector<Index> postorder(std::span<const Index> parent);

/// count[j] = nonzeros of column j of the factor, diagonal included. The order must be a postorder of its
/// tree. [GNP94, Fig. 3]
std::vector<Index> column_counts(const MatrixGraph& graph, std::span<const Index> order,
                                 std::span<const Index> parent);

}  // namespace pliant
