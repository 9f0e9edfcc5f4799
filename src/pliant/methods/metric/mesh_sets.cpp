// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/mesh_sets.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/geometry/body_graph.hpp"
#include "pliant/methods/metric/calibration.hpp"

namespace pliant::metric {
namespace {

constexpr double least_shape = 0.05;  // of a regular tetrahedron's volume over its longest edge cubed

/// Of eta a node, in strengths: the sets that resist small strain.
double linear_sum(const Options& o) {
  return 3 * (o.length + o.pillar) + 6 * area_of(o) + (o.squared ? 0 : 4 * volume_of(o));
}

/// Of the material: sum share H^2 = d V over the edges.
double dimension_of(const NodeGraph& graph) {
  double sum = 0;
  for (const NodeGraph::Edge& e : graph.edges)
    sum += e.share * (graph.positions[e.b] - graph.positions[e.a]).squaredNorm();
  const double volume = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  return std::clamp(std::round(sum / volume), 1.0, 3.0);
}

/// The nodes of the graph joined by the diagonals, with shares of their own.
NodeGraph diagonals_of(const NodeGraph& graph, double dimension) {
  NodeGraph out;
  out.positions = graph.positions;
  out.volumes = graph.volumes;
  out.edges = edges_of(second_ring(Index(graph.positions.size()), graph.edges));
  calibrate_shares(out, int(dimension));
  return out;
}

class Sets {
 public:
  Sets(const Options& options, double dimension) : options_(options), dimension_(dimension) {}

  /// weight: of the set in the sum of eta; strength: of one of its constraints, where it is given in J.
  void add(const NodeGraph& graph, double weight, double strength, bool squared) {
    if (!(weight > 0)) return;
    for (const NodeGraph::Edge& e : graph.edges) {
      const double h2 = (graph.positions[e.b] - graph.positions[e.a]).squaredNorm();
      if (!(h2 > 0)) continue;  // two nodes of different branches in one place
      const double eta = options_.strength < not_given
                             ? options_.strength * strength
                             : (dimension_ + 1) / 4 * options_.stiffness * e.share * h2 * weight;
      made.push_back({e.a, e.b, 1 / h2, eta, squared});
    }
  }
  std::vector<EdgeConstraint> made;

 private:
  const Options& options_;
  double dimension_;
};

double volume_of_tetrahedron(const Points& X, const std::array<Index, 4>& t) {
  return (X[t[1]] - X[t[0]]).dot((X[t[2]] - X[t[0]]).cross(X[t[3]] - X[t[0]])) / 6;
}

double longest_edge(const Points& X, const std::array<Index, 4>& t) {
  double most = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, (X[t[i]] - X[t[j]]).norm());
  return most;
}

/// d = a - o and the ring a, a, b, b, c, c: of the sum of cross products only b x c is not normal to d.
std::array<Index, 8> as_cell(const std::array<Index, 4>& t) {
  return {t[0], t[1], t[2], t[1], t[3], t[3], t[2], t[1]};
}

}  // namespace

std::vector<EdgeConstraint> mesh_constraints(const NodeGraph& graph, const Options& options) {
  const double dimension = dimension_of(graph);
  NodeGraph diagonals;
  if (area_of(options) > 0 || volume_of(options) > 0) diagonals = diagonals_of(graph, dimension);
  const bool alone = diagonals.edges.empty();  // no two edges span an area
  const double linear = linear_sum(options);
  Sets sets(options, dimension);
  sets.add(graph, alone ? 1 : 3 * (options.length + options.pillar) / linear, options.length + options.pillar,
           false);
  sets.add(diagonals, 6 * area_of(options) / linear, area_of(options), false);
  sets.add(diagonals, 4 * volume_of(options) / linear, volume_of(options), options.squared);
  return std::move(sets.made);
}

std::vector<std::array<Index, 8>> tetrahedra(const NodeGraph& graph) {
  const Points& X = graph.positions;
  const Adjacency around = adjacency(Index(X.size()), graph.edges);
  const auto of = [&](Index i) {
    return std::pair(around.target.begin() + around.begin[i], around.target.begin() + around.begin[i + 1]);
  };
  std::vector<std::array<Index, 8>> cells;
  std::vector<Index> third;
  for (const NodeGraph::Edge& e : graph.edges) {
    third.clear();
    const auto [from_a, to_a] = of(e.a);
    const auto [from_b, to_b] = of(e.b);
    std::set_intersection(std::upper_bound(from_a, to_a, e.b), to_a, std::upper_bound(from_b, to_b, e.b),
                          to_b, std::back_inserter(third));
    for (std::size_t i = 0; i < third.size(); ++i)
      for (std::size_t j = i + 1; j < third.size(); ++j) {
        const auto [from, to] = of(third[i]);
        if (!std::binary_search(from, to, third[j])) continue;
        std::array<Index, 4> t{e.a, e.b, third[i], third[j]};
        if (volume_of_tetrahedron(X, t) < 0) std::swap(t[2], t[3]);
        const double regular = std::pow(longest_edge(X, t), 3) / (6 * std::sqrt(2.0));
        if (volume_of_tetrahedron(X, t) > least_shape * regular) cells.push_back(as_cell(t));
      }
  }
  return cells;
}

double mesh_orientation(const NodeGraph& graph, std::size_t cells, const Options& options) {
  const CubicModuli lattice = moduli(options);
  const bool pascals = in_pascals(options);
  const double relative = options.orientation < not_given           ? options.orientation
                          : options.integrator == Integrator::paper ? 0
                          : pascals                                 ? lattice.c11
                                    : std::max(options.length, volume_of(options));
  if (!pascals) return options.strength * relative;
  const double volume = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  return options.stiffness * volume / double(cells) / young(lattice) * relative;
}

}  // namespace pliant::metric
