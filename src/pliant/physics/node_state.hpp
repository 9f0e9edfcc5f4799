// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// What every method carries: nodes with position, velocity and mass.
struct NodeState {
  Points x;                  ///< m
  Points v;                  ///< m/s
  std::vector<double> mass;  ///< kg
};

}  // namespace pliant
