// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/shell_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

namespace pliant {
namespace {

using Pair = std::array<Index, 2>;
constexpr Index least_nodes = 8;  // of a part that has so many vertices

double triangle_area(const Points& x, const Triangle& t) {
  return 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
}

/// A surface of its own: only vertices that a triangle with area uses.
struct Sheet {
  Points x;
  std::vector<Index> origin;  ///< vertex of the caller, -1 = made by refinement
  std::vector<Triangle> triangles;
};

Sheet extract(const Points& vertices, const std::vector<Triangle>& triangles) {
  Sheet sheet;
  std::vector<Index> now(vertices.size(), -1);
  // Triangles without area would refine into edges without length. A surface of nothing else keeps them.
  const bool flat = std::none_of(triangles.begin(), triangles.end(),
                                 [&](const Triangle& t) { return triangle_area(vertices, t) > 1e-14; });
  for (Triangle t : triangles) {
    if (!flat && !(triangle_area(vertices, t) > 1e-14)) continue;
    for (Index& v : t) {
      if (now[v] < 0) {
        now[v] = Index(sheet.x.size());
        sheet.x.push_back(vertices[v]);
        sheet.origin.push_back(v);
      }
      v = now[v];
    }
    sheet.triangles.push_back(t);
  }
  return sheet;
}

std::vector<Pair> mesh_edges(const std::vector<Triangle>& triangles) {
  std::vector<Pair> edges;
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k)
      edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Every triangle becomes four.
void refine(Sheet& sheet) {
  const std::vector<Pair> edges = mesh_edges(sheet.triangles);
  const Index first = Index(sheet.x.size());
  for (const Pair& e : edges) {
    sheet.x.push_back(0.5 * (sheet.x[e[0]] + sheet.x[e[1]]));
    sheet.origin.push_back(-1);
  }
  const auto middle = [&](Index a, Index b) {
    const Pair key{std::min(a, b), std::max(a, b)};
    return first + Index(std::lower_bound(edges.begin(), edges.end(), key) - edges.begin());
  };
  std::vector<Triangle> triangles;
  for (const Triangle& t : sheet.triangles) {
    const Index ab = middle(t[0], t[1]), bc = middle(t[1], t[2]), ca = middle(t[2], t[0]);
    triangles.insert(triangles.end(), {{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}});
  }
  sheet.triangles = std::move(triangles);
}

/// Distances along the edges from the nodes chosen so far, and whose they are.
class Front {
 public:
  Front(const Sheet& sheet, const Adjacency& adj)
      : sheet_(sheet),
        adj_(adj),
        distance_(sheet.x.size(), std::numeric_limits<double>::infinity()),
        owner_(sheet.x.size(), -1) {}
  void spread(Index vertex, Index node) {
    std::priority_queue<std::pair<double, Index>, std::vector<std::pair<double, Index>>, std::greater<>>
        queue;
    distance_[vertex] = 0, owner_[vertex] = node;
    queue.push({0, vertex});
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > distance_[v]) continue;
      for (Index k = adj_.begin[v]; k < adj_.begin[v + 1]; ++k) {
        const Index u = adj_.target[k];
        const double there = d + (sheet_.x[u] - sheet_.x[v]).norm();
        if (there < distance_[u]) distance_[u] = there, owner_[u] = node, queue.push({there, u});
      }
    }
  }
  double distance(Index v) const { return distance_[v]; }
  Index owner(Index v) const { return owner_[v]; }

 private:
  const Sheet& sheet_;
  const Adjacency& adj_;
  std::vector<double> distance_;
  std::vector<Index> owner_;
};

/// Vertices no nearer than `radius` along the surface, every part represented by some: nodes that lie in a
/// plane or a line cannot carry what lies beside it.
std::vector<Index> thin_out(const Sheet& sheet, const std::vector<Index>& part, double radius, Front& front) {
  std::vector<Index> chosen;
  const auto choose = [&](Index v) { front.spread(v, Index(chosen.size())), chosen.push_back(v); };
  for (Index v = 0; v < Index(sheet.x.size()); ++v)
    if (front.distance(v) >= radius) choose(v);
  std::vector<Index> count(std::size_t(*std::max_element(part.begin(), part.end())) + 1, 0);
  for (const Index v : chosen) ++count[part[v]];
  for (Index p = 0; p < Index(count.size()); ++p)
    for (; count[p] < least_nodes; ++count[p]) {
      Index farthest = -1;
      for (Index v = 0; v < Index(sheet.x.size()); ++v)
        if (part[v] == p && front.distance(v) > 0 &&
            (farthest < 0 || front.distance(v) > front.distance(farthest)))
          farthest = v;
      if (farthest < 0) break;
      choose(farthest);
    }
  return chosen;
}

/// All pairs of parts with few nodes: a mesh of so few edges may be a chain.
std::vector<Pair> small_parts(Index nodes, const std::vector<NodeGraph::Edge>& edges) {
  const std::vector<Index> label = components(nodes, edges);
  std::vector<std::vector<Index>> members(std::size_t(*std::max_element(label.begin(), label.end())) + 1);
  for (Index i = 0; i < nodes; ++i) members[label[i]].push_back(i);
  std::vector<Pair> pairs;
  for (const auto& part : members)
    for (std::size_t k = 0; part.size() <= std::size_t(least_nodes) && k < part.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) pairs.push_back({part[l], part[k]});
  return pairs;
}

/// The nodes a vertex of the sheet leans on: its owner alone where it is that node, else the nearest of the
/// two rings around it.
std::vector<Index> leaned_on(const Vec3& x, Index owner, bool is_node, const NodeGraph& graph,
                             const Adjacency& near) {
  constexpr std::size_t most = 9;
  std::vector<Index> nodes{owner};
  if (is_node) return nodes;
  nodes.insert(nodes.end(), near.target.begin() + near.begin[owner],
               near.target.begin() + near.begin[owner + 1]);
  std::sort(nodes.begin(), nodes.end(), [&](Index i, Index j) {
    const double di = (graph.positions[i] - x).squaredNorm(), dj = (graph.positions[j] - x).squaredNorm();
    return di != dj ? di < dj : i < j;
  });
  if (nodes.size() > most) nodes.resize(most);
  return nodes;
}

}  // namespace

BodyGraph shell_graph(const Points& vertices, const std::vector<Triangle>& triangles, int budget) {
  Sheet sheet = extract(vertices, triangles);
  while (Index(sheet.x.size()) < std::min(budget / 4, 500)) refine(sheet);

  std::vector<NodeGraph::Edge> mesh = edges_of(mesh_edges(sheet.triangles));
  const Index count = Index(sheet.x.size());
  const Adjacency adj = adjacency(count, mesh);
  const std::vector<Index> part = components(count, mesh);
  std::vector<double> area(sheet.x.size(), 0);
  for (const Triangle& t : sheet.triangles)
    for (const Index v : t) area[v] += triangle_area(sheet.x, t) / 3;
  const double total = std::accumulate(area.begin(), area.end(), 0.0);

  // Within the budget every vertex is a node, but for those much nearer than the others: a short edge is
  // stiff.
  const double even = std::sqrt(total / std::min<double>(budget, count));
  Front front(sheet, adj);
  const std::vector<Index> chosen =
      thin_out(sheet, part, count <= budget ? 0.25 * even : std::sqrt(1.1) * even, front);

  BodyGraph out;
  out.spacing = even;
  NodeGraph& graph = out.graph;
  for (const Index v : chosen) graph.positions.push_back(sheet.x[v]);
  graph.volumes.assign(chosen.size(), 0);
  for (Index v = 0; v < count; ++v) graph.volumes[front.owner(v)] += area[v];
  floor_and_scale(graph.volumes, 0.05, total);

  std::vector<Pair> pairs;
  for (const auto& e : mesh) pairs.push_back({front.owner(e.a), front.owner(e.b)});
  const auto first_ring = edges_of(pairs);
  const auto farther = second_ring(Index(chosen.size()), first_ring);
  pairs.insert(pairs.end(), farther.begin(), farther.end());
  const auto among_few = small_parts(Index(chosen.size()), first_ring);
  pairs.insert(pairs.end(), among_few.begin(), among_few.end());
  graph.edges = edges_of(pairs);
  calibrate_shares(graph, 2);
  out.lattice_nodes = Index(chosen.size());

  const Adjacency near = adjacency(Index(chosen.size()), graph.edges);
  std::vector<Index> at(vertices.size(), -1);
  for (Index v = 0; v < count; ++v)
    if (sheet.origin[v] >= 0) at[sheet.origin[v]] = v;
  for (Index v = 0; v < Index(vertices.size()); ++v) {
    if (at[v] >= 0) {
      const Index owner = front.owner(at[v]);
      const std::vector<Index> nodes = leaned_on(vertices[v], owner, chosen[owner] == at[v], graph, near);
      out.leaning.node.insert(out.leaning.node.end(), nodes.begin(), nodes.end());
    }
    out.leaning.begin.push_back(Index(out.leaning.node.size()));
  }
  return out;
}

}  // namespace pliant
