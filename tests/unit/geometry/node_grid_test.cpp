// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/node_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace pliant {
namespace node_grid_test {

std::vector<NodeGrid::Found> by_hand(const Points& points, const Vec3& p, std::size_t count, double within) {
  std::vector<NodeGrid::Found> all;
  for (Index i = 0; i < Index(points.size()); ++i)
    if (const double d = (points[std::size_t(i)] - p).squaredNorm(); d <= within * within)
      all.push_back({d, i});
  std::sort(all.begin(), all.end());
  all.resize(std::min(all.size(), count));
  return all;
}

void expect_as_by_hand(const NodeGrid& grid, const Points& points, const Vec3& p, int count, double within) {
  std::vector<NodeGrid::Found> found;
  grid.nearest(p, count, within, found);
  const auto expected = by_hand(points, p, std::size_t(count), within);
  ASSERT_EQ(found.size(), expected.size()) << p.transpose() << ", " << count << " within " << within;
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].id, expected[k].id);
    EXPECT_EQ(found[k].squared, expected[k].squared);
  }
}

TEST(NodeGrid, finds_what_a_search_through_all_points_finds) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> inside(0, 1), around(-0.7, 1.7);
  Points points;
  for (int i = 0; i < 600; ++i) points.push_back({inside(random), inside(random), 0.3 * inside(random)});
  const NodeGrid grid(points, 0.11);
  for (int k = 0; k < 400; ++k) {
    const Vec3 p(around(random), around(random), around(random));
    for (const int count : {1, 9, 49})
      for (const double within : {0.1, 0.25, std::numeric_limits<double>::infinity()})
        expect_as_by_hand(grid, points, p, count, within);
  }
}

TEST(NodeGrid, of_points_at_equal_distance_the_lowest_comes_first) {
  Points points;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 5; ++k) points.push_back(Vec3(4 - i, j, k));
  const NodeGrid grid(points, 1);
  for (const Vec3& p : {Vec3(2, 2, 2), Vec3(1.5, 2.5, 2), Vec3(0, 0, 0), Vec3(2, 2, -3)})
    for (const int count : {1, 4, 7, 30})
      for (const double within : {1.0, 2.0, 100.0}) expect_as_by_hand(grid, points, p, count, within);
}

TEST(NodeGrid, distances_that_differ_by_rounding_are_equal) {
  std::mt19937 random(5);
  Points even, uneven;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 6; ++k) {
        even.push_back(Vec3(i, j, k));
        uneven.push_back(even.back() + 1e-15 * Vec3(random() % 8, random() % 8, random() % 8));
      }
  const NodeGrid one(even, 1), other(uneven, 1);
  std::vector<NodeGrid::Found> a, b;
  for (const Vec3& p : {Vec3(2, 2, 2), Vec3(1.5, 2.5, 2), Vec3(2.5, 2.5, 2.5)})
    for (const int count : {1, 4, 7, 30}) {
      one.nearest(p, count, 10, a), other.nearest(p, count, 10, b);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].id, b[k].id) << count;
    }
}

TEST(NodeGrid, points_outside_its_box_are_found_all_the_same) {
  NodeGrid grid({0, 0, 0}, {1, 1, 1}, 0.25);
  Points points;
  for (const Vec3& p : {Vec3(-3, 0.5, 0.5), Vec3(0.5, 0.5, 0.5), Vec3(5, 5, 5), Vec3(0.9, -2, 0.1)})
    grid.insert(p), points.push_back(p);
  for (const Vec3& p : {Vec3(-4, 0, 0), Vec3(0.1, 0.1, 0.1), Vec3(3, 3, 3), Vec3(0.9, -1, 0)})
    for (const int count : {1, 2, 4}) expect_as_by_hand(grid, points, p, count, 10);
}

}  // namespace node_grid_test
}  // namespace pliant
