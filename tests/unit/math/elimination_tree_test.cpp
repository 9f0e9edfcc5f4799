// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/elimination_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/unit/math/graph_samples.hpp"

namespace pliant {
namespace elimination_tree_test {

using namespace samples;

/// The order that the counts are defined for.
std::vector<Index> postordered(const MatrixGraph& graph, std::vector<Index> order) {
  std::vector<Index> sorted;
  for (Index k : postorder(elimination_tree(graph, order))) sorted.push_back(order[k]);
  return sorted;
}

TEST(EliminationTree, parent_is_the_first_nonzero_below_the_diagonal) {
  for (const MatrixGraph& graph : sample_graphs()) {
    const std::vector<Index> order = nested_dissection(graph);
    const auto lower = dense_factor(graph, order);
    const std::vector<Index> parent = elimination_tree(graph, order);
    for (Index j = 0; j < graph.rows(); ++j) {
      Index first = -1;
      for (Index i = graph.rows() - 1; i > j; --i)
        if (lower[i][j]) first = i;
      EXPECT_EQ(parent[j], first);
    }
  }
}

TEST(EliminationTree, postorder_puts_children_first_and_keeps_subtrees_together) {
  for (const MatrixGraph& graph : sample_graphs()) {
    const std::vector<Index> order = postordered(graph, nested_dissection(graph));
    EXPECT_TRUE(is_permutation_of_rows(order));
    const std::vector<Index> parent = elimination_tree(graph, order);
    std::vector<Index> size(graph.rows(), 1), smallest(graph.rows());
    std::iota(smallest.begin(), smallest.end(), 0);
    for (Index j = 0; j < graph.rows(); ++j) {
      EXPECT_EQ(smallest[j], j + 1 - size[j]);
      if (parent[j] < 0) continue;
      EXPECT_GT(parent[j], j);
      size[parent[j]] += size[j];
      smallest[parent[j]] = std::min(smallest[parent[j]], smallest[j]);
    }
  }
}

TEST(EliminationTree, counts_the_nonzeros_of_every_factor_column) {
  for (const MatrixGraph& graph : sample_graphs()) {
    const std::vector<Index> order = postordered(graph, nested_dissection(graph));
    const auto lower = dense_factor(graph, order);
    const std::vector<Index> count = column_counts(graph, order, elimination_tree(graph, order));
    for (Index j = 0; j < graph.rows(); ++j) {
      Index nonzeros = 0;
      for (Index i = j; i < graph.rows(); ++i) nonzeros += lower[i][j];
      EXPECT_EQ(count[j], nonzeros);
    }
  }
}

}  // namespace elimination_tree_test
}  // namespace pliant
