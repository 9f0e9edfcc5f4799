// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/solid.hpp"

#include <algorithm>
#include <utility>

namespace pliant::bench {
namespace {

constexpr double h_squared = (2 * time_step / 3) * (2 * time_step / 3);

Shape lattice(const Nodes& nodes) {
  BoxShape box;
  box.nodes = nodes;
  for (int axis = 0; axis < 3; ++axis) box.size[axis] = spacing * (nodes[std::size_t(axis)] - 1);
  return make_shape(box);
}

template <class Test>
std::vector<Index> nodes_where(const Points& positions, Test&& test) {
  std::vector<Index> found;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (test(positions[i])) found.push_back(Index(i));
  return found;
}

/// Row of every free node, -1 for held ones.
std::vector<Index> free_rows(const Solid& solid) {
  std::vector<Index> row(solid.shape.graph.positions.size(), 0);
  for (Index node : solid.held) row[std::size_t(node)] = -1;
  Index next = 0;
  for (Index& r : row)
    if (r == 0) r = next++;
  return row;
}

double edge_weight(const NodeGraph::Edge& edge) { return h_squared * 2 * (stiffness / 2) * edge.share; }

}  // namespace

Solid make_solid(const Nodes& nodes) {
  Solid solid{lattice(nodes), {}, {}};
  const Points& x = solid.shape.graph.positions;
  const Vec3 size = spacing * Vec3(nodes[0] - 1, nodes[1] - 1, nodes[2] - 1);
  const double little = spacing / 2;
  const auto middle = [&](const Vec3& p, int axis) {
    return std::abs(p[axis] - size[axis] / 2) <= size[axis] / 4;
  };
  solid.held = nodes_where(x, [&](const Vec3& p) { return p.y() < little; });
  solid.patch = nodes_where(
      x, [&](const Vec3& p) { return p.y() > size.y() - little && middle(p, 0) && middle(p, 2); });
  std::vector<Index> all = solid.held;
  all.insert(all.end(), solid.patch.begin(), solid.patch.end());
  std::sort(all.begin(), all.end());
  solid.held = std::move(all);
  return solid;
}

Solid make_bar() {
  Solid bar{lattice(bar_nodes), {}, {}};
  bar.held = nodes_where(bar.shape.graph.positions, [](const Vec3& p) { return p.z() < spacing / 2; });
  return bar;
}

SymmetricMatrix step_matrix(const Solid& solid) {
  const NodeGraph& graph = solid.shape.graph;
  const std::vector<Index> row = free_rows(solid);
  const std::size_t rows = std::size_t(*std::max_element(row.begin(), row.end())) + 1;
  std::vector<double> diagonal(rows, 0.0);
  std::vector<std::vector<std::pair<Index, double>>> below(rows);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] >= 0) diagonal[std::size_t(row[i])] = density * graph.volumes[i];
  for (const NodeGraph::Edge& edge : graph.edges) {
    const double weight = edge_weight(edge);
    const auto [low, high] = std::minmax(row[std::size_t(edge.a)], row[std::size_t(edge.b)]);
    if (low >= 0) diagonal[std::size_t(low)] += weight;
    if (high >= 0) diagonal[std::size_t(high)] += weight;
    if (low >= 0) below[std::size_t(high)].emplace_back(low, -weight);
  }
  SymmetricMatrix matrix;
  for (std::size_t r = 0; r < below.size(); ++r) {
    std::sort(below[r].begin(), below[r].end());
    for (const auto& [column, value] : below[r]) {
      matrix.column.push_back(column);
      matrix.value.push_back(value);
    }
    matrix.column.push_back(Index(r));
    matrix.value.push_back(diagonal[r]);
    matrix.begin.push_back(Index(matrix.column.size()));
  }
  return matrix;
}

GraphOperator step_operator(const Solid& solid) {
  const NodeGraph& graph = solid.shape.graph;
  const std::vector<Index> row = free_rows(solid);
  GraphOperator op;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] < 0) continue;
    op.positions.push_back(graph.positions[i]);
    op.mass.push_back(float(density * graph.volumes[i]));
  }
  op.anchor.assign(op.mass.size(), 0.0f);
  for (const NodeGraph::Edge& edge : graph.edges) {
    const auto [low, high] = std::minmax(row[std::size_t(edge.a)], row[std::size_t(edge.b)]);
    const float weight = float(edge_weight(edge));
    if (low >= 0) op.edges.push_back({low, high, weight});
    if (low < 0 && high >= 0) op.anchor[std::size_t(high)] += weight;
  }
  return op;
}

}  // namespace pliant::bench
