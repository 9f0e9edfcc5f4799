// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/point_order.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace point_order_test {

TEST(PointOrder, rows_of_another_numbering_come_in_the_same_order) {
  const Points rest{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  Gather a;  // middles of 1 2 and 0 1, and node 2
  a.column = {1, 2, 0, 1, 2};
  a.weight = {0.5, 0.5, 0.5, 0.5, 1};
  a.begin = {0, 2, 4, 5};
  std::vector<Index> numbers;
  const Gather sorted = in_place_order(a, rest, numbers);
  EXPECT_EQ(numbers, (std::vector<Index>{1, 0, 2}));
  EXPECT_EQ(sorted.column, (std::vector<Index>{0, 1, 1, 2, 2}));
  EXPECT_EQ(sorted.begin, (std::vector<Index>{0, 2, 4, 5}));
  EXPECT_EQ(sorted.weight, (std::vector<double>{0.5, 0.5, 0.5, 0.5, 1}));
}

}  // namespace point_order_test
}  // namespace pliant
