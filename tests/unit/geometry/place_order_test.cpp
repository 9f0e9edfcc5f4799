// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/place_order.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace place_order_test {

TEST(PlaceOrder, places_decide_and_rounding_does_not) {
  const Points points{{1, 0, 0}, {0, 2, 0}, {0, 1, 5}, {1e-12, 1, 4}, {0, 1, 5}};
  EXPECT_EQ(place_order(points), (std::vector<Index>{3, 2, 4, 1, 0}));
  EXPECT_TRUE(place_order({}).empty());
}

}  // namespace place_order_test
}  // namespace pliant
