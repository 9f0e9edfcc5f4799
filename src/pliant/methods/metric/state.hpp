// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/metric/model.hpp"
#include "pliant/physics/history.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::metric {

/// What decides the next step together with model and input.
struct State : History<Points> {  // which is empty without bdf2
  NodeState nodes;
  double time = 0;              ///< s, since the start: strengths have keys
  std::vector<double> metrics;  ///< g of every constraint (Model::each_length); empty = 1
  ContactState contact;
  bool touches = false;  ///< the last step met a collider
  double response = 1;   ///< of the body to contact impulses, share of that of the touching nodes alone
};

/// At rest.
State state_at_rest(const Model& model, const Options& options);
void save(const State& state, Writer& writer);
/// False: not a state of this body. contact_points: how many there are.
bool load(Reader& reader, Index contact_points, State& state);

}  // namespace pliant::metric
