// SPDX-License-Identifier: Apache-2.0
// A sample of a body is a surface; a basis needs the nodes inside it, too.
#pragma once

#include "pliant/math/gather.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// Where the nodes are when the surface W x is at `surface` (one place a row of W): they minimise
///   V(x) + stiff/2 |W x - surface|^2
/// with springs a hundred times as stiff as the body, from the body at rest, by Anderson-accelerated
/// local/global iterations.
Result<Points> fit_sample(const Model& model, const Gather& embedding, const Points& surface);

}  // namespace pliant::geometric
