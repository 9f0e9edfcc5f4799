// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/graph_aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pliant {
namespace {

using Edge = GraphOperator::Edge;

/// Disjoint sets whose root is the smallest member, so that the result does not depend on the order of edges.
class Sets {
 public:
  explicit Sets(Index count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(Index i, Index j) {
    i = find(i), j = find(j);
    if (i < j)
      parent_[j] = i;
    else
      parent_[i] = j;
  }

 private:
  std::vector<Index> parent_;
};

/// Items grouped by a key in [0, keys): items first[k] .. first[k + 1] - 1 have key k, in their given order.
template <class Item>
struct Grouped {
  std::vector<Index> first;
  std::vector<Item> items;
};

template <class Item, class Key>
Grouped<Item> group(const std::vector<Item>& given, Index keys, const Key& key) {
  Grouped<Item> result{std::vector<Index>(keys + 1, 0), std::vector<Item>(given.size())};
  for (const Item& item : given) ++result.first[key(item) + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  std::vector<Index> next(result.first.begin(), result.first.end() - 1);
  for (const Item& item : given) result.items[next[key(item)]++] = item;
  return result;
}

std::vector<std::uint64_t> box_keys(const Points& positions, const Vec3& corner, double cell) {
  std::vector<std::uint64_t> keys(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3 place = (positions[i] - corner) / cell;
    std::uint64_t key = 0;
    for (int k = 0; k < 3; ++k) key = key << 21 | std::uint64_t(std::max(0.0, place[k] + 1e-3));
    keys[i] = key;
  }
  return keys;
}

/// Connected components of the boxes, numbered by their first node; -1 for nodes without edges.
Aggregates box_components(const LevelGraph& graph, const Vec3& corner, double cell) {
  const std::vector<std::uint64_t> key = box_keys(graph.positions, corner, cell);
  Sets sets(graph.nodes());
  std::vector<bool> linked(graph.nodes(), false);
  for (const Edge& edge : graph.edges) {
    linked[edge.a] = linked[edge.b] = true;
    if (key[edge.a] == key[edge.b]) sets.unite(edge.a, edge.b);
  }
  Aggregates result{std::vector<Index>(graph.nodes(), -1), 0};
  for (Index i = 0; i < graph.nodes(); ++i) {
    if (!linked[i]) continue;
    const Index root = sets.find(i);
    result.of[i] = root == i ? result.count++ : result.of[root];
  }
  return result;
}

constexpr Index tiny = 2, largest_to_join = 12;

struct Link {
  Index from, to;
  float weight;
};

/// Links of tiny components to the others, grouped by the tiny one.
Grouped<Link> links_of_tiny(const LevelGraph& graph, const Aggregates& components,
                            const std::vector<Index>& size) {
  std::vector<Link> links;
  for (const Edge& edge : graph.edges) {
    const Index a = components.of[edge.a], b = components.of[edge.b];
    if (a == b) continue;
    if (size[a] <= tiny) links.push_back({a, b, edge.weight});
    if (size[b] <= tiny) links.push_back({b, a, edge.weight});
  }
  return group(links, components.count, [](const Link& link) { return link.from; });
}

/// The most strongly linked set that is small enough, the first of equals; -1 when there is none.
Index strongest_neighbour(const Link* begin, const Link* end, Index self, Sets& sets,
                          const std::vector<Index>& size, std::vector<double>& strength) {
  for (const Link* link = begin; link != end; ++link) strength[sets.find(link->to)] = 0;
  for (const Link* link = begin; link != end; ++link) strength[sets.find(link->to)] += link->weight;
  Index best = -1;
  for (const Link* link = begin; link != end; ++link) {
    const Index set = sets.find(link->to);
    if (set == self || size[set] > largest_to_join) continue;
    if (best < 0 || strength[set] > strength[best]) best = set;
  }
  return best;
}

}  // namespace

double mean_shortest_edge(const LevelGraph& graph) {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> shortest(graph.nodes(), none);
  for (const Edge& edge : graph.edges) {
    const double square = (graph.positions[edge.a] - graph.positions[edge.b]).squaredNorm();
    if (square == 0) continue;
    shortest[edge.a] = std::min(shortest[edge.a], square);
    shortest[edge.b] = std::min(shortest[edge.b], square);
  }
  double sum = 0;
  Index count = 0;
  for (double square : shortest) {
    if (square == none) continue;
    sum += std::sqrt(square);
    ++count;
  }
  return count ? sum / count : 0;
}

Aggregates box_aggregates(const LevelGraph& graph, const Vec3& corner, double cell) {
  Aggregates result = box_components(graph, corner, cell);
  std::vector<Index> size(result.count, 0);
  for (Index component : result.of)
    if (component >= 0) ++size[component];

  const Grouped<Link> links = links_of_tiny(graph, result, size);
  Sets sets(result.count);
  std::vector<double> strength(result.count);
  for (Index component = 0; component < result.count; ++component) {
    const Index self = sets.find(component);
    if (size[self] > tiny) continue;
    const Link* const begin = links.items.data() + links.first[component];
    const Link* const end = links.items.data() + links.first[component + 1];
    const Index other = strongest_neighbour(begin, end, self, sets, size, strength);
    if (other < 0) continue;
    const Index sum = size[self] + size[other];
    sets.unite(self, other);
    size[sets.find(self)] = sum;
  }

  std::vector<Index> number(result.count);
  Index count = 0;
  for (Index component = 0; component < result.count; ++component) {
    const Index root = sets.find(component);
    number[component] = root == component ? count++ : number[root];
  }
  for (Index& component : result.of)
    if (component >= 0) component = number[component];
  result.count = count;
  return result;
}

LevelGraph coarsen(const LevelGraph& fine, const Aggregates& aggregates) {
  LevelGraph coarse;
  coarse.positions.assign(aggregates.count, Vec3::Zero());
  coarse.mass.assign(aggregates.count, 0);
  coarse.anchor.assign(aggregates.count, 0);
  std::vector<Index> members(aggregates.count, 0);
  for (Index i = 0; i < fine.nodes(); ++i) {
    const Index c = aggregates.of[i];
    if (c < 0) continue;
    coarse.positions[c] += fine.positions[i];
    coarse.mass[c] += fine.mass[i];
    coarse.anchor[c] += fine.anchor[i];
    ++members[c];
  }
  for (Index c = 0; c < aggregates.count; ++c) coarse.positions[c] /= members[c];

  double fine_energy = 0, coarse_energy = 0;
  std::vector<Edge> crossing;
  crossing.reserve(fine.edges.size());
  for (const Edge& edge : fine.edges) {
    fine_energy += edge.weight * (fine.positions[edge.a] - fine.positions[edge.b]).squaredNorm();
    const Index a = aggregates.of[edge.a], b = aggregates.of[edge.b];
    if (a != b) crossing.push_back({std::min(a, b), std::max(a, b), edge.weight});
  }

  const Grouped<Edge> by_row = group(crossing, aggregates.count, [](const Edge& edge) { return edge.a; });
  std::vector<double> sums;
  std::vector<Index> slot(aggregates.count, -1);
  for (Index c = 0; c < aggregates.count; ++c) {
    const Index row_begin = Index(coarse.edges.size());
    for (Index k = by_row.first[c]; k < by_row.first[c + 1]; ++k) {
      const Edge& edge = by_row.items[k];
      if (slot[edge.b] < row_begin) {
        slot[edge.b] = Index(coarse.edges.size());
        coarse.edges.push_back(edge);
        sums.push_back(0);
      }
      sums[slot[edge.b]] += edge.weight;
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const Edge& edge = coarse.edges[k];
    coarse_energy += sums[k] * (coarse.positions[edge.a] - coarse.positions[edge.b]).squaredNorm();
  }

  // The ratio is .43 to .52 on volume graphs. The power .85 costs no iteration (6-lattices and BCC graphs up
  // to 100 000 nodes, to 1e-3 and 1e-6) and lowers the largest eigenvalue of B A, 1.83 to 1.59 at
  // h^2 lambda/m = 100: rough coarse modes overshoot less where B is iterated without CG. The bounds only
  // matter for positions that say nothing about the graph (all nodes in one place).
  const double ratio = coarse_energy > 0 ? fine_energy / coarse_energy : 1.0;
  const double scale = std::pow(std::clamp(ratio, 0.25, 1.0), 0.85);
  for (std::size_t k = 0; k < sums.size(); ++k) coarse.edges[k].weight = float(scale * sums[k]);
  for (double& anchor : coarse.anchor) anchor *= scale;
  return coarse;
}

}  // namespace pliant
