// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/state.hpp"

#include <algorithm>

namespace pliant::cage {
namespace {

template <class T>
void write_look(Writer& writer, const Look<T>& look) {
  for (int k = 0; k < 4; ++k) writer.value(look.axes.coeffs()[k]);
  writer.value(look.energy);
  for (const PointBatch<T>& batch : look.batches) writer.value(batch);
}

template <class T>
void read_look(Reader& reader, Look<T>& look) {
  for (int k = 0; k < 4; ++k) reader.value(look.axes.coeffs()[k]);
  reader.value(look.energy);
  for (PointBatch<T>& batch : look.batches) reader.value(batch);
}

}  // namespace

State state_at_rest(const Model& model, const Options& options) {
  State out;
  out.x.resize(3, model.n());
  for (Index i = 0; i < model.n(); ++i) out.x.col(i) = model.cage.vertices[std::size_t(i)];
  out.velocity = Columns::Zero(3, model.rows());
  out.x_before = out.x;
  out.v_before = out.velocity;
  if (options.plasticity) out.plastic.assign(6 * std::size_t(model.count()), 0.0);
  if (options.precision == Precision::single)
    set_rest(model.batches(), out.single);
  else
    set_rest(model.batches(), out.twice);
  return out;
}

void State::forget_contacts() {
  contact.clear();
  met.clear();
  touches = false;
  lent = 0;
  std::fill(more.begin(), more.end(), -1);
}

void save(const State& state, Writer& writer) {
  write(writer, state.x);
  write(writer, state.velocity);
  state.save_history(writer);
  writer.value(state.touches);
  writer.value(state.lent);
  if (!state.single.batches.empty())
    write_look(writer, state.single);
  else
    write_look(writer, state.twice);
  for (const Vec3* v : {&state.whole.centre, &state.whole.momentum, &state.whole.spin})
    for (int k = 0; k < 3; ++k) writer.value((*v)[k]);
  writer.value(state.whole.kinetic);
  writer.array(state.plastic);
  writer.array(state.contact.memories);
  writer.array(state.contact.sides);
  writer.array(state.contact.impacts);
  writer.array(state.met.memories);
  writer.array(state.met.sides);
  writer.array(state.met.impacts);
  writer.array(state.more);
}

namespace {

bool read_state(const Model& model, State& state, Reader& reader) {
  read(reader, state.x);
  read(reader, state.velocity);
  state.load_history(reader);
  reader.value(state.touches);
  reader.value(state.lent);
  if (!state.single.batches.empty())
    read_look(reader, state.single);
  else
    read_look(reader, state.twice);
  for (Vec3* v : {&state.whole.centre, &state.whole.momentum, &state.whole.spin})
    for (int k = 0; k < 3; ++k) reader.value((*v)[k]);
  reader.value(state.whole.kinetic);
  reader.array(state.plastic);
  reader.list(state.contact.memories);
  reader.list(state.contact.sides);
  reader.list(state.contact.impacts);
  reader.list(state.met.memories);
  reader.list(state.met.sides);
  reader.list(state.met.impacts);
  reader.array(state.more);
  return reader.ok() && std::all_of(state.more.begin(), state.more.end(), [&](Index vertex) {
           return vertex >= -1 && vertex < model.embedding.rows();
         });
}

}  // namespace

bool load(const Model& model, State& state, Reader& reader) {
  State next = state;
  if (!read_state(model, next, reader)) return false;
  state = std::move(next);
  return true;
}

}  // namespace pliant::cage
