// SPDX-License-Identifier: Apache-2.0
// Small graphs and a slow, obvious elimination for the tests of the symbolic analysis.
#pragma once

#include <algorithm>
#include <span>

#include "pliant/math/elimination_tree.hpp"
#include "tests/unit/math/matrix_samples.hpp"

namespace pliant::samples {

/// Pattern of the factor by elimination on a dense matrix of booleans.
inline std::vector<std::vector<bool>> dense_factor(const MatrixGraph& graph, std::span<const Index> order) {
  const Index n = graph.rows();
  const std::vector<Index> position = invert(order);
  std::vector<std::vector<bool>> lower(n, std::vector<bool>(n, false));
  for (Index i = 0; i < n; ++i) {
    lower[i][i] = true;
    for (Index k = graph.begin[order[i]]; k < graph.begin[order[i] + 1]; ++k)
      if (position[graph.neighbor[k]] < i) lower[i][position[graph.neighbor[k]]] = true;
  }
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i)
      if (lower[i][j])
        for (Index k = i + 1; k < n; ++k)
          if (lower[k][j]) lower[k][i] = true;
  return lower;
}

inline bool is_permutation_of_rows(std::vector<Index> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order[k] != Index(k)) return false;
  return true;
}

inline std::vector<MatrixGraph> sample_graphs() {
  std::vector<MatrixGraph> graphs;
  for (const LinkGraph& g : {lattice(5, 4, 6), lattice(1, 1, 1), lattice(30, 1, 1), random_graph(150, .2, 1),
                             random_graph(90, .12, 2), LinkGraph{40, {}}})
    graphs.push_back(graph_of(lower_rows(shifted(laplacian(g), 1))));
  return graphs;
}

}  // namespace pliant::samples
