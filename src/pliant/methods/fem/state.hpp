// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/methods/fem/energy.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::fem {

/// What decides the next step together with model and input.
struct State {
  NodeState nodes;
  Points x_before, v_before;        ///< one step earlier, for BDF2
  Past past = Past::unknown;        ///< of the next step, if it is as long and holds the same nodes
  double h = 0;                     ///< of the last step, s
  std::vector<unsigned char> held;  ///< of the last step, one byte a node
  Rotations rotations;              ///< warm starts
};

/// At rest.
State state_at_rest(const Model& model);
void save(const State& state, Writer& writer);
/// False: not a state of this body; `state` stays as it is.
bool load(Reader& reader, State& state);

}  // namespace pliant::fem
