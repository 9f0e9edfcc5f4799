// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/elimination_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pliant/math/supernodes.hpp"
#include "tests/unit/math/matrix_samples.hpp"

#ifdef PLIANT_HAVE_CHOLMOD
#include <cholmod.h>
#endif

namespace pliant {
namespace {

using namespace samples;

/// Pattern of the factor by elimination on a dense matrix of booleans.
std::vector<std::vector<bool>> dense_factor(const MatrixGraph& graph, std::span<const Index> order) {
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

bool is_permutation_of_rows(std::vector<Index> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k)
    if (order[k] != Index(k)) return false;
  return true;
}

std::vector<MatrixGraph> sample_graphs() {
  std::vector<MatrixGraph> graphs;
  for (const LinkGraph& g : {lattice(5, 4, 6), lattice(1, 1, 1), lattice(30, 1, 1), random_graph(150, .2, 1),
                             random_graph(90, .12, 2), LinkGraph{40, {}}})
    graphs.push_back(graph_of(lower_rows(shifted(laplacian(g), 1))));
  return graphs;
}

/// The order that the counts are defined for.
std::vector<Index> postordered(const MatrixGraph& graph, std::vector<Index> order) {
  std::vector<Index> sorted;
  for (Index k : postorder(elimination_tree(graph, order))) sorted.push_back(order[k]);
  return sorted;
}

TEST(Ordering, is_a_permutation_and_the_same_every_time) {
  for (const MatrixGraph& graph : sample_graphs()) {
    const std::vector<Index> order = nested_dissection(graph);
    EXPECT_EQ(Index(order.size()), graph.rows());
    EXPECT_TRUE(is_permutation_of_rows(order));
    EXPECT_EQ(order, nested_dissection(graph));
  }
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

TEST(Supernodes, cover_the_factor_with_panels_in_a_permuted_order) {
  for (const MatrixGraph& graph : sample_graphs()) {
    const SupernodalPattern pattern = analyse(graph);
    EXPECT_TRUE(is_permutation_of_rows(pattern.order));
    EXPECT_TRUE(is_permutation_of_rows(pattern.postorder));
    const auto lower = dense_factor(graph, pattern.order);
    ASSERT_EQ(pattern.first.back(), graph.rows());
    for (Index s = 0; s < pattern.supernodes(); ++s) {
      const auto rows = pattern.rows(s);
      EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      for (Index c = 0; c < pattern.width(s); ++c) {
        EXPECT_EQ(rows[c], pattern.first[s] + c);
        for (Index i = rows[c]; i < graph.rows(); ++i)
          EXPECT_TRUE(!lower[i][rows[c]] || std::binary_search(rows.begin(), rows.end(), i));
      }
      // The update of a child must find every row in its parent.
      if (pattern.height(s) == pattern.width(s)) continue;
      ASSERT_GT(pattern.parent[s], s);
      const auto above = pattern.rows(pattern.parent[s]);
      for (Index row : rows.subspan(pattern.width(s)))
        EXPECT_TRUE(std::binary_search(above.begin(), above.end(), row));
    }
  }
}

TEST(Supernodes, parts_do_not_touch_each_other_and_share_the_work) {
  const SupernodalPattern pattern = analyse(graph_of(lower_rows(shifted(laplacian(lattice(9, 9, 41)), 1))));
  const Index middle = pattern.part[0], top = pattern.part[1];
  ASSERT_GT(middle, 0);
  ASSERT_GT(top, middle);
  std::size_t work[3] = {};
  for (Index s = 0; s < pattern.supernodes(); ++s) {
    const int part = s < middle ? 0 : s < top ? 1 : 2;
    work[part] += panel_lines(pattern.width(s), pattern.height(s));
    for (Index row : pattern.rows(s))
      EXPECT_TRUE(part > 0 || row < pattern.first[middle] || row >= pattern.first[top]);
  }
  EXPECT_LT(std::max(work[0], work[1]) + work[2], .7 * double(work[0] + work[1] + work[2]));
}

TEST(Supernodes, stored_lines_leave_out_whole_blocks_above_the_diagonal) {
  EXPECT_EQ(panel_lines(1, 1), 1u);
  EXPECT_EQ(panel_lines(8, 17), 16u);
  EXPECT_EQ(panel_lines(17, 17), 2u * 16 + 1);
  EXPECT_EQ(panel_lines(32, 32), 2u * 16 + 16);
}

#ifdef PLIANT_HAVE_CHOLMOD
TEST(Ordering, fill_is_at_most_1_3_times_that_of_cholmod_with_metis) {
  for (const LinkGraph& g : {lattice(9, 9, 40), lattice(14, 14, 14), random_graph(2000, .12, 3)}) {
    const SymmetricMatrix a = lower_rows(shifted(laplacian(g), 1));
    cholmod_common common;
    cholmod_start(&common);
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_METIS;
    cholmod_sparse m{};
    m.nrow = m.ncol = a.rows();
    m.nzmax = a.column.size();
    m.p = const_cast<Index*>(a.begin.data());
    m.i = const_cast<Index*>(a.column.data());
    m.x = const_cast<double*>(a.value.data());
    m.stype = 1;
    m.itype = CHOLMOD_INT;
    m.xtype = CHOLMOD_REAL;
    m.dtype = CHOLMOD_DOUBLE;
    m.sorted = m.packed = 1;
    cholmod_factor* factor = cholmod_analyze(&m, &common);
    EXPECT_LE(double(analyse(graph_of(a)).factor_entries), 1.3 * common.lnz);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
}
#endif

}  // namespace
}  // namespace pliant
