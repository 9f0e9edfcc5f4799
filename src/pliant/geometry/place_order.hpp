// SPDX-License-Identifier: Apache-2.0
// The order of points by their places. What is done point by point by the user's numbers of vertices comes out
// in another way for a mesh whose vertices are listed in another order.
#pragma once

#include <span>

#include "pliant/base/types.hpp"

namespace pliant {

/// Indices sorted by x, then y, then z, then index. Coordinates nearer than 1e-7 of the extent are one, so that
/// rounding does not decide.
std::vector<Index> place_order(std::span<const Vec3> points);

}  // namespace pliant
