// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/selection.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"

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
    return (X - half.point).dot(half.normal.normalized()) >= -slack;
  }
  bool operator()(const SelectVertices&) const { return false; }
};

std::vector<Index> carriers(const SelectVertices& vertices, const Gather& embedding) {
  std::vector<Index> nodes;
  for (const int vertex : vertices.indices) {
    if (vertex < 0 || vertex >= embedding.rows()) continue;
    for (Index k = embedding.begin[vertex]; k < embedding.begin[vertex + 1]; ++k)
      if (embedding.weight[k] != 0) nodes.push_back(embedding.column[k]);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

Bounds bounds_of(const Points& points) {
  PLIANT_CHECK(!points.empty());
  Bounds bounds{points.front(), points.front()};
  for (const Vec3& p : points) {
    bounds.min = bounds.min.cwiseMin(p);
    bounds.max = bounds.max.cwiseMax(p);
  }
  return bounds;
}

std::vector<Index> select_nodes(const Selector& selector, const Shape& shape) {
  if (const auto* vertices = std::get_if<SelectVertices>(&selector.is))
    return carriers(*vertices, shape.embedding);
  const Points& X = shape.graph.positions;
  const Bounds bounds = bounds_of(X);
  const double slack = 1e-9 * (bounds.max - bounds.min).norm();
  std::vector<Index> nodes;
  for (Index i = 0; i < Index(X.size()); ++i)
    if (std::visit(Holds{X[i], slack}, selector.is)) nodes.push_back(i);
  return nodes;
}

}  // namespace pliant
