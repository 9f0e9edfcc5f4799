// SPDX-License-Identifier: Apache-2.0
// A quadratic programme in three unknowns, the size that a moved vertex poses.
#pragma once

#include <optional>
#include <span>

#include "pliant/base/types.hpp"

namespace pliant {

struct Halfspace {
  Vec3 normal{0, 0, 1};  ///< unit
  double offset = 0;     ///< points with normal . x >= offset belong to it
};

/// The x of all halfspaces with the least (x - centre)^T A (x - centre), A positive definite; none when they
/// have no point in common. One constraint after the other: where one is violated the optimum lies on its
/// plane, a problem of one dimension less [Seidel91].
std::optional<Vec3> nearest_feasible(const Mat3& a, const Vec3& centre,
                                     std::span<const Halfspace> halfspaces);

}  // namespace pliant
