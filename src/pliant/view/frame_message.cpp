// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/frame_message.hpp"

#include <algorithm>

namespace pliant::view {
namespace {

/// Positions of a message of this size in bytes, when every point takes 12 of them.
std::size_t surface_bytes(const Snapshot& snapshot) {
  std::size_t points = 0;
  for (const BodySnapshot& body : snapshot.bodies)
    points += body.surface.size() + body.nodes.size() + body.cage.size();
  return 12 * points;
}

bool must_quantise(const Snapshot& snapshot, const PageWish& wish) {
  return wish.quantised || surface_bytes(snapshot) > wire::most_bytes / 2;
}

}  // namespace

wire::Header FrameMessages::header(const Snapshot& snapshot, int client, wire::Kind kind) {
  wire::Header header;
  header.kind = kind;
  header.flags = std::uint8_t((snapshot.paused ? wire::paused : 0) | (snapshot.posing ? wire::posing : 0) |
                              (snapshot.stopped ? wire::stopped : 0) |
                              (snapshot.recording ? wire::recording : 0) | (key_ ? wire::keyframe : 0));
  header.seq = ++seq_;
  header.epoch = snapshot.epoch;
  header.step = snapshot.step;
  const auto applied = snapshot.applied.find(client);
  header.applied = applied == snapshot.applied.end() ? 0 : applied->second;
  header.time = snapshot.time;
  header.step_ms = snapshot.step_ms;
  header.steps_per_second = snapshot.steps_per_second;
  return header;
}

std::vector<std::uint8_t> FrameMessages::model(const Snapshot& snapshot, int client, const PageWish& wish) {
  renew();
  wire::Writer writer(header(snapshot, client, wire::Kind::model));
  const bool quantised = must_quantise(snapshot, wish);
  for (const ModelBody& body : snapshot.model->bodies) {
    writer.positions(body.id, Channel::surface, body.surface, quantised);
    writer.triangles(body.id, Channel::triangles, body.triangles);
    writer.positions(body.id, Channel::nodes, body.nodes, quantised);
    if (!body.cage.empty()) {
      writer.positions(body.id, Channel::cage, body.cage, false);
      writer.triangles(body.id, Channel::cage_triangles, body.cage_triangles);
    }
    if (!body.joints.empty()) {
      writer.joints(body.id, body.joints);
      writer.bones(body.id, body.bones);
    }
  }
  if (const PropMesh& props = snapshot.model->props; !props.triangles.empty()) {
    writer.positions(wire::whole_scene, Channel::surface, props.positions, false);
    writer.triangles(wire::whole_scene, Channel::triangles, props.triangles);
  }
  if (writer.size() > wire::most_bytes) return {};
  return std::move(writer).bytes();
}

bool FrameMessages::changed(std::uint16_t body, Channel channel, const std::vector<std::uint8_t>& bits) {
  if (bits.empty()) return false;
  std::vector<std::uint8_t>& last = sent_[{body, channel}];
  if (last == bits) return false;
  last = bits;
  return true;
}

void FrameMessages::body_blocks(wire::Writer& writer, const BodySnapshot& body, const PageWish& wish,
                                bool quantised) {
  const auto points = [&](Channel channel, const std::vector<Float3>& places, bool narrow) {
    if (has(wish.channels, channel) && !places.empty()) writer.positions(body.id, channel, places, narrow);
  };
  points(Channel::surface, body.surface, quantised);
  points(Channel::nodes, body.nodes, quantised);
  points(Channel::cage, body.cage, false);
  if (has(wish.channels, Channel::joints) && !body.joints.empty()) writer.joints(body.id, body.joints);
  // Also none: those of the frame before are gone.
  if (has(wish.channels, Channel::contacts))
    writer.positions(body.id, Channel::contacts, body.contacts, false);
  if (has(wish.channels, Channel::scalar) && !body.scalar.empty()) writer.scalars(body.id, body.scalar);
  const auto flags = [&](Channel channel, const std::vector<std::uint8_t>& bits) {
    if (has(wish.channels, channel) && changed(body.id, channel, bits)) writer.flags(body.id, channel, bits);
  };
  flags(Channel::node_flags, body.node_flags);
  flags(Channel::surface_flags, body.surface_flags);
}

std::vector<std::uint8_t> FrameMessages::frame(const Snapshot& snapshot, int client, const PageWish& wish) {
  wire::Writer writer(header(snapshot, client, wire::Kind::frame));
  const bool quantised = must_quantise(snapshot, wish);
  for (const BodySnapshot& body : snapshot.bodies) body_blocks(writer, body, wish, quantised);
  if (!snapshot.props.empty()) writer.positions(wire::whole_scene, Channel::surface, snapshot.props, false);
  if (has(wish.channels, Channel::grabs)) writer.grabs(snapshot.grabs);
  if (writer.size() > wire::most_bytes) return {};
  key_ = false;
  return std::move(writer).bytes();
}

const std::map<std::string, Channel, std::less<>>& channel_names() {
  static const std::map<std::string, Channel, std::less<>> names = {
      {"surface", Channel::surface},
      {"nodes", Channel::nodes},
      {"cage", Channel::cage},
      {"joints", Channel::joints},
      {"scalar", Channel::scalar},
      {"node_flags", Channel::node_flags},
      {"surface_flags", Channel::surface_flags},
      {"grabs", Channel::grabs},
      {"contacts", Channel::contacts},
  };
  return names;
}

}  // namespace pliant::view
