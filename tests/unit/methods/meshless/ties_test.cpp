// SPDX-License-Identifier: Apache-2.0
// Nodes that crowd: their parameters follow the field.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/meshless_bar.hpp"

namespace pliant::meshless {
namespace ties_test {

/// A box of 5 nodes a side, 0.25 m apart; with one more node this far from the middle one, as a frame node.
Flesh box(double apart) {
  Shape shape = make_shape(BoxShape{.size = {1, 1, 1}, .nodes = {5, 5, 5}, .corner = {-0.5, -0.5, -0.5}});
  NodeGraph& graph = shape.graph;
  const Index middle = 62, more = Index(graph.positions.size());
  EXPECT_LT(graph.positions[std::size_t(middle)].norm(), 1e-12);
  if (apart > 0) {
    for (const NodeGraph::Edge& edge : std::vector(graph.edges))
      if (edge.a == middle || edge.b == middle) graph.edges.push_back({edge.a + edge.b - middle, more, 0});
    graph.edges.push_back({middle, more, 0});
    graph.positions.emplace_back(0, 0, apart);
    graph.volumes.push_back(0);
  }
  return make_flesh(std::move(shape), bar_material());
}

std::unique_ptr<Method> made(const Flesh& flesh) {
  auto method = build(flesh.shape, 1, {0, 0}, flesh.options);
  EXPECT_TRUE(method) << method.error().text();
  return std::move(*method);
}

const Model& model_of(const Method& method) { return static_cast<const Body&>(method).model(); }

TEST(MeshlessTies, hold_crowded_nodes_and_no_others) {
  EXPECT_EQ(model_of(*made(box(0))).ties.rows(), 0);
  EXPECT_EQ(model_of(*made(box(0.12))).ties.rows(), 0);
  EXPECT_EQ(model_of(*made(box(0.02))).ties.rows(), 2);
}

TEST(MeshlessTies, are_not_strained_by_linear_fields) {
  const auto method = made(box(0.02));
  ASSERT_EQ(model_of(*method).ties.rows(), 2);
  Mat3 f;
  f << 1.2, 0.3, 0, -0.1, 0.8, 0.4, 0.2, 0, 1.1;
  Points x = model_of(*method).rest;
  for (Vec3& p : x) p = f * p + Vec3(1, 2, 3);
  EXPECT_LT(tie_energy(model_of(*method), x), 1e-16);
}

/// Without ties it costs a sixtieth of this.
TEST(MeshlessTies, keep_the_parameters_of_two_crowded_nodes_together) {
  const auto method = made(box(0.02));
  const Model& model = model_of(*method);
  const std::size_t one = 62, other = model.rest.size() - 1;
  Points x = model.rest;
  const double part = 0.1;  // m
  x[one].x() += part / 2, x[other].x() -= part / 2;
  method->place(x, Points(x.size(), Vec3::Zero()));
  EXPECT_GT(method->elastic_energy(), 0.4 * model.young * model.spacing * part * part / 4);
}

TEST(MeshlessTies, pull_as_their_energy_says_without_resultant_and_moment) {
  const auto method = made(box(0.02));
  const Model& model = model_of(*method);
  Points x = model.rest;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += 0.05 * Vec3(std::sin(double(i)), std::cos(3.0 * double(i)), 0.2);
  Points forces(x.size(), Vec3::Zero());
  add_tie_forces(model, x, forces);
  Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += forces[i], moment += x[i].cross(forces[i]);
    largest = std::max(largest, forces[i].norm());
    for (int c = 0; c < 3; ++c) {
      Points up = x, down = x;
      up[i][c] += 1e-6, down[i][c] -= 1e-6;
      EXPECT_NEAR(forces[i][c], (tie_energy(model, down) - tie_energy(model, up)) / 2e-6, 1e-6 * model.young);
    }
  }
  EXPECT_GT(largest, 0.01 * model.young * model.spacing * model.spacing);
  EXPECT_LT(sum.norm(), 1e-12 * largest);
  EXPECT_LT(moment.norm(), 1e-12 * largest);
}

}  // namespace ties_test
}  // namespace pliant::meshless
