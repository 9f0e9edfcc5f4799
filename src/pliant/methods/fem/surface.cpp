// SPDX-License-Identifier: Apache-2.0
// What the nodes show: the embedded surface, and whether cells have turned inside out.
#include "pliant/base/check.hpp"
#include "pliant/math/parallel_gather.hpp"
#include "pliant/methods/fem/body.hpp"

namespace pliant::fem {

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
  const Index in_a_cell = model_.elements_per_cell;
  for (Index first = 0; first < model_.elements(); first += in_a_cell) {
    bool inverted = false;
    for (Index e = first; e < first + in_a_cell; ++e)
      inverted |= !(deformation_gradient(model_.element(e), state_.nodes.x).determinant() > 0);
    count += inverted;
  }
  return count;
}

}  // namespace pliant::fem
