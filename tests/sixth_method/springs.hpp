// SPDX-License-Identifier: Apache-2.0
// A sixth method, as somebody outside the project would write it: a spring along every edge of the node graph.
//
//   V = sum_e k_e/2 (|x_b - x_a| - L_e)^2          k_e = E V_e / L_e^2, V_e the share of volume of the edge
//
// Velocity Verlet in substeps of at most a twentieth of the fastest spring's period. Springs have a little
// damping along themselves, so that both momenta are kept. Held nodes go to their targets in a straight line.
#pragma once

#include "pliant/methods/entry.hpp"

namespace pliant::springs {

struct Options {
  double stiffness = 1e4;  ///< Pa
  double damping = 1e-3;   ///< s
};

const MethodEntry& entry();

}  // namespace pliant::springs
