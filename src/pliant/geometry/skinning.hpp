// SPDX-License-Identifier: Apache-2.0
// Linear blend skinning: what an animation program shows of a rig. A first guess for the flesh, and a
// yardstick; it loses volume in bends and twists.
#pragma once

#include "pliant/geometry/skeleton.hpp"

namespace pliant {

/// The joints a vertex follows; -1 = none. Weights sum to 1, or are all 0: the vertex stays.
struct SkinWeights {
  std::array<Index, 4> joint{-1, -1, -1, -1};
  std::array<double, 4> weight{0, 0, 0, 0};
};

/// x = sum_k w_k (x_k + D_k (X - X_k)).
Points skinned(const Skeleton& skeleton, const std::vector<SkinWeights>& weights, const Points& X, double t);

}  // namespace pliant
