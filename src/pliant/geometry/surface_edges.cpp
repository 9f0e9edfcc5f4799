// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/surface_edges.hpp"

#include <algorithm>
#include <numeric>

namespace pliant {
namespace {

class DisjointSets {
 public:
  explicit DisjointSets(Index count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// False if they were one already.
  bool join(Index i, Index j) {
    i = find(i);
    j = find(j);
    parent_[std::max(i, j)] = std::min(i, j);
    return i != j;
  }

 private:
  std::vector<Index> parent_;
};

struct HalfEdge {
  Index to;  ///< the higher vertex
  Index index;
};

/// Half-edges in buckets of their lower vertex, each bucket by the higher one.
struct Buckets {
  std::vector<Index> begin;
  std::vector<HalfEdge> half_edges;

  Buckets(Index vertices, const std::vector<Triangle>& triangles)
      : begin(vertices + 1, 0), half_edges(3 * triangles.size()) {
    const auto each = [&](auto&& visit) {
      for (Index t = 0; t < Index(triangles.size()); ++t)
        for (int k = 0; k < 3; ++k) {
          const auto [low, high] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
          visit(low, HalfEdge{high, 3 * t + k});
        }
    };
    each([&](Index low, const HalfEdge&) { ++begin[low + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Index> place(begin.begin(), begin.end() - 1);
    each([&](Index low, const HalfEdge& half_edge) { half_edges[place[low]++] = half_edge; });
    for (Index v = 0; v < vertices; ++v)
      std::sort(half_edges.begin() + begin[v], half_edges.begin() + begin[v + 1],
                [](const HalfEdge& a, const HalfEdge& b) {
                  return a.to != b.to ? a.to < b.to : a.index < b.index;
                });
  }
};

/// Independent cycles of the graph of border edges: one a loop, also where loops touch in a vertex. A chain
/// that ends at a non-manifold edge counts as one.
Index count_loops(Index vertices, const std::vector<std::pair<Index, Index>>& edges) {
  DisjointSets sets(vertices);
  std::vector<std::pair<Index, Index>> closing;
  for (const auto& edge : edges)
    if (!sets.join(edge.first, edge.second)) closing.push_back(edge);
  std::vector<Index> cycles(vertices, 0);
  for (const auto& edge : closing) ++cycles[sets.find(edge.first)];
  std::vector<char> seen(vertices, 0);
  Index loops = 0;
  for (const auto& edge : edges) {
    const Index root = sets.find(edge.first);
    if (!seen[root]) loops += std::max<Index>(1, cycles[root]);
    seen[root] = 1;
  }
  return loops;
}

}  // namespace

SurfaceEdges surface_edges(Index vertices, const std::vector<Triangle>& triangles) {
  const Buckets buckets(vertices, triangles);
  SurfaceEdges edges;
  edges.mate.assign(3 * triangles.size(), SurfaceEdges::border);
  std::vector<std::pair<Index, Index>> border;
  for (Index v = 0; v < vertices; ++v) {
    const HalfEdge* const end = buckets.half_edges.data() + buckets.begin[v + 1];
    for (const HalfEdge* e = buckets.half_edges.data() + buckets.begin[v]; e < end;) {
      const HalfEdge* last = e;
      while (last < end && last->to == e->to) ++last;
      if (last - e == 1) {
        border.emplace_back(v, e->to);
      } else if (last - e == 2) {
        edges.mate[e[0].index] = e[1].index;
        edges.mate[e[1].index] = e[0].index;
      } else {
        ++edges.non_manifold_edges;
        for (const HalfEdge* i = e; i < last; ++i) edges.mate[i->index] = SurfaceEdges::non_manifold;
      }
      e = last;
    }
  }
  edges.border_edges = Index(border.size());
  edges.border_loops = count_loops(vertices, border);
  return edges;
}

std::vector<Index> components_by_vertex(Index vertices, const std::vector<Triangle>& triangles) {
  DisjointSets sets(vertices);
  for (const Triangle& t : triangles) {
    sets.join(t[0], t[1]);
    sets.join(t[1], t[2]);
  }
  std::vector<Index> number(vertices, -1), component(triangles.size());
  Index count = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Index& mine = number[sets.find(triangles[t][0])];
    if (mine < 0) mine = count++;
    component[t] = mine;
  }
  return component;
}

}  // namespace pliant
