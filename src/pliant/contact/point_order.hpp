// SPDX-License-Identifier: Apache-2.0
// Contact points in the order of their places at rest. Sweeps of the contact solver follow the order of the
// points and end at a tolerance: by the user's numbers of vertices, a mesh whose vertices come in another order
// would move in another way.
#pragma once

#include "pliant/math/gather.hpp"

namespace pliant {

/// Indices sorted by x, then y, then z, then index. Coordinates nearer than 1e-7 of the extent are one, so that
/// rounding does not decide.
std::vector<Index> place_order(std::span<const Vec3> points);

/// The rows of w in that order of their places W rest.
Gather in_place_order(const Gather& w, std::span<const Vec3> rest);

}  // namespace pliant
