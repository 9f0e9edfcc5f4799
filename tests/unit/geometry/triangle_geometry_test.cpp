// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/triangle_geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pliant {
namespace triangle_geometry_test {

/// By brute force over a fine grid of weights.
double distance_by_search(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  double best = 1e300;
  const int n = 200;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j)
      best = std::min(best, (a + (b - a) * i / n + (c - a) * j / n - p).norm());
  return best;
}

TEST(ClosestPoint, is_on_the_triangle_and_nearer_than_any_other_point_of_it) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto point = [&] {
    const double x = u(random), y = u(random), z = u(random);
    return Vec3(x, y, z);
  };
  for (int i = 0; i < 100; ++i) {
    const Vec3 a = point(), b = point(), p = 2 * point();
    // Every third a needle, every ninth without any width.
    const Vec3 c = i % 3 ? point() : Vec3(a + u(random) * (b - a) + (i % 9 ? 1e-9 : 0) * point());
    const TrianglePoint found = closest_point(p, a, b, c);
    EXPECT_NEAR(found.barycentric.sum(), 1, 1e-12);
    EXPECT_GE(found.barycentric.minCoeff(), 0);
    const Vec3 by_weights = found.barycentric[0] * a + found.barycentric[1] * b + found.barycentric[2] * c;
    EXPECT_LT((by_weights - found.point).norm(), 1e-9);
    const double distance = (found.point - p).norm(), searched = distance_by_search(p, a, b, c);
    EXPECT_LE(distance, searched + 1e-9);
    EXPECT_GE(distance, searched - 0.02);
  }
}

TEST(ClosestPoint, of_three_equal_corners_is_that_corner) {
  const Vec3 a(1, 2, 3);
  EXPECT_EQ(closest_point({0, 0, 0}, a, a, a).point, a);
}

}  // namespace triangle_geometry_test
}  // namespace pliant
