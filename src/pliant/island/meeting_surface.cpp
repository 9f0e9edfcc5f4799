// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/meeting_surface.hpp"

#include <algorithm>

namespace pliant {

MeetingSurface::MeetingSurface(std::span<const Vec3> rest, std::span<const Triangle> triangles)
    : moving_(rest, triangles), first_(rest.size() + 1, 0), beside_(moving_.edges().size(), {-1, -1}) {
  MotionBox box;
  for (const Triangle& t : triangles)
    for (const Index v : t) box.add(rest[std::size_t(v)]);
  if (!triangles.empty()) size_ = (box.high - box.low).maxCoeff();
  for (const SurfaceEdge& e : moving_.edges()) {
    mean_edge_ += (rest[std::size_t(e[1])] - rest[std::size_t(e[0])]).norm() / double(moving_.edges().size());
    for (const Index v : e) ++first_[std::size_t(v) + 1];
  }
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  neighbour_.resize(2 * moving_.edges().size());
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (const SurfaceEdge& e : moving_.edges())
    for (const int k : {0, 1}) neighbour_[std::size_t(next[std::size_t(e[k])]++)] = e[1 - k];
  find_components();
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      if (a == b) continue;
      std::array<Index, 2>& beside = beside_[std::size_t(edge_between(a, b))];
      (beside[0] < 0 ? beside[0] : beside[1]) = t[(k + 2) % 3];
    }
}

void MeetingSurface::find_components() {
  component_.assign(first_.size() - 1, -1);
  std::vector<Index> waiting;
  for (Index v = 0; v < Index(component_.size()); ++v) {
    if (component_[std::size_t(v)] >= 0) continue;
    component_[std::size_t(v)] = v;
    waiting.push_back(v);
    while (!waiting.empty()) {
      const Index at = waiting.back();
      waiting.pop_back();
      for (const Index next : beside_vertex(at))
        if (component_[std::size_t(next)] < 0) {
          component_[std::size_t(next)] = v;
          waiting.push_back(next);
        }
    }
  }
}

Index MeetingSurface::edge_between(Index a, Index b) const {
  const std::span<const SurfaceEdge> edges = moving_.edges();
  const SurfaceEdge wanted{std::min(a, b), std::max(a, b)};
  return Index(std::lower_bound(edges.begin(), edges.end(), wanted) - edges.begin());
}

}  // namespace pliant
