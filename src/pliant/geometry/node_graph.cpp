// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/node_graph.hpp"

#include <algorithm>

#include <numeric>

namespace pliant {

Adjacency adjacency(Index nodes, const std::vector<NodeGraph::Edge>& edges) {
  Adjacency out;
  out.begin.assign(std::size_t(nodes) + 1, 0);
  for (const auto& e : edges) ++out.begin[e.a + 1], ++out.begin[e.b + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.target.resize(out.begin.back());
  out.edge.resize(out.begin.back());
  std::vector<Index> next(out.begin.begin(), out.begin.end() - 1);
  const auto put = [&](Index from, Index to, Index edge) {
    out.target[next[from]] = to;
    out.edge[next[from]++] = edge;
  };
  // Edges are sorted by (a, b): first every node's lower neighbours arrive, then the higher ones, both
  // ascending.
  for (std::size_t k = 0; k < edges.size(); ++k) put(edges[k].b, edges[k].a, Index(k));
  for (std::size_t k = 0; k < edges.size(); ++k) put(edges[k].a, edges[k].b, Index(k));
  return out;
}

std::vector<Index> components(Index nodes, const std::vector<NodeGraph::Edge>& edges) {
  const Adjacency adj = adjacency(nodes, edges);
  std::vector<Index> label(nodes, -1), stack;
  Index count = 0;
  for (Index start = 0; start < nodes; ++start) {
    if (label[start] >= 0) continue;
    stack.assign(1, start);
    label[start] = count;
    while (!stack.empty()) {
      const Index i = stack.back();
      stack.pop_back();
      for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
        if (label[adj.target[k]] < 0) label[adj.target[k]] = count, stack.push_back(adj.target[k]);
    }
    ++count;
  }
  return label;
}

bool is_connected(const NodeGraph& graph) {
  const std::vector<Index> label = components(Index(graph.positions.size()), graph.edges);
  return std::all_of(label.begin(), label.end(), [](Index l) { return l == 0; });
}

}  // namespace pliant
