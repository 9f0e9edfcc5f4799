// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/state.hpp"

#include "pliant/methods/geometric/plastic_flow.hpp"

namespace pliant::geometric {

State state_at_rest(const Model& model, bool plastic) {
  const std::size_t n = model.rest.size();
  State state;
  state.nodes = {model.rest, Points(n, Vec3::Zero()), model.mass};
  state.x_before = state.nodes.x;
  state.v_before = state.nodes.v;
  state.held.reserve(n);
  const std::size_t owners = std::size_t(model.owners());
  state.rotations.assign(4 * owners, 0);
  for (std::size_t i = 0; i < owners; ++i) state.rotations[4 * i] = 1;
  if (plastic) state.rest_vectors = rest_vectors(model);
  return state;
}

void State::save(Writer& writer) const {
  writer.array(nodes.x);
  writer.array(nodes.v);
  save_history(writer);
  writer.array(rotations);
  writer.array(contact.memories);
  writer.array(contact.sides);
  writer.array(contact.impacts);
  writer.array(carried);
  if (!rest_vectors.empty()) writer.array(rest_vectors);
}

bool State::load(Reader& reader) {
  State next = *this;
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  next.load_history(reader);
  reader.array(next.rotations);
  reader.list(next.contact.memories);
  reader.list(next.contact.sides);
  reader.list(next.contact.impacts);
  reader.list(next.carried);
  if (!rest_vectors.empty()) reader.array(next.rest_vectors);
  if (!reader.ok() || (!next.carried.empty() && next.carried.size() != nodes.x.size())) return false;
  *this = std::move(next);
  return true;
}

}  // namespace pliant::geometric
