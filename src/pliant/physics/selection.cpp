// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/geometry/check_geometry.hpp"

namespace pliant {
namespace {

/// Is a rest position selected?
struct Holds {
  const Vec3& X;
  double slack;
  bool operator()(const SelectAll& all) const { return all.yes; }
  bool operator()(const SelectBox& box) const {
    const Vec3 low = box.corners[0].cwiseMin(box.corners[1]), high = box.corners[0].cwiseMax(box.corners[1]);
    return ((X - low).array() >= -slack).all() && ((high - X).array() >= -slack).all();
  }
  bool operator()(const SelectSphere& sphere) const {
    return (X - sphere.center).norm() <= sphere.radius + slack;
  }
  bool operator()(const SelectHalfspace& half) const {
    if (!(half.normal.squaredNorm() > 0)) return false;
    return (X - half.point).dot(half.normal.normalized()) >= -slack;
  }
  bool operator()(const SelectVertices&) const { return false; }
};

/// The nodes that mainly carry the vertices: an embedded vertex has small weights on dozens of nodes farther
/// away, and holding those would hold a whole region.
std::vector<Index> carriers(const std::vector<int>& vertices, const Gather& embedding) {
  std::vector<Index> nodes;
  for (const int vertex : vertices) {
    if (vertex < 0 || vertex >= embedding.rows()) continue;
    const Index begin = embedding.begin[vertex], end = embedding.begin[vertex + 1];
    double most = 0;
    for (Index k = begin; k < end; ++k) most = std::max(most, embedding.weight[k]);
    for (Index k = begin; k < end; ++k)
      if (embedding.weight[k] > 0 && embedding.weight[k] >= 0.5 * most) nodes.push_back(embedding.column[k]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// The nodes of a mesh lie under its surface, those of lattices on it.
bool on_mesh(const Shape& shape) { return !shape.touching.empty(); }

/// How deep the outermost layer of nodes may lie under a face of a mesh: 0.3 of the lattice constant
/// (geometry/lattice.cpp), the next layer being half a constant deeper.
double node_depth(const Shape& shape) {
  if (!on_mesh(shape) || !shape.graph.triangles.empty()) return 0;
  const auto& volumes = shape.graph.volumes;
  const double volume = std::accumulate(volumes.begin(), volumes.end(), 0.0);
  return 0.31 * std::cbrt(2 * volume / double(volumes.size()));
}

}  // namespace

bool selects(const Selector& selector, const Vec3& place, double slack) {
  return std::visit(Holds{place, slack}, selector.is);
}

Bounds bounds_of(const Points& points) {
  if (points.empty()) return {};
  Bounds bounds{points.front(), points.front()};
  for (const Vec3& p : points) {
    bounds.min = bounds.min.cwiseMin(p);
    bounds.max = bounds.max.cwiseMax(p);
  }
  return bounds;
}

std::vector<Index> select_nodes(const Selector& selector, const Shape& shape) {
  if (shape.graph.positions.empty() || !check_shape(shape).empty()) return {};
  if (const auto* vertices = std::get_if<SelectVertices>(&selector.is))
    return carriers(vertices->indices, shape.embedding);
  const Points& X = shape.graph.positions;
  const Bounds bounds = bounds_of(X);
  const double size = (bounds.max - bounds.min).norm(), round_off = 1e-9 * size;
  const double slack = round_off + node_depth(shape);
  std::vector<Index> nodes;
  for (Index i = 0; i < Index(X.size()); ++i)
    if (std::visit(Holds{X[i], slack}, selector.is)) nodes.push_back(i);
  if (!nodes.empty() || !on_mesh(shape)) return nodes;
  std::vector<int> vertices;
  for (const Index v : shape.touching)
    if (std::visit(Holds{shape.surface.vertices[std::size_t(v)], round_off}, selector.is))
      vertices.push_back(v);
  return carriers(vertices, shape.embedding);
}

}  // namespace pliant
