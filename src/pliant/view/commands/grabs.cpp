// SPDX-License-Identifier: Apache-2.0
// Grabs and dents: springs at the nodes under a point of the surface (view/grabs.hpp). While posing a grab is
// a handle that stays.
#include <fmt/format.h>

#include <algorithm>

#include "pliant/view/commands/handlers.hpp"
#include "pliant/view/commands/request.hpp"
#include "pliant/view/method_facts.hpp"

namespace pliant::view {
namespace {

using Kind = UserGrab::Kind;

/// The argument that names the grab.
const char* word(Kind kind) { return kind == Kind::dent ? "dent" : "grab"; }

/// Nodes that carry the point, heaviest first, at most so many; their shares.
void pull_at_carriers(UserGrab& grab, const Body& body, std::size_t most) {
  Points on_surface(body.rest_surface().size(), Vec3::Zero());
  for (int c = 0; c < 3; ++c)
    on_surface[std::size_t(grab.at.corners[std::size_t(c)])] += Vec3(grab.at.weights[c], 0, 0);
  Points on_nodes(body.method().nodes().x.size(), Vec3::Zero());
  body.method().pull_back(on_surface, on_nodes);
  std::vector<std::pair<double, Index>> heavy;
  for (Index i = 0; i < Index(on_nodes.size()); ++i)
    if (on_nodes[std::size_t(i)].x() > 1e-6) heavy.emplace_back(-on_nodes[std::size_t(i)].x(), i);
  std::sort(heavy.begin(), heavy.end());
  if (heavy.size() > most) heavy.resize(most);
  if (heavy.empty()) refuse("internal", "no node carries this point");
  for (const auto& [weight, node] : heavy) {
    grab.nodes.push_back(node);
    grab.share.push_back(-weight);
  }
  grab.depth_share.assign(grab.nodes.size(), 1);
}

/// Nodes within the radius of the point, at most so many, spread over the whole of it.
void pull_within(UserGrab& grab, const Body& body, double radius, std::size_t most) {
  const Points& x = body.method().nodes().x;
  std::vector<std::pair<double, Index>> near;
  for (Index i = 0; i < Index(x.size()); ++i)
    if (const double d = (x[std::size_t(i)] - grab.begin).norm(); d <= radius) near.emplace_back(d, i);
  std::sort(near.begin(), near.end());
  const std::size_t stride = std::max<std::size_t>(1, near.size() / most);
  for (std::size_t k = 0; k < near.size() && grab.nodes.size() < most; k += stride) {
    grab.nodes.push_back(near[k].second);
    grab.share.push_back(1);
    const double s = near[k].first / radius;
    grab.depth_share.push_back((1 - s * s) * (1 - s * s));
  }
}

/// The nodes that the grab pulls at, and their shares.
void choose_nodes(const Request& request, UserGrab& grab, double radius) {
  const Body& body = request.body(grab.body);
  const std::size_t free = request.world.grabs().free_springs(grab.body);
  if (free == 0) refuse("too_many", "the body is held at as many nodes as it can be", "let go of a grab");
  if (radius > 0) pull_within(grab, body, radius, free);
  if (grab.nodes.empty()) pull_at_carriers(grab, body, std::min<std::size_t>(free, 4));
  double sum = 0;
  for (const double s : grab.share) sum += s;
  for (double& s : grab.share) s /= sum;
}

/// The page has no grab of this number yet.
void check_new(const Request& request, const UserGrab& grab) {
  const char* name = word(grab.kind);
  if (request.world.grabs().find(grab.client, grab.id, grab.kind))
    refuse("bad_argument", fmt::format("{} {} holds something already", name, grab.id), "end it first", name);
}

void begin(const Request& request, UserGrab grab) {
  check_new(request, grab);
  if (!request.world.grabs().add(std::move(grab)))
    refuse("too_many", "there are as many grabs as there can be");
  request.world.touched();
}

UserGrab& find(const Request& request, Kind kind) {
  const char* name = word(kind);
  const int id = request.args.whole(name, 1, 255);
  if (UserGrab* grab = request.world.grabs().find(request.call.client, id, kind)) return *grab;
  refuse("bad_argument", fmt::format("{} {} holds nothing", name, id), "begin it first", name);
}

/// What a grab does to a plastic body stays: its state before is kept.
void remember_plastic(const Request& request, int body, std::string label) {
  if (!is_plastic(request.world.spec(body))) return;
  Edit edit;
  edit.label = std::move(label);
  edit.states_before[request.body_name(body)] = request.world.state(body);
  request.world.remember(std::move(edit));
}

std::vector<int> corners_of(const UserGrab& grab) { return {grab.at.corners.begin(), grab.at.corners.end()}; }

void move_posed(const Request& request, const UserGrab& grab) {
  move_handle(request, grab.handle, {.translate = grab.target - grab.begin},
              fmt::format("Pose of {}", request.body_name(grab.body)),
              fmt::format("pose {} {}", grab.client, grab.id));
}

/// While posing, a grab is a handle that stays.
Action pose_grab(const Request& request, UserGrab grab, Json result) {
  if (!request.world.can_pose(grab.body))
    refuse("not_supported", "what is dragged while posing becomes a handle, which a reduced body cannot take",
           "take away its reduction, or put the handle into the scene");
  check_new(request, grab);
  grab.handle = add_handle(request, grab.body, Json{{"vertices", corners_of(grab)}},
                           fmt::format("Pose of {}", request.body_name(grab.body)),
                           fmt::format("pose {} {}", grab.client, grab.id));
  result["handle"] = grab.handle;
  begin(request, grab);
  if (request.args.has("target")) move_posed(request, grab);
  return done(result);
}

/// A pin or a handle in place of the grab, which ends also where that cannot be.
void keep_held(const Request& request, const UserGrab& ended, const std::string& keep, Json& result) {
  try {
    if (keep == "pin")
      set_pins(request, ended.body, corners_of(ended), true, "");
    else
      result["handle"] = add_handle(request, ended.body, Json{{"vertices", corners_of(ended)}},
                                    fmt::format("Handle on {}", request.body_name(ended.body)));
  } catch (const Refused& refused) {
    result["kept"] = false;
    result["why"] = refused.refusal.message;
  }
}

/// m along the inward normal; negative pulls. At most half the body's size.
double depth_of(const Request& request, const UserGrab& dent, double otherwise) {
  const double most = 0.5 * request.world.piece(dent.body).size;
  return std::clamp(request.args.number_or("depth", otherwise, -1e9, 1e9), -most, most);
}

}  // namespace

Action grab_begin(Request& request) {
  const Arguments& args = request.args;
  request.check_epoch();
  UserGrab grab;
  grab.client = request.call.client;
  grab.id = args.whole("grab", 1, 255);
  grab.body = request.body_index();
  const Body& body = request.body(grab.body);
  grab.at = read_clean_point(args, request.world.faces(grab.body));
  grab.begin = grab.at.on(body.surface());
  grab.target = args.has("target") ? request.target(grab.body) : grab.begin;
  const double softness = args.number_or("softness", 0.5, 0, 1);
  const double radius = args.number_or("radius", 0, 0, 1e9);
  const double stiffness = request.world.stiffness_of_grab(grab.body, softness);
  const Json result{{"stiffness", stiffness}};
  if (request.world.posing()) return pose_grab(request, std::move(grab), result);
  choose_nodes(request, grab, radius);
  grab.stiffness = stiffness;
  for (const Index node : grab.nodes)
    grab.offset.push_back(body.method().nodes().x[std::size_t(node)] - grab.begin);
  check_new(request, grab);  // before anything is remembered
  remember_plastic(request, grab.body, fmt::format("Grab of {}", body.name()));
  begin(request, std::move(grab));
  return done(result);
}

Action grab_move(Request& request) {
  UserGrab& grab = find(request, Kind::point);
  grab.target = request.target(grab.body);
  if (grab.handle >= 0) move_posed(request, grab);
  request.world.touched();
  return done();
}

Action grab_end(Request& request) {
  UserGrab& grab = find(request, Kind::point);
  const std::string keep = request.args.text_or("keep", "none");
  if (keep != "none" && keep != "pin" && keep != "handle")
    refuse("bad_argument", "keep must be none, pin or handle", {}, "keep");
  if (request.args.has("target")) {
    grab.target = request.target(grab.body);
    if (grab.handle >= 0) move_posed(request, grab);
  }
  const UserGrab ended = grab;
  request.world.grabs().end(ended.client, ended.id, ended.kind);
  Json result = Json::object();
  if (ended.handle < 0 && keep != "none") keep_held(request, ended, keep, result);
  request.world.close_gesture();
  request.world.touched();
  return done(result);
}

Action dent_begin(Request& request) {
  request.check_epoch();
  UserGrab dent;
  dent.client = request.call.client;
  dent.kind = Kind::dent;
  dent.id = request.args.whole("dent", 1, 255);
  dent.body = request.body_index();
  if (request.world.posing()) refuse("not_supported", "a dent needs time", "leave posing first");
  const Body& body = request.body(dent.body);
  dent.at = read_clean_point(request.args, request.world.faces(dent.body));
  const double radius = request.args.number_or("radius", 0.08 * request.world.piece(dent.body).size, 0, 1e9);
  const Points& surface = body.surface();
  dent.begin = dent.at.on(surface);
  choose_nodes(request, dent, radius);
  // a dent is pressed by something hard: it ends where it is pressed to
  dent.stiffness = 10 * request.world.stiffness_of_grab(dent.body, 0.5);
  const Vec3 a = surface[std::size_t(dent.at.corners[0])], b = surface[std::size_t(dent.at.corners[1])],
             c = surface[std::size_t(dent.at.corners[2])];
  dent.inward = -(b - a).cross(c - a).normalized();
  if (!dent.inward.allFinite()) refuse("bad_argument", "the face has no area", "press beside it", "face");
  dent.depth = depth_of(request, dent, 0);
  for (const Index node : dent.nodes) dent.offset.push_back(body.method().nodes().x[std::size_t(node)]);
  check_new(request, dent);
  const bool stays = is_plastic(request.world.spec(dent.body));
  remember_plastic(request, dent.body, fmt::format("Dent in {}", body.name()));
  begin(request, std::move(dent));
  return done({{"stays", stays}});
}

Action dent_move(Request& request) {
  UserGrab& dent = find(request, Kind::dent);
  dent.depth = depth_of(request, dent, dent.depth);
  return done();
}

Action dent_end(Request& request) {
  UserGrab& dent = find(request, Kind::dent);
  dent.depth = depth_of(request, dent, dent.depth);
  request.world.grabs().end(dent.client, dent.id, dent.kind);
  return done();
}

Action leave(Request& request) {
  const std::size_t held = request.world.grabs().leave(request.call.client);
  return {.done = Json::object(), .changes_nothing = held == 0};
}

}  // namespace pliant::view
