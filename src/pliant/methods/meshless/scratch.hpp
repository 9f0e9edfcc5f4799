// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant::meshless {

/// Never read across steps; one entry a node.
struct Scratch {
  explicit Scratch(std::size_t nodes) : x(nodes, Vec3::Zero()), v(x), r(x) {}

  Points x, v;  ///< the end of the step
  Points r;     ///< residual, or forces of contact, N
};

}  // namespace pliant::meshless
