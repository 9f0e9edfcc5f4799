// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/fem/energy.hpp"
#include "pliant/physics/history.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::fem {

/// What decides the next step together with model and input.
struct State : History<Points> {
  NodeState nodes;
  Rotations rotations;  ///< warm starts
  ContactState contact;
};

/// At rest.
State state_at_rest(const Model& model);
void save(const State& state, Writer& writer);
/// False: not a state of this body; `state` stays as it is.
bool load(Reader& reader, State& state);

}  // namespace pliant::fem
