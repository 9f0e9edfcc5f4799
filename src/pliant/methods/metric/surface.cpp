// SPDX-License-Identifier: Apache-2.0
// What the nodes show: the embedded surface, and whether cells have turned inside out.
#include "pliant/base/check.hpp"
#include "pliant/math/parallel_gather.hpp"
#include "pliant/methods/metric/body.hpp"

namespace pliant::metric {

void Body::surface(std::span<Vec3> vertices) const { gather(skin_.embedding, state_.nodes.x, vertices); }

void Body::surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const {
  gather(skin_.embedding, state_.nodes.x, vertices, pool);
}

void Body::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  PLIANT_CHECK(node_forces.size() == nodes().x.size());
  scatter_add(skin_.embedding, surface_forces, node_forces);
}

std::optional<int> Body::inverted_cells() const {
  if (model_.cells.empty()) return std::nullopt;
  return cell_state(model_, state_.nodes.x).inverted;
}

}  // namespace pliant::metric
