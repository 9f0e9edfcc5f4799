// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/nearest_feasible.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/geometry/surface_sampling.hpp"

namespace pliant {
namespace nearest_feasible_test {

double cost(const Mat3& a, const Vec3& centre, const Vec3& x) { return (x - centre).dot(a * (x - centre)); }

TEST(NearestFeasible, without_a_bound_in_the_way_it_is_the_centre) {
  const std::vector<Halfspace> below{{{0, 0, 1}, -1}, {{1, 0, 0}, -2}};
  const auto x = nearest_feasible(Mat3::Identity(), {0.5, 0.5, 0.5}, below);
  ASSERT_TRUE(x);
  EXPECT_NEAR((*x - Vec3(0.5, 0.5, 0.5)).norm(), 0, 1e-14);
}

TEST(NearestFeasible, a_corner_of_three_planes_is_found) {
  const std::vector<Halfspace> corner{{{1, 0, 0}, 1}, {{0, 1, 0}, 2}, {{0, 0, 1}, 3}};
  const auto x = nearest_feasible(Mat3::Identity(), Vec3::Zero(), corner);
  ASSERT_TRUE(x);
  EXPECT_NEAR((*x - Vec3(1, 2, 3)).norm(), 0, 1e-12);
}

TEST(NearestFeasible, opposite_halfspaces_without_a_common_point_have_none) {
  const std::vector<Halfspace> apart{{{1, 0, 0}, 1}, {{-1, 0, 0}, 1}};
  EXPECT_FALSE(nearest_feasible(Mat3::Identity(), Vec3::Zero(), apart));
}

TEST(NearestFeasible, no_feasible_point_is_cheaper) {
  RandomNumbers random(7);
  int bounded = 0;
  for (int round = 0; round < 200; ++round) {
    Mat3 root;
    for (int k = 0; k < 9; ++k) root(k / 3, k % 3) = random.unit() - 0.5;
    const Mat3 a = root * root.transpose() + 0.01 * Mat3::Identity();
    const Vec3 centre = 2 * random.direction();
    // All of them have the origin inside, so that there is an answer.
    std::vector<Halfspace> planes;
    for (int k = 0; k < 12; ++k) planes.push_back({random.direction(), -random.unit()});
    const auto x = nearest_feasible(a, centre, planes);
    ASSERT_TRUE(x);
    for (const Halfspace& plane : planes) EXPECT_GE(plane.normal.dot(*x), plane.offset - 1e-9);
    bounded += (*x - centre).norm() > 1e-6;
    // The cost is convex and so is the set: on the way to any feasible point it must not fall.
    const double least = cost(a, centre, *x);
    for (int k = 0; k < 200; ++k) {
      const Vec3 toward = 2 * random.unit() * random.direction();
      bool feasible = true;
      for (const Halfspace& plane : planes) feasible &= plane.normal.dot(toward) >= plane.offset;
      if (!feasible) continue;
      EXPECT_GE(cost(a, centre, *x + 1e-3 * (toward - *x)), least * (1 - 1e-9));
    }
  }
  EXPECT_GT(bounded, 100);
}

}  // namespace nearest_feasible_test
}  // namespace pliant
