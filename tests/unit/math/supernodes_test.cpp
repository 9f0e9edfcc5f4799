// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/supernodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/math/graph_samples.hpp"

namespace pliant {
namespace supernodes_test {

using namespace samples;

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

}  // namespace supernodes_test
}  // namespace pliant
