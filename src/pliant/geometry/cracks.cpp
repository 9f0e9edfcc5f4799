// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cracks.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "pliant/geometry/weld.hpp"

namespace pliant {
namespace {

constexpr double finest_weld = 2e-6, widest_weld = 1e-3;  // tolerances, of the diagonal
constexpr double next_tolerance = 1.7783;                 // a quarter of a decade
constexpr double short_against_edges = 0.1;               // tolerance over the mean border edge
constexpr double most_vanished = 0.05;                    // of the border edges, those of slivers
constexpr double most_closed = 0.5;                       // of the border edges, at least
constexpr double opposed_share =
    1.0 / 3;  // of joined pairs, that run against each other as neighbours do, at least

struct RimEdge {
  Index a, b;     ///< a < b
  bool backward;  ///< the face runs from b to a
  Index sliver;   ///< its face where that is a triangle; else -1
  bool operator<(const RimEdge& o) const { return a != o.a ? a < o.a : b < o.b; }
  bool same(const RimEdge& o) const { return a == o.a && b == o.b; }
};

/// Edges of all faces, those of one place side by side; edges without length are left out.
std::vector<RimEdge> edges_by_place(const PolygonMesh& mesh, const std::vector<Index>& faces,
                                    const std::vector<Index>& stands_for) {
  std::vector<RimEdge> edges;
  for (const Index f : faces) {
    const Index begin = mesh.face_begin[f], end = mesh.face_begin[f + 1];
    for (Index c = begin; c < end; ++c) {
      const Index from = stands_for[mesh.corner[c]],
                  to = stands_for[mesh.corner[c + 1 < end ? c + 1 : begin]];
      if (from != to)
        edges.push_back({std::min(from, to), std::max(from, to), to < from, end - begin == 3 ? f : -1});
    }
  }
  std::stable_sort(edges.begin(), edges.end());
  return edges;
}

template <class Visit>
void for_places(const std::vector<RimEdge>& edges, Visit&& visit) {
  for (std::size_t k = 0; k < edges.size();) {
    std::size_t end = k + 1;
    while (end < edges.size() && edges[end].same(edges[k])) ++end;
    visit(k, end);
    k = end;
  }
}

std::vector<RimEdge> rims_of(const std::vector<RimEdge>& edges) {
  std::vector<RimEdge> out;
  for_places(edges, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 1) out.push_back(edges[begin]);
  });
  return out;
}

/// What a weld does to the borders.
struct Outcome {
  Index vanished = 0;  ///< edges of a border that have no length any more
  Index open = 0, pairs = 0, opposed = 0, crowded = 0;
};

Outcome outcome_of(const std::vector<RimEdge>& borders, const std::vector<Index>& now) {
  Outcome out;
  // A triangle of which a side has vanished is two sides in one place: nothing.
  std::unordered_set<Index> slivers;
  for (const RimEdge& e : borders) {
    if (now[e.a] != now[e.b]) continue;
    ++out.vanished;
    if (e.sliver >= 0) slivers.insert(e.sliver);
  }
  std::vector<RimEdge> edges;
  for (const RimEdge& e : borders) {
    const Index a = now[e.a], b = now[e.b];
    if (a != b && !slivers.contains(e.sliver))
      edges.push_back({std::min(a, b), std::max(a, b), (a < b) == e.backward, e.sliver});
  }
  std::stable_sort(edges.begin(), edges.end());
  for_places(edges, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 1) ++out.open;
    if (end - begin > 2) ++out.crowded;
    if (end - begin != 2) return;
    ++out.pairs;
    out.opposed += edges[begin].backward != edges[begin + 1].backward;
  });
  return out;
}

}  // namespace

Cracks close_cracks(const PolygonMesh& mesh, const std::vector<Index>& faces, double diagonal,
                    std::vector<Index>& stands_for) {
  const std::vector<RimEdge> borders = rims_of(edges_by_place(mesh, faces, stands_for));
  if (borders.empty()) return {};
  std::vector<char> at_border(mesh.vertices.size(), 0);
  double length = 0;
  for (const RimEdge& e : borders) {
    at_border[e.a] = at_border[e.b] = 1;
    length += (mesh.vertices[e.b] - mesh.vertices[e.a]).norm() / double(borders.size());
  }
  Cracks best;
  std::vector<Index> best_weld;
  const double most = std::min(widest_weld * diagonal, short_against_edges * length);
  for (double tolerance = finest_weld * diagonal; tolerance <= most; tolerance *= next_tolerance) {
    std::vector<Index> now = weld(mesh.vertices, at_border, tolerance);
    const Outcome outcome = outcome_of(borders, now);
    if (outcome.vanished > most_vanished * double(borders.size())) break;
    const Index closed = Index(borders.size()) - outcome.open;
    const bool good = double(closed) >= most_closed * double(borders.size()) && closed > best.closed &&
                      100 * outcome.crowded <= outcome.pairs &&
                      double(outcome.opposed) >= opposed_share * double(outcome.pairs);
    if (!good) continue;
    best = {tolerance, closed};
    best_weld = std::move(now);
  }
  if (best.closed > 0)
    for (Index& v : stands_for)
      if (v >= 0 && at_border[v]) v = best_weld[v];
  return best;
}

}  // namespace pliant
