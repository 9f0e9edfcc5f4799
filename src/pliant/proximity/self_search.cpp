// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/self_search.hpp"

#include <algorithm>
#include <numeric>

namespace pliant {
namespace {

constexpr double share_of_rest = 0.9;  // of its distance at rest that a pair may keep
constexpr double touching = 1e-5;      // of the size: nearer at rest is as good as touching
// The clearance is measured with this reach, of delta: what is farther is as far as that.
constexpr double look = 4;
constexpr int longest_wait = 64;  // steps

/// Sets of vertices that grow together.
class Groups {
 public:
  explicit Groups(std::size_t count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), 0); }
  Index of(Index v) {
    while (leader_[std::size_t(v)] != v)
      v = leader_[std::size_t(v)] = leader_[std::size_t(leader_[std::size_t(v)])];
    return v;
  }
  void join(Index a, Index b) {
    a = of(a);
    b = of(b);
    leader_[std::size_t(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<Index> leader_;
};

double size_of(std::span<const Vec3> x, std::span<const Triangle> triangles) {
  MotionBox box;
  for (const Triangle& t : triangles)
    for (const Index v : t) box.add(x[std::size_t(v)]);
  return triangles.empty() ? 0 : (box.high - box.low).maxCoeff();
}

}  // namespace

SelfSearch::SelfSearch(std::span<const Vec3> rest, std::span<const Triangle> triangles)
    : rest_(rest.begin(), rest.end()),
      size_(size_of(rest, triangles)),
      surface_(rest, triangles),
      place_(rest.size(), -1) {
  leave_out_flaws(triangles);
}

/// A place: the vertices of edges and triangles that meet there, and their neighbours, because what lies beside a
/// crossing must move through it when the parts slide. Places with a common vertex are one.
void SelfSearch::leave_out_flaws(std::span<const Triangle> triangles) {
  std::vector<char> flawed(rest_.size(), 0);
  Groups groups(rest_.size());
  const auto add = [&](std::initializer_list<Index> vertices) {
    ++flaws_.crossings;
    for (const Index v : vertices) {
      flawed[std::size_t(v)] = 1;
      groups.join(*vertices.begin(), v);
    }
  };
  surface_.refit(rest_, rest_, 0.5 * touching * size_);
  crossing_search_.find_within(surface_, rest_, crossings_);
  for (const EdgeCrossing& c : crossings_) {
    const SurfaceEdge& e = surface_.edges()[std::size_t(c.edge)];
    const Triangle& t = triangles[std::size_t(c.triangle)];
    add({e[0], e[1], t[0], t[1], t[2]});
  }
  search_.find_within(surface_, found_);
  const double near = touching * size_;
  for (const auto [v, k] : found_.vertex_triangle) {
    const Triangle& t = triangles[std::size_t(k)];
    if (vertex_triangle_closest(vertex_triangle_points(rest_, v, rest_, t)).distance <= near)
      add({v, t[0], t[1], t[2]});
  }
  for (const auto [k, l] : found_.edge_edge) {
    const SurfaceEdge &e = surface_.edges()[std::size_t(k)], &f = surface_.edges()[std::size_t(l)];
    if (edge_edge_closest(edge_edge_points(rest_, e, rest_, f)).distance <= near)
      add({e[0], e[1], f[0], f[1]});
  }
  if (flaws_.crossings == 0) return;
  const std::vector<char> core = flawed;
  for (const SurfaceEdge& e : surface_.edges())
    for (const int k : {0, 1})
      if (core[std::size_t(e[k])]) {
        flawed[std::size_t(e[1 - k])] = 1;
        groups.join(e[k], e[1 - k]);
      }
  for (std::size_t v = 0; v < rest_.size(); ++v)
    if (flawed[v]) {
      place_[v] = groups.of(Index(v));
      flaws_.places += place_[v] == Index(v);
    }
}

void SelfSearch::find(std::span<const Vec3> begin, std::span<const Vec3> end, double reach,
                      PairCandidates& out) {
  Vec3 mean = Vec3::Zero();
  for (std::size_t v = 0; v < begin.size(); ++v) mean += (end[v] - begin[v]) / double(begin.size());
  shifted_.resize(end.size());
  for (std::size_t v = 0; v < end.size(); ++v) shifted_[v] = end[v] - mean;
  surface_.refit(begin, shifted_, reach);
  search_.find_within(surface_, out);
  if (flaws_.crossings == 0) return;
  std::erase_if(out.vertex_triangle, [&](const IndexPair& p) {
    return left_out(p.first, surface_.triangles()[std::size_t(p.second)]);
  });
  std::erase_if(out.edge_edge, [&](const IndexPair& p) {
    const SurfaceEdge &e = surface_.edges()[std::size_t(p.first)],
                      &f = surface_.edges()[std::size_t(p.second)];
    return left_out(e[0], e[1], f[0], f[1]);
  });
}

bool SelfSearch::crosses(std::span<const Vec3> x) {
  surface_.refit(x, x, 0);
  crossing_search_.find_within(surface_, x, crossings_);
  return std::any_of(crossings_.begin(), crossings_.end(), [&](const EdgeCrossing& c) {
    const SurfaceEdge& e = surface_.edges()[std::size_t(c.edge)];
    const Triangle& t = surface_.triangles()[std::size_t(c.triangle)];
    return c.meeting == Meeting::through && !(left_out(e[0], t) && left_out(e[1], t));
  });
}

double SelfSearch::kept(PairKind kind, const std::array<Index, 4>& vertex, double delta) const {
  PairPoints x;
  for (std::size_t k = 0; k < 4; ++k) x[k] = rest_[std::size_t(vertex[k])];
  return std::min(delta, share_of_rest * closest_points(kind, x).distance);
}

/// By how much pairs at x are farther apart than they keep, at least. Pairs that the search does not see are 2 `look`
/// delta apart or more.
void SelfSearch::remember(std::span<const Vec3> x, double delta) {
  find(x, x, look * delta, found_);
  double least = (2 * look - 1) * delta;
  const auto see = [&](PairKind kind, const std::array<Index, 4>& vertex) {
    PairPoints points;
    for (std::size_t k = 0; k < 4; ++k) points[k] = x[std::size_t(vertex[k])];
    const double distance = closest_points(kind, points).distance;
    if (distance - delta < least) least = std::min(least, distance - kept(kind, vertex, delta));
  };
  for (const auto [v, k] : found_.vertex_triangle) {
    const Triangle& t = surface_.triangles()[std::size_t(k)];
    see(PairKind::vertex_triangle, {v, t[0], t[1], t[2]});
  }
  for (const auto [k, l] : found_.edge_edge) {
    const SurfaceEdge &e = surface_.edges()[std::size_t(k)], &f = surface_.edges()[std::size_t(l)];
    see(PairKind::edge_edge, {e[0], e[1], f[0], f[1]});
  }
  clearance_.remember(x, least);
}

bool SelfSearch::clear(std::span<const Vec3> begin, std::span<const Vec3> end, double delta) {
  if (clearance_.bound(begin, end, delta) > 0) {
    patience_ = 0;
    return true;
  }
  if (wait_ > 0) {
    --wait_;
    return false;
  }
  remember(begin, delta);
  if (clearance_.bound(begin, end, delta) > 0) {
    patience_ = 0;
    return true;
  }
  wait_ = patience_ = std::min(longest_wait, std::max(1, 2 * patience_));
  return false;
}

}  // namespace pliant
