// SPDX-License-Identifier: Apache-2.0
// What the nodes show: the embedded surface, and whether cells have turned inside out.
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/math/parallel_gather.hpp"
#include "pliant/methods/geometric/body.hpp"

namespace pliant::geometric {
namespace {

/// The volume spanned at corner c by the three cell edges that meet there, positive as at rest.
double corner_jacobian(const Points& x, const std::array<Index, 8>& cell, int c) {
  const Vec3 edge[3] = {x[cell[c ^ 1]] - x[cell[c]], x[cell[c ^ 2]] - x[cell[c]],
                        x[cell[c ^ 4]] - x[cell[c]]};
  // Each axis whose bit is set is walked backwards.
  const double sign = __builtin_popcount(unsigned(c)) % 2 ? -1 : 1;
  return sign * edge[0].cross(edge[1]).dot(edge[2]);
}

}  // namespace

void Body::surface(std::span<Vec3> vertices) const { gather(skin_.embedding, state_.nodes.x, vertices); }

void Body::surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const {
  gather(skin_.embedding, state_.nodes.x, vertices, pool);
}

void Body::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  PLIANT_CHECK(node_forces.size() == nodes().x.size());
  scatter_add(skin_.embedding, surface_forces, node_forces);
}

bool Body::activity(std::span<float> vertices) const {
  const Gather& w = skin_.embedding;
  PLIANT_CHECK(Index(vertices.size()) == w.rows());
  for (Index v = 0; v < w.rows(); ++v) {
    double active = 0, all = 0;
    for (Index k = w.begin[v]; k < w.begin[v + 1]; ++k) {
      all += std::abs(w.weight[k]);
      active += std::abs(w.weight[k]) * cache_.sweeps.is_active(cache_.arrangement.place[w.column[k]]);
    }
    vertices[std::size_t(v)] = all > 0 ? float(active / all) : 0.0f;
  }
  return true;
}

std::optional<int> Body::inverted_cells() const {
  if (skin_.cells.empty()) return std::nullopt;
  return geometric::inverted_cells(skin_, state_.nodes.x);
}

int inverted_cells(const Skin& skin, const Points& x) {
  int count = 0;
  for (const auto& cell : skin.cells) {
    bool inverted = false;
    for (int c = 0; c < 8; ++c) inverted |= !(corner_jacobian(x, cell, c) > 0);
    count += inverted;
  }
  return count;
}

}  // namespace pliant::geometric
