// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/state.hpp"

#include <algorithm>

namespace pliant::meshless {

State state_at_rest(const Model& model, const PackedCells& cells, const Options& options) {
  const std::size_t n = model.rest.size();
  State state;
  state.nodes = {model.rest, Points(n, Vec3::Zero()), model.mass};
  state.x_before = state.nodes.x;
  state.v_before = state.nodes.v;
  state.turned = cells.unturned();
  if (options.warping == Warping::node || options.warping == Warping::row)
    state.node_turned.assign(n, Float4{1, 0, 0, 0});
  if (options.plasticity) state.flow.assign(std::size_t(cells.batches()) * 6 * lanes, 0);
  return state;
}

void save(const State& state, Writer& writer) {
  writer.array(state.nodes.x);
  writer.array(state.nodes.v);
  state.save_history(writer);
  writer.value(state.touches);
  writer.array(std::vector<float>(state.turned.begin(), state.turned.end()));
  writer.array(state.node_turned);
  writer.array(std::vector<double>(state.flow.begin(), state.flow.end()));
  writer.array(state.contact.memories);
  writer.array(state.contact.sides);
  writer.array(state.contact.impacts);
  writer.value(std::uint64_t(state.driven.size()));
  for (const DrivenJoint& driven : state.driven) {
    writer.value(driven.joint);
    for (int c = 0; c < 3; ++c) writer.value(driven.turn[c]), writer.value(driven.move[c]);
  }
  writer.array(state.rod.x);
  for (const Quat& q : state.rod.rotation)
    for (int c = 0; c < 4; ++c) writer.value(q.coeffs()[c]);
}

bool load(Reader& reader, std::size_t joints, State& state) {
  State next = state;
  std::vector<float> turned(next.turned.size());
  std::vector<double> flow(next.flow.size());
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  next.load_history(reader);
  reader.value(next.touches);
  reader.array(turned);
  reader.array(next.node_turned);
  reader.array(flow);
  reader.list(next.contact.memories);
  reader.list(next.contact.sides);
  reader.list(next.contact.impacts);
  std::uint64_t driven = 0;
  reader.value(driven);
  if (!reader.ok() || driven > joints) return false;
  next.driven.resize(driven);
  for (DrivenJoint& joint : next.driven) {
    reader.value(joint.joint);
    for (int c = 0; c < 3; ++c) reader.value(joint.turn[c]), reader.value(joint.move[c]);
    if (!reader.ok() || joint.joint < 0 || std::size_t(joint.joint) >= joints) return false;
  }
  reader.array(next.rod.x);
  for (Quat& q : next.rod.rotation)
    for (int c = 0; c < 4; ++c) reader.value(q.coeffs()[c]);
  if (!reader.ok()) return false;
  std::copy(turned.begin(), turned.end(), next.turned.begin());
  std::copy(flow.begin(), flow.end(), next.flow.begin());
  state = std::move(next);
  return true;
}

}  // namespace pliant::meshless
