// SPDX-License-Identifier: Apache-2.0
// What some methods have beside their surface: vertices of a cage, joints of a skeleton.
#include <fmt/format.h>

#include <algorithm>

#include "pliant/view/commands/handlers.hpp"
#include "pliant/view/commands/request.hpp"
#include "pliant/view/method_facts.hpp"

namespace pliant::view {
namespace {

constexpr double middle = 0.5;  // softness of a hand at a rod

/// A joint as it is now, and how it is driven from here on.
struct Drive {
  const JointPose& pose;
  Quat above;  ///< of the joint it hangs on
  Vec3 turn, move;
};

Action drive(const Request& request, const char* what, const std::function<void(Drive&)>& change) {
  World& world = request.world;
  const int body = request.body_index();
  const Controls controls = world.controls(body);
  const Skeleton* skeleton = controls.skeleton;
  if (!skeleton)
    refuse("not_supported", fmt::format("{} has no skeleton", request.body_name(body)),
           fmt::format("bones belong to the {0} method: bodies.N.{0}.skeleton", skeleton_method()));
  const int joints = int(skeleton->joints.size()), points = std::max(joints, int(controls.joints.size()));
  const Index joint = request.args.whole("joint", 0, points - 1);
  if (joint >= joints)
    refuse("not_supported",
           fmt::format("point {} of the rod in {} is no joint", joint, request.body_name(body)),
           fmt::format("its joints are 0 to {}", joints - 1));
  const std::vector<JointPose> poses = skeleton->pose(world.simulation().time());
  const JointPose& pose = poses[std::size_t(joint)];
  const Index parent = skeleton->joints[std::size_t(joint)].parent;
  Drive driven{pose, parent < 0 ? Quat::Identity() : poses[std::size_t(parent)].rotation, pose.turn,
               pose.move};
  change(driven);
  Edit edit;
  edit.label = fmt::format("{} {}", what, skeleton->joints[std::size_t(joint)].name);
  edit.gesture = fmt::format("joint {} {} {}", request.call.client, body, joint);
  edit.states_before[request.body_name(body)] = world.state(body);
  const BodySpec& spec = world.spec(body);
  const std::string trouble =
      spec.entry().drive_joint(spec.options(), request.body(body).method(), joint, driven.turn, driven.move);
  if (!trouble.empty()) refuse("not_supported", trouble);
  edit.states_after[request.body_name(body)] = world.state(body);
  world.remember(std::move(edit));
  if (request.args.yes_or("final", false)) world.close_gesture();
  world.touched();
  return done();
}

/// The joint of a loaded rod, when it is one that a hand pulls at.
std::optional<Index> pulled_node(const Request& request, int body, const Controls& controls) {
  if (controls.joint_nodes.empty()) return std::nullopt;
  const Index joint = request.args.whole("joint", 0, int(controls.joint_nodes.size()) - 1);
  const Index node = controls.joint_nodes[std::size_t(joint)];
  if (node < 0) return std::nullopt;
  if (request.world.posing())
    refuse("not_supported", fmt::format("the rod in {} has no pose of its own", request.body_name(body)),
           "drag the flesh: it stays where it is put, and bends the rod");
  return node;
}

/// A spring between the flesh at the rod and the pointer, until the end of the gesture.
Action pull_joint(const Request& request, int body, Index node, bool last) {
  Grabs& grabs = request.world.grabs();
  grabs.end_controls(request.call.client, body);
  if (!last && grabs.free_springs(body) < 1)
    refuse("too_many", "the body is held at as many nodes as it can be", "let go of a grab");
  UserGrab grab;
  grab.client = request.call.client;
  grab.kind = UserGrab::Kind::control;
  grab.body = body;
  grab.nodes = {node};
  grab.share = {1};
  grab.offset = {request.target(body)};
  grab.stiffness = request.world.stiffness_of_grab(body, middle);
  if (!last && !grabs.add(std::move(grab))) refuse("too_many", "there are as many grabs as there can be");
  request.world.touched();
  return done();
}

}  // namespace

/// Vertices of the cage are pulled to their targets by springs, which end with the gesture unless posing.
Action cage_move(Request& request) {
  const int index = request.body_index();
  const Body& body = request.body(index);
  const std::optional<Controls::Cage> cage = request.world.controls(index).cage;
  if (!cage)
    refuse("not_supported", fmt::format("{} has no cage", body.name()),
           "switch its method to " + methods_with(Ability::cage));
  const std::vector<int> vertices =
      request.args.indices("vertices", int(cage->vertices.size()), std::size_t(max_grabs));
  const Points targets = request.args.vectors("targets", std::size_t(max_grabs));
  if (vertices.size() != targets.size() || vertices.empty())
    refuse("bad_argument", "vertices and targets must be lists of one length", {}, "targets");
  const bool last = request.args.yes_or("final", false);
  Grabs& grabs = request.world.grabs();
  grabs.end_controls(request.call.client, index);
  const std::size_t free = grabs.free_springs(index);
  if (vertices.size() > free)
    refuse("too_many",
           fmt::format("{} vertices at a time are too many, {} can be held", vertices.size(), free),
           "move fewer");
  UserGrab grab;
  grab.client = request.call.client;
  grab.kind = UserGrab::Kind::control;
  grab.body = index;
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    grab.nodes.push_back(cage->first_node + vertices[k]);
    grab.share.push_back(1.0 / double(vertices.size()));
    grab.offset.push_back(targets[k]);
  }
  // as stiff as a hold of the body, so that the cage goes where it is put
  grab.stiffness = cage->hold * request.world.piece(index).size;
  if ((!last || request.world.posing()) && !grabs.add(std::move(grab)))
    refuse("too_many", "there are as many grabs as there can be");
  request.world.touched();
  return done();
}

/// rotation: of the rest material that follows the joint (D_j of geometry/skeleton.hpp).
Action joint_rotate(Request& request) {
  const Eigen::Quaterniond rotation = request.rotation("rotation");
  return drive(request, "Turn of", [&](Drive& driven) {
    Quat local = driven.above.conjugate() * rotation;
    // of q and -q the one nearer to where the joint is
    if (local.dot(lifted_rotation(driven.turn)) < 0) local.coeffs() = -local.coeffs();
    driven.turn = turn_near(local, driven.turn);
  });
}

Action joint_move(Request& request) {
  const int body = request.body_index();
  const Vec3 target = request.args.vector("target");
  if (const auto node = pulled_node(request, body, request.world.controls(body)))
    return pull_joint(request, body, *node, request.args.yes_or("final", false));
  return drive(request, "Move of", [&](Drive& driven) {
    driven.move += driven.above.conjugate() * (target - driven.pose.position);
  });
}

}  // namespace pliant::view
