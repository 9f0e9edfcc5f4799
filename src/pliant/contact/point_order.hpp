// SPDX-License-Identifier: Apache-2.0
// Contact points in the order of their places at rest. Sweeps of the contact solver follow the order of the
// points and end at a tolerance: by the user's numbers of vertices, a mesh whose vertices come in another order
// would move in another way.
#pragma once

#include "pliant/math/gather.hpp"

namespace pliant {

/// The rows of w in the order of their places W rest (geometry/place_order.hpp). numbers: of each row of w, which
/// it becomes.
Gather in_place_order(const Gather& w, std::span<const Vec3> rest, std::vector<Index>& numbers);

}  // namespace pliant
