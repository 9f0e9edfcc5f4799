// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/response_columns.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace response_columns_test {

/// Columns filled with the number of their vertex; counts the solves.
struct Numbered {
  ResponseColumns columns;
  std::vector<std::size_t> batches;
  void need(const std::vector<Index>& vertices) {
    columns.need(
        vertices, 100, 4, [&](std::span<const Index> batch) { batches.push_back(batch.size()); },
        [](int, Index vertex, std::span<float> out) { std::fill(out.begin(), out.end(), float(vertex)); });
  }
};

TEST(ResponseColumns, are_computed_three_at_a_time_and_once) {
  Numbered known;
  known.need({3, 5, 8, 13});
  EXPECT_EQ(known.batches, (std::vector<std::size_t>{3, 1}));
  known.need({3, 8, 21});
  EXPECT_EQ(known.batches, (std::vector<std::size_t>{3, 1, 1}));
  for (const Index v : {3, 8, 21}) EXPECT_EQ(known.columns[v][0], float(v));
  EXPECT_EQ(known.columns.memory_bytes(), 5 * 4 * sizeof(float));
}

TEST(ResponseColumns, a_flush_forgets_them_and_keeps_their_room) {
  Numbered known;
  known.need({1, 2});
  known.columns.flush();
  known.need({2, 4});
  EXPECT_EQ(known.batches.size(), 2u);
  EXPECT_EQ(known.columns[4][3], 4);
  EXPECT_EQ(known.columns.memory_bytes(), 2 * 4 * sizeof(float));
}

TEST(ResponseColumns, without_room_the_one_not_used_for_longest_gives_way) {
  Numbered known;
  known.columns = ResponseColumns(2 * 4 * sizeof(float));  // room for two
  known.need({1});
  known.need({2});
  known.need({1});
  known.need({3});  // in place of 2
  EXPECT_EQ(known.batches.size(), 3u);
  known.need({1, 3});
  EXPECT_EQ(known.batches.size(), 3u);
  known.need({2});
  EXPECT_EQ(known.batches.size(), 4u);
}

}  // namespace response_columns_test
}  // namespace pliant
