// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/state.hpp"

namespace pliant::fem {

State state_at_rest(const Model& model) {
  const std::size_t n = model.rest.size();
  State state;
  state.nodes = {model.rest, Points(n, Vec3::Zero()), model.mass};
  state.x_before = state.nodes.x;
  state.v_before = state.nodes.v;
  state.held.reserve(n);
  state.rotations.assign(model.weight.size(), Eigen::Quaterniond::Identity());
  return state;
}

void save(const State& state, Writer& writer) {
  writer.array(state.nodes.x);
  writer.array(state.nodes.v);
  state.save_history(writer);
  writer.array(state.rotations);
  writer.array(state.contact.memories), writer.array(state.contact.sides);
}

bool load(Reader& reader, State& state) {
  State next = state;
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  next.load_history(reader);
  reader.array(next.rotations);
  reader.list(next.contact.memories), reader.list(next.contact.sides);
  if (!reader.ok()) return false;
  state = std::move(next);
  return true;
}

}  // namespace pliant::fem
