// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant::geometric {
namespace arrangement_test {

Adjacency adjacency_of(Index nodes, const std::vector<std::pair<Index, Index>>& edges) {
  Adjacency out;
  out.begin.assign(1, 0);
  for (Index i = 0; i < nodes; ++i) {
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (edges[e].first == i || edges[e].second == i) {
        out.target.push_back(edges[e].first == i ? edges[e].second : edges[e].first);
        out.edge.push_back(Index(e));
      }
    out.begin.push_back(Index(out.target.size()));
  }
  return out;
}

TEST(Arrangement, a_chain_in_its_own_order_keeps_it) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i + 1 < 100; ++i) edges.emplace_back(i, i + 1);
  const std::vector<Index> order = streaming_order(adjacency_of(100, edges));
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(order[std::size_t(i)], i);
}

TEST(Arrangement, parts_are_stretches_of_the_order_whatever_the_given_one) {
  // Two chains, their nodes alternating; the second one with stars of two sizes.
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i + 2 < 600; ++i) edges.emplace_back(i, i + 2);
  for (Index i = 1; i + 40 < 600; i += 16) edges.emplace_back(i, i + 40);
  const std::vector<Index> order = streaming_order(adjacency_of(600, edges));
  ASSERT_EQ(order.size(), 600u);
  int changes = 0;
  for (std::size_t k = 1; k < order.size(); ++k) changes += order[k] % 2 != order[k - 1] % 2;
  EXPECT_EQ(changes, 1);
  std::vector<Index> all = order;
  std::sort(all.begin(), all.end());
  for (Index i = 0; i < 600; ++i) EXPECT_EQ(all[std::size_t(i)], i);
}

}  // namespace arrangement_test
}  // namespace pliant::geometric
