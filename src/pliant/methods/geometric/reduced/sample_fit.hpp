// SPDX-License-Identifier: Apache-2.0
// Samples of a body are surfaces; a basis needs the nodes inside them, too.
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// Where the nodes are when the surface W x is at each of `surfaces` (one place a row of W): they minimise
///   V(x) + stiff/2 |W x - surface|^2
/// with springs a hundred times as stiff as the body, from the body at rest, by Anderson-accelerated
/// local/global iterations on one factor.
Result<std::vector<Points>> fit_samples(const Model& model, const Gather& embedding,
                                        const std::vector<Points>& surfaces);

}  // namespace pliant::geometric
