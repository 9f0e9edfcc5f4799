// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/moving_least_squares.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/meshless/cells.hpp"

namespace pliant {
namespace moving_least_squares_test {

struct Sample {
  Vec3 x;
  Index anchor;
};

class MovingLeastSquaresTest : public testing::TestWithParam<std::tuple<double, double>> {
 protected:
  const double gamma = std::get<0>(GetParam()), jitter = std::get<1>(GetParam());
  Pool pool{2};
  Shape shape = make_shape(BoxShape{.size = {1, 0.75, 1.5}, .nodes = {5, 4, 7}, .corner = {2, -1, 0.5}});
  std::mt19937 random{11};

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }

  void SetUp() override {
    for (Vec3& p : shape.graph.positions)
      for (int c = 0; c < 3; ++c) p[c] += jitter * 0.25 * uniform(-1, 1);
  }
  MovingLeastSquares mls() {
    return {shape.graph.positions, meshless::inner_pairs(shape.graph), {6, gamma}, pool};
  }
  /// Anywhere in the box, corners included.
  Sample sample() {
    Vec3 x;
    for (int c = 0; c < 3; ++c)
      x[c] = Vec3(2, -1, 0.5)[c] + Vec3(1, 0.75, 1.5)[c] * std::clamp(uniform(-0.1, 1.1), 0.0, 1.0);
    Index nearest = 0;
    for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
      if ((shape.graph.positions[i] - x).norm() < (shape.graph.positions[nearest] - x).norm()) nearest = i;
    return {x, nearest};
  }
};

TEST_P(MovingLeastSquaresTest, shape_functions_sum_to_one_and_reproduce_linear_fields) {
  const auto field = mls();
  MlsValues at;
  for (int k = 0; k < 500; ++k) {
    const auto [x, anchor] = sample();
    field.evaluate(x, std::span(&anchor, 1), at);
    EXPECT_FALSE(at.constant);
    EXPECT_GE(at.node.size(), 5u);
    double sum = 0;
    Vec3 place = Vec3::Zero();
    for (std::size_t i = 0; i < at.node.size(); ++i) {
      sum += at.value[i];
      place += at.value[i] * (shape.graph.positions[at.node[i]] - x);
    }
    EXPECT_NEAR(sum, 1, 1e-13);
    EXPECT_LT(place.norm(), 1e-13);
  }
}

TEST_P(MovingLeastSquaresTest, gradients_sum_to_zero_reproduce_linear_fields_and_match_differences) {
  const auto field = mls();
  MlsValues at, plus, minus;
  for (int k = 0; k < 100; ++k) {
    const auto [x, anchor] = sample();
    field.evaluate_gradients(x, std::span(&anchor, 1), at);
    Vec3 sum = Vec3::Zero();
    Mat3 gradient = Mat3::Zero();
    for (std::size_t i = 0; i < at.node.size(); ++i) {
      sum += at.gradient[i];
      gradient += (shape.graph.positions[at.node[i]] - x) * at.gradient[i].transpose();
    }
    EXPECT_LT(sum.norm(), 1e-11);
    EXPECT_LT((gradient - Mat3::Identity()).norm(), 1e-11);
    const double s = 1e-5;
    for (int c = 0; c < 3; ++c) {
      field.evaluate(x + s * Vec3::Unit(c), std::span(&anchor, 1), plus);
      field.evaluate(x - s * Vec3::Unit(c), std::span(&anchor, 1), minus);
      for (std::size_t i = 0; i < at.node.size(); ++i) {
        double difference = 0;
        for (std::size_t j = 0; j < plus.node.size(); ++j)
          if (plus.node[j] == at.node[i]) difference += plus.value[j];
        for (std::size_t j = 0; j < minus.node.size(); ++j)
          if (minus.node[j] == at.node[i]) difference -= minus.value[j];
        EXPECT_NEAR(difference / (2 * s), at.gradient[i][c], 1e-4);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, MovingLeastSquaresTest,
                         testing::Combine(testing::Values(1.3, 1.5), testing::Values(0.0, 0.25)));

TEST(MovingLeastSquaresPoor, a_point_with_too_few_neighbours_widens_its_supports) {
  // Two clusters a long way apart, joined by edges: between them no support reaches.
  Points nodes;
  std::vector<std::array<Index, 2>> pairs;
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 27; ++k)
      nodes.push_back(Vec3(k % 3 + 3.2 * side, k / 3 % 3, k / 9) + 0.01 * Vec3(k % 5, k % 7, k % 4));
  for (Index a = 0; a < 54; ++a)
    for (Index b = a + 1; b < 54; ++b) pairs.push_back({a, b});
  Pool pool(1);
  const MovingLeastSquares mls(nodes, pairs, {6, 1.05}, pool);
  MlsValues at;
  const Index anchor = 14;
  mls.evaluate({2.6, 1.5, 1.5}, std::span(&anchor, 1), at);
  EXPECT_FALSE(at.constant);
  double sum = 0;
  for (const double v : at.value) sum += v;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(MovingLeastSquaresPoor, nodes_in_a_plane_fall_back_to_constant_shape_functions) {
  Points nodes;
  std::vector<std::array<Index, 2>> pairs;
  for (int k = 0; k < 25; ++k) nodes.push_back(Vec3(k % 5, k / 5, 0));
  for (Index a = 0; a < 25; ++a)
    for (Index b = a + 1; b < 25; ++b) pairs.push_back({a, b});
  Pool pool(1);
  const MovingLeastSquares mls(nodes, pairs, {6, 1.3}, pool);
  MlsValues at;
  const Index anchor = 12;
  mls.evaluate({2.2, 2.1, 0}, std::span(&anchor, 1), at);
  EXPECT_TRUE(at.constant);
  double sum = 0;
  for (const double v : at.value) {
    EXPECT_GE(v, 0);
    sum += v;
  }
  EXPECT_NEAR(sum, 1, 1e-14);
}

TEST(MovingLeastSquaresGap, neighbourhoods_do_not_reach_where_no_edge_leads) {
  // Two layers 0.1 apart that only touch at one end: edges inside the layers, and across at x = 0.
  Points nodes;
  std::vector<std::array<Index, 2>> pairs;
  for (int layer = 0; layer < 2; ++layer)
    for (int k = 0; k < 10 * 9; ++k) nodes.push_back(Vec3(k / 9, k % 3, layer * 2.1 + k / 3 % 3 * 1.0));
  for (Index a = 0; a < 180; ++a)
    for (Index b = a + 1; b < 180; ++b) {
      const Vec3 r = nodes[a] - nodes[b];
      const bool same = a / 90 == b / 90, end = nodes[a].x() == 0 && nodes[b].x() == 0;
      if (r.norm() < 1.8 && (same || end)) pairs.push_back({a, b});
    }
  Pool pool(1);
  const MovingLeastSquares mls(nodes, pairs, {6, 1.3}, pool);
  Index far = 0;
  for (Index i = 0; i < 90; ++i)
    if (nodes[i] == Vec3(7, 1, 2)) far = i;
  for (const Index i : mls.around(far)) EXPECT_LT(i, 90);
  MlsValues at;
  mls.evaluate({7.1, 1, 2.05}, std::span(&far, 1), at);
  for (const Index i : at.node) EXPECT_LT(i, 90);
}

}  // namespace moving_least_squares_test
}  // namespace pliant
