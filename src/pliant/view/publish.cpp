// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/publish.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/view/option_list.hpp"
#include "pliant/view/props.hpp"

namespace pliant::view {
namespace {

Float3 to_float(const Vec3& v) { return {float(v.x()), float(v.y()), float(v.z())}; }

std::vector<Float3> to_floats(const Points& points) {
  std::vector<Float3> out(points.size());
  std::transform(points.begin(), points.end(), out.begin(), to_float);
  return out;
}

template <class Triangles>
std::vector<Triangle3> to_triangles(const Triangles& triangles) {
  std::vector<Triangle3> out;
  out.reserve(triangles.size());
  for (const auto& t : triangles)
    out.push_back({std::uint32_t(t[0]), std::uint32_t(t[1]), std::uint32_t(t[2])});
  return out;
}

std::vector<Float3> cage_now(const cage::Body& caged) {
  const auto& columns = caged.cage_vertices();
  std::vector<Float3> out;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) out.push_back(to_float(columns.col(i)));
  return out;
}

const Skeleton* skeleton_of(const Method& method) {
  const auto* flesh = dynamic_cast<const meshless::Body*>(&method);
  return flesh && !flesh->rig().empty() ? &flesh->rig().bones().skeleton() : nullptr;
}

std::vector<Joint> joints_at(const Skeleton& skeleton, double time) {
  std::vector<Joint> out;
  for (const JointPose& pose : skeleton.pose(time)) {
    const Quat& q = pose.rotation;
    out.push_back({to_float(pose.position), {float(q.x()), float(q.y()), float(q.z()), float(q.w())}});
  }
  return out;
}

/// Largest principal stretch - 1 of a triangle, from its two edges at rest and now: the largest singular
/// value of the 2 x 2 map between the triangle's planes.
double stretch(const Points& rest, const Points& x, const Triangle& t) {
  const auto gram = [&](const Points& p) {
    const Vec3 a = p[std::size_t(t[1])] - p[std::size_t(t[0])],
               b = p[std::size_t(t[2])] - p[std::size_t(t[0])];
    return Vec3(a.dot(a), a.dot(b), b.dot(b));
  };
  const Vec3 G = gram(rest), g = gram(x);
  const double det = G[0] * G[2] - G[1] * G[1];
  if (!(det > 1e-24 * G[0] * G[2])) return 0;
  // eigenvalues of G^-1 g
  const double a = (G[2] * g[0] - G[1] * g[1]) / det, d = (G[0] * g[2] - G[1] * g[1]) / det;
  const double product = (g[0] * g[2] - g[1] * g[1]) / det;
  const double half = 0.5 * (a + d);
  return std::sqrt(half + std::sqrt(std::max(0.0, half * half - product))) - 1;
}

/// At a vertex, of its triangles that which is furthest from 0.
std::vector<float> stretch_of(const Body& body, const Points& surface) {
  std::vector<float> out(surface.size(), 0);
  for (const Triangle& t : body.triangles()) {
    const float s = float(stretch(body.rest_surface(), surface, t));
    for (const Index v : t)
      if (std::abs(s) > std::abs(out[std::size_t(v)])) out[std::size_t(v)] = s;
  }
  return out;
}

std::vector<std::uint8_t> node_flags(const World& world, int index) {
  const Body& body = world.simulation().bodies()[std::size_t(index)];
  std::vector<std::uint8_t> flags(body.method().nodes().x.size(), 0);
  const double time = world.simulation().time();
  for (const PlacedHold& placed : body.holds())
    if (time <= placed.hold.release)
      for (const Index node : placed.hold.nodes)
        flags[std::size_t(node)] |= placed.hold.motion.keys.empty() ? flag_pinned : flag_handle;
  return flags;
}

/// A vertex is what the node that mainly carries it is.
std::vector<std::uint8_t> surface_flags(const World& world, int index,
                                        const std::vector<std::uint8_t>& nodes) {
  const Body& body = world.simulation().bodies()[std::size_t(index)];
  const Gather& w = world.pieces()[std::size_t(index)].shape->embedding;
  std::vector<std::uint8_t> flags(body.rest_surface().size(), 0);
  for (Index v = 0; v < std::min(w.rows(), Index(flags.size())); ++v) {
    double most = 0;
    for (Index k = w.begin[std::size_t(v)]; k < w.begin[std::size_t(v) + 1]; ++k)
      if (w.weight[std::size_t(k)] > most) {
        most = w.weight[std::size_t(k)];
        flags[std::size_t(v)] = nodes[std::size_t(w.column[std::size_t(k)])];
      }
  }
  std::vector<float> active(flags.size());
  if (body.method().activity(active))
    for (std::size_t v = 0; v < flags.size(); ++v)
      if (active[v] > 0.5f) flags[v] |= flag_active;
  return flags;
}

/// Boards reach five sizes around the first body.
PropMesh props_now(const World& world) {
  if (world.pieces().empty()) return {};
  return prop_mesh(world.simulation().colliders(), world.simulation().time(),
                   world.simulation().bodies()[0].rest_surface().front(), 5 * world.pieces()[0].size);
}

}  // namespace

std::shared_ptr<const Model> make_model(const World& world) {
  auto model = std::make_shared<Model>();
  model->epoch = world.epoch();
  for (std::size_t i = 0; i < world.pieces().size(); ++i) {
    const Body& body = world.simulation().bodies()[i];
    ModelBody out;
    out.id = std::uint16_t(i);
    out.name = body.name();
    out.method = world.spec().bodies[i].method;
    out.surface = to_floats(body.rest_surface());
    out.triangles = to_triangles(body.triangles());
    out.nodes = to_floats(world.pieces()[i].shape->graph.positions);
    if (const auto* caged = dynamic_cast<const cage::Body*>(&body.method())) {
      out.cage = to_floats(caged->model().cage.vertices);
      out.cage_triangles = to_triangles(caged->model().cage.triangles);
    }
    if (const Skeleton* skeleton = skeleton_of(body.method())) {
      for (const pliant::Joint& joint : skeleton->joints) out.joints.push_back({to_float(joint.position)});
      for (const Bone& bone : skeleton->bones())
        out.bones.push_back({std::uint32_t(bone.start), std::uint32_t(bone.end)});
    }
    model->bodies.push_back(std::move(out));
  }
  model->props = props_now(world);
  return model;
}

void fill_snapshot(const World& world, Channels channels, Snapshot& snapshot) {
  snapshot.epoch = world.epoch();
  snapshot.step = world.step();
  snapshot.time = world.simulation().time();
  snapshot.posing = world.posing();
  snapshot.stopped = world.stopped().has_value();
  snapshot.channels = channels | only(Channel::surface) | only(Channel::grabs);
  for (std::size_t i = 0; i < world.pieces().size(); ++i) {
    const Body& body = world.simulation().bodies()[i];
    BodyFrame frame;
    frame.id = std::uint16_t(i);
    const Points& surface = body.surface();
    frame.surface = to_floats(surface);
    if (has(channels, Channel::nodes)) frame.nodes = to_floats(body.method().nodes().x);
    if (has(channels, Channel::cage))
      if (const auto* caged = dynamic_cast<const cage::Body*>(&body.method())) frame.cage = cage_now(*caged);
    if (has(channels, Channel::joints))
      if (const Skeleton* skeleton = skeleton_of(body.method()))
        frame.joints = joints_at(*skeleton, world.simulation().time());
    if (has(channels, Channel::scalar)) frame.scalar = stretch_of(body, surface);
    if (has(channels, Channel::node_flags) || has(channels, Channel::surface_flags)) {
      frame.node_flags = node_flags(world, int(i));
      frame.surface_flags = surface_flags(world, int(i), frame.node_flags);
    }
    snapshot.bodies.push_back(std::move(frame));
  }
  if (props_move(world.simulation().colliders())) snapshot.props = props_now(world).positions;
  for (const Hand& hand : world.hands()) {
    if (hand.cage) continue;
    const Vec3 point = world.point_of(hand);
    const Vec3 target = hand.dent ? Vec3(hand.begin + hand.depth * hand.inward) : hand.target;
    snapshot.grabs.push_back({std::uint16_t(hand.body), std::uint8_t(hand.id), hand.client, to_float(point),
                              to_float(target), float(hand.handle >= 0 ? 0 : world.force_of(hand).norm()),
                              float(hand.stiffness)});
  }
}

Json scene_json(const World& world) {
  Json bodies = Json::array();
  for (std::size_t i = 0; i < world.pieces().size(); ++i) {
    const Body& body = world.simulation().bodies()[i];
    const MethodDescription about = body.method().describe();
    const std::size_t handles = world.target().document["bodies"][i].value("handles", Json::array()).size();
    Json ids = Json::array();
    for (std::size_t k = 0; k < handles; ++k) ids.push_back(i * 256 + k);
    Json joints = Json::array();
    if (const Skeleton* skeleton = skeleton_of(body.method()))
      for (const pliant::Joint& joint : skeleton->joints) joints.push_back(joint.name);
    bodies.push_back({{"id", i},
                      {"joints", joints},
                      {"name", body.name()},
                      {"method", world.spec().bodies[i].method},
                      {"vertices", body.rest_surface().size()},
                      {"triangles", body.triangles().size()},
                      {"nodes", about.nodes},
                      {"dof", about.freedoms},
                      {"size", world.pieces()[i].size},
                      {"grab_stiffness", world.grab_stiffness(int(i), 0.5)},
                      {"handles", ids},
                      {"refused_methods", world.refused_methods(int(i))},
                      {"can_pose", world.can_pose(int(i))}});
  }
  Json ground = nullptr;
  for (const ColliderSpec& collider : world.spec().colliders)
    if (const auto* plane = std::get_if<PlaneColliderSpec>(&collider.is))
      if (plane->normal.normalized().y() > 0.999 &&
          (ground.is_null() || plane->point.y() < ground.get<double>()))
        ground = plane->point.y();
  return {{"type", "scene"},
          {"epoch", world.epoch()},
          {"name", world.target().name},
          {"description", world.spec().description},
          {"bodies", std::move(bodies)},
          {"ground", ground},
          {"options", option_list(world.target().document)},
          {"history", world.history().json()}};
}

}  // namespace pliant::view
