// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "pliant/base/types.hpp"

namespace pliant {

/// What every method carries: nodes with position, velocity and mass.
struct NodeState {
  Points x;                  ///< m
  Points v;                  ///< m/s
  std::vector<double> mass;  ///< kg
  /// Mass that no node carries, as points that move with the body: nodes on the skin of a rigid body cannot have
  /// its inertia. Empty: the nodes carry all.
  struct MassPoints {
    Points x, v;
    std::vector<double> mass;

    double sum() const { return std::accumulate(mass.begin(), mass.end(), 0.0); }
  };
  MassPoints within = {};
};

}  // namespace pliant
