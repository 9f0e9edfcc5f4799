// SPDX-License-Identifier: Apache-2.0
// What the nodes show: the fine surface by moving least squares, and whether cells have turned inside out.
#include "pliant/base/check.hpp"
#include "pliant/math/parallel_gather.hpp"
#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {

void Body::surface(std::span<Vec3> vertices) const { gather(skin_.embedding, state_.nodes.x, vertices); }

void Body::surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const {
  gather(skin_.embedding, state_.nodes.x, vertices, pool);
}

void Body::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  PLIANT_CHECK(node_forces.size() == nodes().x.size());
  scatter_add(skin_.embedding, surface_forces, node_forces);
}

std::optional<int> Body::inverted_cells() const {
  int count = 0;
  for (Index c = 0; c < model_.cells.count(); ++c)
    count += !(deformation_gradient(model_.cells, c, state_.nodes.x).determinant() > 0);
  return count;
}

}  // namespace pliant::meshless
