// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/moving_surface.hpp"

#include <algorithm>
#include <utility>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

SurfaceEdge edge_of(const Triangle& triangle, int k) {
  const Index i = triangle[k], j = triangle[(k + 1) % 3];
  return {std::min(i, j), std::max(i, j)};
}

std::vector<SurfaceEdge> edges_of(std::span<const Triangle> triangles) {
  std::vector<SurfaceEdge> edges;
  edges.reserve(3 * triangles.size());
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k)
      if (const SurfaceEdge edge = edge_of(t, k); edge[0] != edge[1]) edges.push_back(edge);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::span<const Index> part(const std::vector<Index>& list, const std::vector<Index>& first, Index k) {
  return std::span(list).subspan(first[k], first[k + 1] - first[k]);
}

}  // namespace

MovingSurface::MovingSurface(std::span<const Vec3> rest, std::span<const Triangle> triangles)
    : triangles_(triangles.begin(), triangles.end()),
      edges_(edges_of(triangles)),
      boxes_(rest.size()),
      triangle_boxes_(triangles.size()) {
  std::vector<char> vertex_taken(rest.size(), 0), edge_taken(edges_.size(), 0);
  for (const Triangle& t : triangles_) {
    first_vertex_.push_back(Index(own_vertices_.size()));
    first_edge_.push_back(Index(own_edges_.size()));
    for (int k = 0; k < 3; ++k) {
      PLIANT_CHECK(t[k] >= 0 && t[k] < Index(rest.size()));
      if (!std::exchange(vertex_taken[t[k]], 1)) own_vertices_.push_back(t[k]);
      const SurfaceEdge edge = edge_of(t, k);
      if (edge[0] == edge[1]) continue;
      const Index e = Index(std::lower_bound(edges_.begin(), edges_.end(), edge) - edges_.begin());
      if (!std::exchange(edge_taken[e], 1)) own_edges_.push_back(e);
    }
  }
  first_vertex_.push_back(Index(own_vertices_.size()));
  first_edge_.push_back(Index(own_edges_.size()));
  bound(rest, rest, 0);
  tree_ = BoxTree(triangle_boxes_);
}

void MovingSurface::refit(std::span<const Vec3> begin, std::span<const Vec3> end, double grow) {
  bound(begin, end, grow);
  tree_.refit(triangle_boxes_);
}

void MovingSurface::bound(std::span<const Vec3> begin, std::span<const Vec3> end, double grow) {
  PLIANT_CHECK(begin.size() == boxes_.size() && end.size() == boxes_.size() && grow >= 0);
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    boxes_[i].low = begin[i].cwiseMin(end[i]).array() - grow;
    boxes_[i].high = begin[i].cwiseMax(end[i]).array() + grow;
  }
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    MotionBox box = boxes_[triangles_[t][0]];
    box.add(boxes_[triangles_[t][1]]);
    box.add(boxes_[triangles_[t][2]]);
    triangle_boxes_[t] = box;
  }
}

std::span<const Index> MovingSurface::own_vertices(Index triangle) const {
  return part(own_vertices_, first_vertex_, triangle);
}

std::span<const Index> MovingSurface::own_edges(Index triangle) const {
  return part(own_edges_, first_edge_, triangle);
}

MotionBox MovingSurface::edge_box(Index edge) const {
  MotionBox box = boxes_[edges_[edge][0]];
  box.add(boxes_[edges_[edge][1]]);
  return box;
}

}  // namespace pliant
