// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/triangle_gap.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace triangle_gap_test {

constexpr double gap = 1e-6;

TEST(TriangleGap, segments_are_as_far_apart_as_their_nearest_points) {
  EXPECT_NEAR(squared_distance({-1, 0, 0}, {1, 0, 0}, {0, -1, 2}, {0, 1, 2}), 4, 1e-15);     // crossing over
  EXPECT_NEAR(squared_distance({0, 0, 0}, {1, 0, 0}, {3, 4, 0}, {3, 9, 0}), 4 + 16, 1e-12);  // end to end
  EXPECT_NEAR(squared_distance({0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {9, 1, 0}), 1, 1e-12);     // parallel
  EXPECT_NEAR(squared_distance({0, 0, 0}, {0, 0, 0}, {-1, 2, 0}, {1, 2, 0}), 4, 1e-15);      // a point
}

TEST(TriangleGap, triangles_that_cross_touch_or_lie_in_one_another_meet) {
  const Points x{{0, 0, 0},      {2, 0, 0},     {0, 2, 0},      // in z = 0
                 {0.5, 0.5, -1}, {0.5, 0.5, 1}, {3, 3, 0.5},    // through it
                 {0.5, 0.5, 0},  {0.5, 0.5, 1}, {3, 3, 1},      // a corner on it
                 {0.2, 0.2, 0},  {0.6, 0.2, 0}, {0.2, 0.6, 0},  // in the same plane, within
                 {0, 0, 1e-3},   {2, 0, 1e-3},  {0, 2, 1e-3}};  // just above
  const Triangle base{0, 1, 2};
  EXPECT_TRUE(triangles_meet(x, base, {3, 4, 5}, gap));
  EXPECT_TRUE(triangles_meet(x, base, {6, 7, 8}, gap));
  EXPECT_TRUE(triangles_meet(x, base, {9, 10, 11}, gap));
  EXPECT_FALSE(triangles_meet(x, base, {12, 13, 14}, gap));
  EXPECT_TRUE(triangles_meet(x, base, {12, 13, 14}, 2e-3));
}

TEST(TriangleGap, neighbours_may_share_vertices_but_not_fold_onto_each_other) {
  const Points x{{0, 0, 0},   {2, 0, 0},  {0, 2, 0},    {2, 2, 0},  {0.4, 0.5, 1e-9},
                 {-1, -1, 1}, {-1, 1, 1}, {1, 0.4, -1}, {1, 0.4, 1}};
  const Triangle base{0, 1, 2};
  EXPECT_FALSE(triangles_meet(x, base, {2, 1, 3}, gap));  // flat neighbours
  EXPECT_TRUE(triangles_meet(x, base, {1, 0, 4}, gap));   // folded
  EXPECT_FALSE(triangles_meet(x, base, {0, 5, 6}, gap));  // one vertex in common
  EXPECT_TRUE(triangles_meet(x, base, {0, 7, 8}, gap));   // and through the inside
  EXPECT_TRUE(triangles_meet(x, base, {2, 1, 0}, gap));   // twice the same
}

}  // namespace triangle_gap_test
}  // namespace pliant
