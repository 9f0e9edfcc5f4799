// SPDX-License-Identifier: Apache-2.0
// What the user sees: x = c + R (X - centre + dZ b), dZ = Z - Z at rest along the body's axes. The differences
// are small where the body is hardly deformed, so that b may be in single precision.
#pragma once

#include <span>

#include "pliant/base/parallel.hpp"
#include "pliant/methods/cage/cache.hpp"
#include "pliant/methods/cage/state.hpp"

namespace pliant::cage {

/// Places and velocities of the nodes; the cache keeps them until its `shown` is cleared.
const NodeState& nodes_of(const Model& model, const State& state, Cache& cache);

/// Places of all nodes where Z, in the world, is not that of a state; axes: about those of the body.
void place_nodes(const Model& model, const Columns& z, const Mat3& axes, Points& out);
/// What a motion of Z makes of all nodes.
void spread(const Model& model, const Columns& motion, Points& out);

/// The surface by the pool's threads. Where its vertices are nodes that ride along, the other nodes are not
/// made.
void surface_of(const Model& model, const State& state, Cache& cache, std::span<Vec3> vertices, Pool& pool);

}  // namespace pliant::cage
