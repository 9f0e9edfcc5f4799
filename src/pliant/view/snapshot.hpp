// SPDX-License-Identifier: Apache-2.0
// What a page sees of a running session: an immutable picture of the newest state, and of what stays the same
// while the model does. Made by the simulation thread, shared by pointer, read by any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pliant::view {

/// Channels of a snapshot; the numbers are those of the wire.
enum class Channel : std::uint8_t {
  surface = 0,
  triangles = 1,
  nodes = 2,
  cage = 3,
  cage_triangles = 4,
  joints = 5,
  bones = 6,
  scalar = 7,
  node_flags = 8,
  surface_flags = 9,
  grabs = 10,
  contacts = 11
};
using Channels = std::uint32_t;  ///< a set: bit 1 << channel
constexpr Channels only(Channel channel) { return Channels(1) << unsigned(channel); }
constexpr bool has(Channels set, Channel channel) { return (set & only(channel)) != 0; }

/// Bits of node and surface flags.
enum Flag : std::uint8_t { flag_pinned = 1, flag_handle = 2, flag_active = 4, flag_contact = 8 };

using Float3 = std::array<float, 3>;
using Triangle3 = std::array<std::uint32_t, 3>;
using Bone2 = std::array<std::uint32_t, 2>;

struct Joint {
  Float3 position{};                          ///< m
  std::array<float, 4> rotation{0, 0, 0, 1};  ///< xyzw, from rest
};

/// What stays the same within an epoch, per body. Empty where the body has none.
struct ModelBody {
  std::uint16_t id = 0;  ///< its place in the scene
  std::string name, method;
  std::vector<Float3> surface;  ///< at rest, m
  std::vector<Triangle3> triangles;
  std::vector<Float3> nodes;  ///< at rest, m
  std::vector<Float3> cage;   ///< at rest, m
  std::vector<Triangle3> cage_triangles;
  std::vector<Joint> joints;  ///< at rest
  std::vector<Bone2> bones;   ///< indices of joints: parent, child
};

/// The colliders of the scene as one mesh.
struct PropMesh {
  std::vector<Float3> positions;  ///< m
  std::vector<Triangle3> triangles;
};

struct Model {
  std::uint32_t epoch = 0;
  std::vector<ModelBody> bodies;
  PropMesh props;
};

/// A soft grab of some page.
struct GrabView {
  std::uint16_t body = 0;  ///< id
  std::uint8_t id = 0;     ///< the page's own number
  int client = 0;          ///< who holds it
  Float3 point{};          ///< where the held point of the surface is, m
  Float3 target{};         ///< m
  float force = 0;         ///< N
  float stiffness = 0;     ///< N/m
};

/// The moving parts of a body. `surface` is always there; the others when somebody wants them
/// (Session::want).
struct BodySnapshot {
  std::uint16_t id = 0;
  std::vector<Float3> surface;  ///< m
  std::vector<Float3> nodes;    ///< m
  std::vector<Float3> cage;     ///< m
  std::vector<Joint> joints;
  std::vector<float> scalar;  ///< per surface vertex: largest principal stretch - 1
  std::vector<std::uint8_t> node_flags, surface_flags;
  /// Two a contact of the last step: where it is, m, and the force on the body, N.
  std::vector<Float3> contacts;
};

struct Snapshot {
  std::shared_ptr<const Model> model;  ///< of this epoch; never null
  std::uint32_t epoch = 0;             ///< = model->epoch
  std::uint32_t step = 0;              ///< steps done since the session began; never falls
  double time = 0;                     ///< of the simulation, s; falls at a reset
  float step_ms = 0;                   ///< wall time of the last step
  float steps_per_second = 0;          ///< over the last second
  bool paused = false, posing = false, stopped = false, recording = false;
  Channels channels = 0;                 ///< what was filled
  std::vector<BodySnapshot> bodies;      ///< in the order of the model
  std::vector<GrabView> grabs;           ///< of all pages
  std::vector<Float3> props;             ///< of Model::props now, m; empty when none moves
  std::map<int, std::uint32_t> applied;  ///< per client, the highest command id that this state contains
  std::uint64_t serial = 0;              ///< rises with every snapshot of the session
};

}  // namespace pliant::view
