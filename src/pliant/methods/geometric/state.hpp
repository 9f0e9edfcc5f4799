// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/contact/contact.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::geometric {

/// What decides the next step together with model and input; the rotations' warm starts (Sweeps) belong to
/// it. Nodes are in the caller's order.
struct State {
  NodeState nodes;
  Points x_before, v_before;            ///< one step earlier, for BDF2
  bool has_before = false;              ///< false: the next step starts the multistep scheme anew
  double h = 0;                         ///< of the last step, s
  std::vector<unsigned char> held;      ///< of the last step, one byte a node
  std::vector<ContactMemory> contacts;  ///< of the last step, by key: the contact solver's warm start
  std::vector<SideMemory> sides;        ///< by collider and vertex
  Points rest_vectors;                  ///< d of every directed edge of a plastic body; else empty
};

}  // namespace pliant::geometric
