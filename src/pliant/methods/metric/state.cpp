// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/state.hpp"

namespace pliant::metric {

State state_at_rest(const Model& model, const Options& options) {
  State state;
  state.nodes = {model.rest, Points(model.rest.size(), Vec3::Zero()), model.mass};
  if (integrator_of(options) == Integrator::bdf2) {
    state.x_before = state.v_before = state.nodes.v;
    state.held.reserve(model.rest.size());
  }
  if (options.plasticity) state.metrics.assign(model.rest_metrics(), 1.0);
  return state;
}

void save(const State& state, Writer& writer) {
  writer.array(state.nodes.x);
  writer.array(state.nodes.v);
  writer.value(state.time);
  writer.value(state.response);
  writer.array(state.metrics);
  writer.array(state.contact.memories);
  writer.array(state.contact.sides);
  writer.array(state.contact.impacts);
  state.save_history(writer);
  writer.value(state.touches);
}

bool load(Reader& reader, Index contact_points, State& state) {
  State next = state;
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  reader.value(next.time);
  reader.value(next.response);
  reader.array(next.metrics);
  reader.list(next.contact.memories);
  reader.list(next.contact.sides);
  reader.list(next.contact.impacts);
  next.load_history(reader);
  reader.value(next.touches);
  if (!reader.ok()) return false;
  for (const ContactMemory& m : next.contact.memories)
    if (m.key.vertex < 0 || m.key.vertex >= contact_points) return false;
  state = std::move(next);
  return true;
}

}  // namespace pliant::metric
