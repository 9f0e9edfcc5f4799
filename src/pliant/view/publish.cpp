// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/publish.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/view/method_facts.hpp"
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

std::vector<Joint> joints_at(const Controls& controls, double time) {
  std::vector<Joint> out;
  for (const JointPose& pose : controls.joints.empty() ? controls.skeleton->pose(time) : controls.joints) {
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
std::vector<float> stretch_of(const Body& body, const std::vector<Triangle>& faces, const Points& surface) {
  std::vector<float> out(surface.size(), 0);
  for (const Triangle& t : faces) {
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

void add_skeleton(const Controls& controls, ModelBody& out) {
  for (const pliant::Joint& joint : controls.skeleton->joints)
    out.joints.push_back({to_float(joint.position)});
  for (std::size_t j = out.joints.size(); j < controls.joints.size(); ++j)
    out.joints.push_back({to_float(controls.joints[j].position)});
  const auto link = [&](Index start, Index end) {
    out.bones.push_back({std::uint32_t(start), std::uint32_t(end)});
  };
  for (const auto& [start, end] : controls.joint_links) link(start, end);
  if (controls.joint_links.empty())
    for (const Bone& bone : controls.skeleton->bones()) link(bone.start, bone.end);
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
    out.triangles = to_triangles(world.faces(int(i)));
    out.nodes = to_floats(world.pieces()[i].shape->graph.positions);
    const Controls controls = world.controls(int(i));
    if (controls.cage) {
      out.cage = to_floats(controls.cage->rest->vertices);
      out.cage_triangles = to_triangles(controls.cage->rest->triangles);
    }
    if (controls.skeleton) add_skeleton(controls, out);
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
    BodySnapshot shown;
    shown.id = std::uint16_t(i);
    const Points& surface = body.surface();
    shown.surface = to_floats(surface);
    if (has(channels, Channel::nodes)) shown.nodes = to_floats(body.method().nodes().x);
    if (has(channels, Channel::cage) || has(channels, Channel::joints)) {
      const Controls controls = world.controls(int(i));
      if (has(channels, Channel::cage) && controls.cage) shown.cage = to_floats(controls.cage->vertices);
      if (has(channels, Channel::joints) && controls.skeleton)
        shown.joints = joints_at(controls, world.simulation().time());
    }
    if (has(channels, Channel::scalar)) shown.scalar = stretch_of(body, world.faces(int(i)), surface);
    if (has(channels, Channel::node_flags) || has(channels, Channel::surface_flags)) {
      shown.node_flags = node_flags(world, int(i));
      shown.surface_flags = surface_flags(world, int(i), shown.node_flags);
    }
    if (has(channels, Channel::contacts))
      for (const ContactRecord& record : body.contacts()) {
        shown.contacts.push_back(to_float(record.point));
        shown.contacts.push_back(to_float(record.impulse / body.last_step()));
      }
    snapshot.bodies.push_back(std::move(shown));
  }
  if (props_move(world.simulation().colliders())) snapshot.props = props_now(world).positions;
  for (const UserGrab& grab : world.grabs().all()) {
    if (grab.kind == UserGrab::Kind::control) continue;
    const Body& body = world.body(grab.body);
    const bool dent = grab.kind == UserGrab::Kind::dent;
    const Vec3 target = dent ? Vec3(grab.begin + grab.depth * grab.inward) : grab.target;
    const double force = grab.handle >= 0 ? 0 : grab.force(body.method().nodes().x).norm();
    snapshot.grabs.push_back({std::uint16_t(grab.body), std::uint8_t(grab.id), grab.client,
                              to_float(grab.at.on(body.surface())), to_float(target), float(force),
                              float(grab.stiffness)});
  }
}

Json scene_json(const World& world) {
  Json bodies = Json::array();
  for (std::size_t i = 0; i < world.pieces().size(); ++i) {
    const Body& body = world.simulation().bodies()[i];
    const MethodDescription about = body.method().describe();
    Json ids = Json::array();
    for (std::size_t k = 0; k < world.holds(int(i)).handles(); ++k) ids.push_back(handle_id(int(i), k));
    Json joints = Json::array(), pulled = Json::array();
    const Controls controls = world.controls(int(i));
    if (controls.skeleton)
      for (const pliant::Joint& joint : controls.skeleton->joints) joints.push_back(joint.name);
    for (std::size_t j = 0; j < controls.joint_nodes.size(); ++j)
      if (controls.joint_nodes[j] >= 0) pulled.push_back(j);
    bodies.push_back({{"id", i},
                      {"joints", joints},
                      {"pulled_joints", pulled},
                      {"name", body.name()},
                      {"method", world.spec().bodies[i].method},
                      {"vertices", body.rest_surface().size()},
                      {"triangles", body.triangles().size()},
                      {"nodes", about.nodes},
                      {"dof", about.freedoms},
                      {"point_spacing", world.pieces()[i].point_spacing},
                      {"size", world.pieces()[i].size},
                      {"grab_stiffness", world.stiffness_of_grab(int(i), 0.5)},
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
          {"name", world.name()},
          {"description", world.spec().description},
          {"bodies", std::move(bodies)},
          {"ground", ground},
          {"options", option_list(world.scene())},
          {"history", world.history().json()}};
}

}  // namespace pliant::view
