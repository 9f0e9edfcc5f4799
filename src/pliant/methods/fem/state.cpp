// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/state.hpp"

namespace pliant::fem {

State state_at_rest(const Model& model) {
  const std::size_t n = model.rest.size();
  State state;
  state.nodes = {model.rest, Points(n, Vec3::Zero()), model.mass};
  state.x_before = state.nodes.x;
  state.v_before = state.nodes.v;
  state.held.assign(n, 0);
  state.rotations.assign(model.weight.size(), Eigen::Quaterniond::Identity());
  return state;
}

void save(const State& state, Writer& writer) {
  writer.array(state.nodes.x);
  writer.array(state.nodes.v);
  writer.array(state.x_before);
  writer.array(state.v_before);
  writer.array(state.held);
  writer.array(state.rotations);
  writer.value(state.h);
  writer.value(state.past);
}

bool load(Reader& reader, State& state) {
  State next = state;
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  reader.array(next.x_before);
  reader.array(next.v_before);
  reader.array(next.held);
  reader.array(next.rotations);
  reader.value(next.h);
  reader.value(next.past);
  if (!reader.ok()) return false;
  state = std::move(next);
  return true;
}

}  // namespace pliant::fem
