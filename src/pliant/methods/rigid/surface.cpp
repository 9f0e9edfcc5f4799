// SPDX-License-Identifier: Apache-2.0
// What the nodes show. Rows of the embedding sum to 1: a surface that rides on rigid nodes is rigid.
#include "pliant/base/check.hpp"
#include "pliant/math/parallel_gather.hpp"
#include "pliant/methods/rigid/body.hpp"

namespace pliant::rigid {

void Body::surface(std::span<Vec3> vertices) const { gather(skin_.embedding, nodes().x, vertices); }

void Body::surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const {
  gather(skin_.embedding, nodes().x, vertices, pool);
}

void Body::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  PLIANT_CHECK(node_forces.size() == nodes().x.size());
  scatter_add(skin_.embedding, surface_forces, node_forces);
}

}  // namespace pliant::rigid
