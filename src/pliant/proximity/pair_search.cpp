// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/pair_search.hpp"

#include <algorithm>

namespace pliant {
namespace {

bool share_a_vertex(const SurfaceEdge& a, const SurfaceEdge& b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

/// Sorts pairs that differ: by counting the first, then each short run by the second.
void sort_pairs(std::vector<IndexPair>& pairs, std::vector<Index>& places, std::vector<IndexPair>& sorting) {
  if (pairs.size() < 2) return;
  Index most = 0;
  for (const IndexPair& p : pairs) most = std::max(most, p.first);
  places.assign(std::size_t(most) + 2, 0);
  for (const IndexPair& p : pairs) ++places[p.first + 1];
  for (Index k = 0; k <= most; ++k) places[k + 1] += places[k];
  sorting.assign(pairs.begin(), pairs.end());
  for (const IndexPair& p : sorting) pairs[places[p.first]++] = p;
  for (auto run = pairs.begin(); run != pairs.end();) {
    auto end = run + 1;
    while (end != pairs.end() && end->first == run->first) ++end;
    std::sort(run, end);
    run = end;
  }
}

}  // namespace

void PairSearch::find(const MovingSurface& first, const MovingSurface& second, PairCandidates& out) {
  out.clear();
  first.tree().pairs_with(second.tree(), triangles_);
  for (const auto [a, b] : triangles_) {
    const MotionBox& box = second.triangle_box(b);
    for (const Index v : first.own_vertices(a))
      if (first.vertex_box(v).overlaps(box)) out.vertex_triangle.push_back({v, b});
    for (const Index v : second.own_vertices(b))
      if (first.triangle_box(a).overlaps(second.vertex_box(v))) out.triangle_vertex.push_back({a, v});
    for (const Index e : first.own_edges(a)) {
      const MotionBox edge = first.edge_box(e);
      if (!edge.overlaps(box)) continue;
      for (const Index f : second.own_edges(b))
        if (edge.overlaps(second.edge_box(f))) out.edge_edge.push_back({e, f});
    }
  }
  sort_pairs(out.vertex_triangle, places_, sorting_);
  sort_pairs(out.triangle_vertex, places_, sorting_);
  sort_pairs(out.edge_edge, places_, sorting_);
}

void PairSearch::find_within(const MovingSurface& surface, PairCandidates& out) {
  out.clear();
  const auto offer_vertices = [&](Index owner, Index triangle) {
    for (const Index v : surface.own_vertices(owner))
      if (!has_vertex(surface.triangles()[triangle], v) &&
          surface.vertex_box(v).overlaps(surface.triangle_box(triangle)))
        out.vertex_triangle.push_back({v, triangle});
  };
  surface.tree().pairs_within(triangles_);
  for (const auto [a, b] : triangles_) {
    offer_vertices(a, b);
    offer_vertices(b, a);
    for (const Index e : surface.own_edges(a)) {
      const MotionBox edge = surface.edge_box(e);
      if (!edge.overlaps(surface.triangle_box(b))) continue;
      for (const Index f : surface.own_edges(b))
        if (!share_a_vertex(surface.edges()[e], surface.edges()[f]) && edge.overlaps(surface.edge_box(f)))
          out.edge_edge.push_back({std::min(e, f), std::max(e, f)});
    }
  }
  sort_pairs(out.vertex_triangle, places_, sorting_);
  sort_pairs(out.edge_edge, places_, sorting_);
}

PairPoints vertex_triangle_points(std::span<const Vec3> x, Index vertex, std::span<const Vec3> y,
                                  const Triangle& triangle) {
  return {x[vertex], y[triangle[0]], y[triangle[1]], y[triangle[2]]};
}

PairPoints edge_edge_points(std::span<const Vec3> x, const SurfaceEdge& first, std::span<const Vec3> y,
                            const SurfaceEdge& second) {
  return {x[first[0]], x[first[1]], y[second[0]], y[second[1]]};
}

}  // namespace pliant
