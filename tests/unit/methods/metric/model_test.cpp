// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/model.hpp"

#include "pliant/geometry/shape.hpp"

#include <map>

#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace model_test {

std::map<int, int> count_by_reach(const Model& model) {
  std::map<int, int> out;  // 1 length, 2 face, 3 spatial, 4 pillar, 8 and 12 pillar diagonals: squared cells
  model.each_length([&](Index a, Index b, double, double, bool, std::size_t) {
    ++out[int(std::lround((model.rest[b] - model.rest[a]).squaredNorm()))];
  });
  return out;
}

TEST(MetricModel, a_box_of_64_nodes_has_564_constraints) {
  const std::map<int, int> improved{{1, 144}, {2, 216}, {3, 108}, {4, 96}};
  EXPECT_EQ(count_by_reach(lattice_model({4, 4, 4}, with_strength())), improved);
}

TEST(MetricModel, the_original_has_lengths_and_108_angles) {
  const Model model = lattice_model({4, 4, 4}, with_strength(1, {.model = Kind::original}));
  EXPECT_EQ(count_by_reach(model), (std::map<int, int>{{1, 144}}));
  int angles = 0;
  model.each_angle([&](Index, Index, Index, double, double) { ++angles; });
  EXPECT_EQ(angles, 108);
}

TEST(MetricModel, pillar_diagonals_join_when_they_are_given_a_strength) {
  const std::map<int, int> with{{1, 144}, {2, 216}, {3, 108}, {4, 96}, {8, 96}, {12, 32}};
  EXPECT_EQ(count_by_reach(lattice_model({4, 4, 4}, with_strength(1, {.pillar_diagonal = 1}))), with);
}

TEST(MetricModel, every_axis_has_its_own_spacing) {
  const Model model = lattice_model({3, 4, 5}, with_strength(), {0.5, 1, 2});
  EXPECT_EQ(model.grid.nodes, (std::array<int, 3>{3, 4, 5}));
  EXPECT_LT((model.grid.spacing - Vec3(0.5, 1, 2)).norm(), 1e-12);
  double worst = 0;
  model.each_length([&](Index a, Index b, double ih2, double, bool, std::size_t) {
    worst = std::max(worst, std::abs((model.rest[b] - model.rest[a]).squaredNorm() * ih2 - 1));
  });
  EXPECT_LT(worst, 1e-12);
}

TEST(MetricModel, constraints_join_nodes_that_share_a_cell) {
  // two cells side by side in x with one missing between them: nothing crosses the gap of one cell
  const auto two = [](double gap) {
    Points nodes;
    std::vector<std::array<Index, 8>> cells;
    for (int part = 0; part < 2; ++part) {
      std::array<Index, 8> cell;
      for (int c = 0; c < 8; ++c) {
        cell[c] = Index(nodes.size());
        nodes.push_back({(c & 1) + part * (1 + gap), double(c >> 1 & 1), double(c >> 2)});
      }
      cells.push_back(cell);
    }
    return shape_from_cells(nodes, cells).graph;
  };
  const Result<Model> apart = make_model(two(1), 1, with_strength());
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->parts, 2);
  int count = 0;
  apart->each_length([&](Index, Index, double, double, bool, std::size_t) { ++count; });
  EXPECT_EQ(count, 2 * (12 + 12 + 4));
}

TEST(MetricModel, nodes_off_a_lattice_are_refused_with_a_way_out) {
  NodeGraph graph = lattice_graph({3, 3, 3});
  graph.positions[13] += Vec3(0.137, 0, 0);
  const Result<Model> model = make_model(graph, 1, with_strength());
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().text().find("metric.lattice to mesh"), std::string::npos) << model.error().text();
}

TEST(MetricModel, a_node_that_nothing_joins_is_refused) {
  NodeGraph graph = lattice_graph({3, 3, 3});
  graph.positions.push_back({5, 1, 1});
  graph.volumes.push_back(1);
  EXPECT_FALSE(make_model(graph, 1, with_strength()));
}

TEST(MetricModel, strength_keys_run_forward) {
  Options options = with_strength();
  options.keys = {{1, 1}, {1, 2}};
  EXPECT_FALSE(make_model(lattice_graph({2, 2, 2}), 1, options));
  options.keys = {{1, 0.5}, {3, 1}};
  EXPECT_DOUBLE_EQ(factor_at(options.keys, 0), 0.5);
  EXPECT_DOUBLE_EQ(factor_at(options.keys, 2), 0.75);
  EXPECT_DOUBLE_EQ(factor_at(options.keys, 9), 1);
}

}  // namespace model_test
}  // namespace pliant::metric
