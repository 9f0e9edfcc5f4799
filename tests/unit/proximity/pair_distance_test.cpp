// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/pair_distance.hpp"

#include <gtest/gtest.h>

#include "tests/unit/proximity/pair_queries.hpp"

namespace pliant {
namespace pair_distance_test {

using Weights = std::array<double, 4>;

void expect_pair(PairKind kind, const PairPoints& x, double distance, const Weights& weight,
                 PairFeature feature) {
  const ClosestPoints c = closest_points(kind, x);
  EXPECT_NEAR(c.distance, distance, 1e-15);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(c.weight[k], weight[k], 1e-15) << k;
  EXPECT_EQ(int(c.feature), int(feature));
}

// As in MuJoCo's tests of its own (engine_ipc_test.cc): inside, on an edge, at a corner, on it.
TEST(PairDistance, of_vertex_and_triangle_knows_inside_edge_corner_and_contact) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  const auto expect = [&](const Vec3& p, double d, const Weights& w, PairFeature f) {
    expect_pair(PairKind::vertex_triangle, {p, a, b, c}, d, w, f);
  };
  expect({0.25, 0.25, 2}, 2, {1, -0.5, -0.25, -0.25}, PairFeature::vertex_triangle);
  expect({0.25, 0.25, 0}, 0, {1, -0.5, -0.25, -0.25}, PairFeature::vertex_triangle);
  expect({0.5, -3, 4}, 5, {1, -0.5, -0.5, 0}, PairFeature::vertex_edge);
  expect({1, 1, 0}, std::sqrt(0.5), {1, 0, -0.5, -0.5}, PairFeature::vertex_edge);
  expect({-2, -2, 1}, 3, {1, -1, 0, 0}, PairFeature::vertex_vertex);
  expect({4, -1, 0}, std::sqrt(10), {1, 0, -1, 0}, PairFeature::vertex_vertex);
  expect({0, 1, 0}, 0, {1, 0, 0, -1}, PairFeature::vertex_vertex);
}

TEST(PairDistance, of_two_edges_knows_crossing_ends_parallel_and_collinear) {
  const auto expect = [&](const PairPoints& x, double d, const Weights& w, PairFeature f) {
    expect_pair(PairKind::edge_edge, x, d, w, f);
  };
  const Vec3 a(-1, 0, 0), b(3, 0, 0);
  expect({a, b, {0, -1, 2}, {0, 1, 2}}, 2, {0.75, 0.25, -0.5, -0.5}, PairFeature::edge_edge);
  expect({a, b, {0, -1, 0}, {0, 1, 0}}, 0, {0.75, 0.25, -0.5, -0.5}, PairFeature::edge_edge);
  expect({a, b, {1, 3, 4}, {1, 9, 4}}, 5, {0.5, 0.5, -1, 0}, PairFeature::vertex_edge);
  expect({a, b, {6, 4, 0}, {9, 9, 0}}, 5, {0, 1, -1, 0}, PairFeature::vertex_vertex);
  expect({a, b, {7, 0, 0}, {5, 0, 0}}, 2, {0, 1, 0, -1}, PairFeature::vertex_vertex);  // collinear
  const ClosestPoints parallel = edge_edge_closest({a, b, {0, 2, 0}, {9, 2, 0}});
  EXPECT_EQ(parallel.distance, 2);
  EXPECT_EQ(parallel.difference, Vec3(0, -2, 0));
  EXPECT_EQ(edge_edge_closest({a, b, {0, 0, 0}, {9, 0, 0}}).distance, 0);  // one on the other
  EXPECT_EQ(squared_sine_of_edges({a, b, {0, 2, 0}, {9, 2, 0}}), 0);
  EXPECT_NEAR(squared_sine_of_edges({a, b, {0, 0, 0}, {1, 1, 0}}), 0.5, 1e-15);
  EXPECT_EQ(squared_sine_of_edges({a, a, {0, 0, 0}, {1, 1, 0}}), 0);
}

TEST(PairDistance, of_points_without_extent_is_that_of_points) {
  const Vec3 p(1, 2, 3), q(1, 6, 6);
  for (const PairKind kind : {PairKind::vertex_triangle, PairKind::edge_edge}) {
    EXPECT_EQ(closest_points(kind, {p, p, p, p}).distance, 0);
    EXPECT_EQ(closest_points(kind, {p, kind == PairKind::edge_edge ? p : q, q, q}).distance, 5);
  }
}

/// 1 for each point that belongs to the feature.
std::array<int, 2> sides_of(PairFeature feature) {
  switch (feature) {
    case PairFeature::vertex_vertex:
      return {1, 1};
    case PairFeature::vertex_edge:
      return {1, 2};
    case PairFeature::vertex_triangle:
      return {1, 3};
    case PairFeature::edge_edge:
      return {2, 2};
  }
  return {0, 0};
}

TEST(PairDistance, is_right_to_1e_12_for_whatever_four_points) {
  pair_queries::PairMaker maker(1);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const pair_queries::PairQuery q = maker.make();
    const ClosestPoints c = closest_points(q.kind, q.begin);
    const double error =
        std::abs(double(c.distance - pair_queries::long_distance(q.kind, pair_queries::as_long(q.begin))));
    worst = std::max(worst, error / q.size);
    ASSERT_LT(error, 1e-12 * q.size) << q.family << " " << i;

    Vec3 difference = Vec3::Zero();
    const int a_size = q.kind == PairKind::vertex_triangle ? 1 : 2;
    double a = 0, b = 0;
    std::array<int, 2> used = {0, 0};
    for (int k = 0; k < 4; ++k) {
      difference += c.weight[k] * (q.begin[k] - q.begin[0]);
      (k < a_size ? a : b) += c.weight[k];
      used[k < a_size ? 0 : 1] += c.weight[k] != 0;
      ASSERT_GE(k < a_size ? c.weight[k] : -c.weight[k], 0);
    }
    ASSERT_NEAR(a, 1, 1e-15);
    ASSERT_NEAR(b, -1, 1e-15);
    ASSERT_LT((difference - c.difference).norm(), 1e-14 * q.size) << q.family << " " << i;
    ASSERT_NEAR(c.difference.norm(), c.distance, 1e-15 * q.size);
    if (used[0] > used[1]) std::swap(used[0], used[1]);
    ASSERT_EQ(used, sides_of(c.feature)) << q.family << " " << i;
  }
  RecordProperty("worst", std::to_string(worst));
}

}  // namespace pair_distance_test
}  // namespace pliant
