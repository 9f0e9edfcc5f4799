// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant::meshless {

/// Nodes in the ball are `ratio` times as near to one another.
struct FinerBall {
  Vec3 center{0, 0, 0};  ///< m
  double radius = 0;     ///< m
  double ratio = 1;
};

}  // namespace pliant::meshless
