// SPDX-License-Identifier: Apache-2.0
// The commands of a page that change the world (docs/session.md lists them all): their arguments are read and
// checked here; what is wrong refuses the command and changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "pliant/base/layout.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/view/arguments.hpp"
#include "pliant/view/option_list.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {

/// The handlers. Each returns what became of the command; a refusal is thrown.
struct Commands {
  World& world;
  const Call& call;
  Arguments args;

  using Handler = Action (Commands::*)();
  static const std::map<std::string, Handler>& table();

  static Action done(Json result = Json::object()) { return {.done = std::move(result)}; }

  // ---- reading ---------------------------------------------------------------------------------------

  void check_epoch() const {
    if (!args.has("epoch")) return;
    const double epoch = args.number("epoch", 0, 4294967295.0);
    if (epoch != double(world.epoch_))
      refuse("stale_epoch", fmt::format("the model is {} now, the command is about {}", world.epoch_, epoch),
             "send it again with indices of the new model");
  }
  int body_index(const char* name = "body") const {
    const int count = int(world.pieces_.size());
    if (count == 0) refuse("bad_argument", "the scene has no body", "add one first", name);
    return args.whole(name, 0, count - 1);
  }
  Body& body(int index) const { return world.simulation_->body(index); }
  Json& body_json(Json& document, int index) const { return document["bodies"][std::size_t(index)]; }
  const std::string& body_name(int index) const {
    return world.simulation_->bodies()[std::size_t(index)].name();
  }

  /// face and bary: a point of the surface.
  void read_point(Hand& hand) const {
    const auto& triangles = body(hand.body).triangles();
    hand.corners = triangles[std::size_t(args.whole("face", 0, int(triangles.size()) - 1))];
    hand.weights = args.vector("bary");
    const double sum = hand.weights.sum();
    if (hand.weights.minCoeff() < -1e-3 || std::abs(sum - 1) > 1e-2)
      refuse("bad_argument", "bary must be three shares that sum to 1", {}, "bary");
    hand.weights = hand.weights.cwiseMax(0);
    hand.weights /= hand.weights.sum();
  }
  Vec3 target_of(const char* name, int index) const {
    const Vec3 target = args.vector(name);
    const double size = world.pieces_[std::size_t(index)].size;
    if (!((target - body(index).rest_surface().front()).norm() <= 1e4 * size))
      refuse("out_of_range", "the target is more than 10 000 sizes away", {}, name);
    return target;
  }

  // ---- hands -----------------------------------------------------------------------------------------

  /// Nodes that carry the point, heaviest first, at most so many; their shares.
  void carriers(Hand& hand, std::size_t most) const {
    const Body& of = body(hand.body);
    Points on_surface(of.rest_surface().size(), Vec3::Zero());
    for (int c = 0; c < 3; ++c)
      on_surface[std::size_t(hand.corners[std::size_t(c)])] += Vec3(hand.weights[c], 0, 0);
    Points on_nodes(of.method().nodes().x.size(), Vec3::Zero());
    of.method().pull_back(on_surface, on_nodes);
    std::vector<std::pair<double, Index>> heavy;
    for (Index i = 0; i < Index(on_nodes.size()); ++i)
      if (on_nodes[std::size_t(i)].x() > 1e-6) heavy.emplace_back(-on_nodes[std::size_t(i)].x(), i);
    std::sort(heavy.begin(), heavy.end());
    if (heavy.size() > most) heavy.resize(most);
    if (heavy.empty()) refuse("internal", "no node carries this point");
    for (const auto& [weight, node] : heavy) {
      hand.nodes.push_back(node);
      hand.share.push_back(-weight);
    }
  }
  /// The nodes nearest to the point within the radius, at most so many, all alike.
  void within(Hand& hand, const Vec3& p, double radius, std::size_t most) const {
    const Points& x = body(hand.body).method().nodes().x;
    std::vector<std::pair<double, Index>> near;
    for (Index i = 0; i < Index(x.size()); ++i)
      if (const double d = (x[std::size_t(i)] - p).norm(); d <= radius) near.emplace_back(d, i);
    std::sort(near.begin(), near.end());
    // spread over the whole radius, not only its middle
    const std::size_t stride = std::max<std::size_t>(1, near.size() / most);
    for (std::size_t k = 0; k < near.size() && hand.nodes.size() < most; k += stride) {
      hand.nodes.push_back(near[k].second);
      hand.share.push_back(1);
      const double s = near[k].first / radius;
      hand.depth_share.push_back((1 - s * s) * (1 - s * s));
    }
  }
  std::size_t free_springs(int index) const {
    std::size_t used = 0;
    for (const Hand& hand : world.hands_)
      if (hand.body == index && hand.handle < 0) used += hand.nodes.size();
    return std::size_t(max_grabs) - std::min<std::size_t>(used, max_grabs);
  }
  static void scale_shares(Hand& hand) {
    double sum = 0;
    for (const double s : hand.share) sum += s;
    for (double& s : hand.share) s /= sum;
  }
  Hand* find_hand(int id, bool dent) const {
    for (Hand& hand : world.hands_)
      if (hand.client == call.client && hand.id == id && hand.dent == dent && !hand.cage) return &hand;
    return nullptr;
  }
  Hand& hand_of(const char* name, bool dent) const {
    const int id = args.whole(name, 1, 255);
    if (Hand* hand = find_hand(id, dent)) return *hand;
    refuse("bad_argument", fmt::format("{} {} holds nothing", name, id), "begin it first", name);
  }
  bool plastic(int index) const {
    const BodySpec& spec = world.spec_.bodies[std::size_t(index)];
    return spec.entry().can(spec.options(), Ability::plasticity);
  }
  /// What a hand does to a plastic body stays: its state before is kept.
  void remember_state(int index, const std::string& label) {
    if (!plastic(index)) return;
    Edit edit;
    edit.label = label;
    edit.before = edit.after = world.target_.document;
    edit.states_before[body_name(index)] = world.states().at(body_name(index));
    world.history_.add(std::move(edit));
    world.tell_history();
  }
  void begin(Hand hand, const char* name) {
    if (find_hand(hand.id, hand.dent))
      refuse("bad_argument", fmt::format("{} {} holds something already", name, hand.id), "end it first",
             name);
    if (world.hands_.size() >= std::size_t(max_grabs)) refuse("too_many", "all hands are taken");
    world.hands_.push_back(std::move(hand));
    world.touched();
  }

  Action grab_begin() {
    check_epoch();
    Hand hand;
    hand.client = call.client;
    hand.id = args.whole("grab", 1, 255);
    hand.body = body_index();
    read_point(hand);
    hand.begin = world.point_of(hand);
    hand.target = args.has("target") ? target_of("target", hand.body) : hand.begin;
    const double softness = args.number_or("softness", 0.5, 0, 1);
    const double radius = args.number_or("radius", 0, 0, 1e9);
    const Json result{{"stiffness", world.grab_stiffness(hand.body, softness)}};
    if (world.posing_) return pose_grab(std::move(hand), result);
    const std::size_t free = free_springs(hand.body);
    if (free == 0) refuse("too_many", "the body is held at as many nodes as it can be", "let go of a grab");
    if (radius > 0) within(hand, hand.begin, radius, free);
    if (hand.nodes.empty()) {
      hand.depth_share.clear();
      carriers(hand, std::min<std::size_t>(free, 4));
    }
    scale_shares(hand);
    hand.stiffness = world.grab_stiffness(hand.body, softness);
    const Points& x = body(hand.body).method().nodes().x;
    for (const Index node : hand.nodes) hand.offset.push_back(x[std::size_t(node)] - hand.begin);
    const int index = hand.body;
    if (find_hand(hand.id, false)) begin(hand, "grab");  // refuses before anything is remembered
    remember_state(index, fmt::format("Grab of {}", body_name(index)));
    begin(std::move(hand), "grab");
    return done(result);
  }
  Action grab_move() {
    Hand& hand = hand_of("grab", false);
    hand.target = target_of("target", hand.body);
    if (hand.handle >= 0) move_posed(hand);
    world.touched();
    return done();
  }
  Action grab_end() {
    Hand& hand = hand_of("grab", false);
    const std::string keep = args.text_or("keep", "none");
    if (keep != "none" && keep != "pin" && keep != "handle")
      refuse("bad_argument", "keep must be none, pin or handle", {}, "keep");
    if (args.has("target")) {
      hand.target = target_of("target", hand.body);
      if (hand.handle >= 0) move_posed(hand);
    }
    const Hand ended = hand;
    std::erase_if(world.hands_, [&](const Hand& h) {
      return h.client == ended.client && h.id == ended.id && h.dent == ended.dent;
    });
    Json result = Json::object();
    if (ended.handle < 0 && keep != "none") keep_held(ended, keep, result);
    world.history_.close_gesture();
    world.touched();
    return done(result);
  }

  /// A pin or a handle in place of the hand. It lets go also where that cannot be.
  void keep_held(const Hand& ended, const std::string& keep, Json& result) {
    std::vector<int> vertices;
    for (int c = 0; c < 3; ++c) vertices.push_back(int(ended.corners[std::size_t(c)]));
    try {
      if (keep == "pin")
        set_pins(ended.body, vertices, true, "");
      else
        result["handle"] = add_handle(ended.body, Json{{"vertices", vertices}},
                                      fmt::format("Handle on {}", body_name(ended.body)));
    } catch (const Refused& refused) {
      result["kept"] = false;
      result["why"] = refused.refusal.message;
    }
  }

  /// While posing, a grab is a handle that stays.
  Action pose_grab(Hand hand, Json result) {
    if (!world.can_pose(hand.body))
      refuse("not_supported",
             "what is dragged while posing becomes a handle, which a reduced body cannot take",
             "take away its reduction, or put the handle into the scene");
    if (find_hand(hand.id, false)) begin(hand, "grab");
    std::vector<int> vertices;
    for (int c = 0; c < 3; ++c) vertices.push_back(int(hand.corners[std::size_t(c)]));
    const std::string gesture = fmt::format("pose {} {}", hand.client, hand.id);
    const int handle = add_handle(hand.body, Json{{"vertices", vertices}},
                                  fmt::format("Pose of {}", body_name(hand.body)), gesture);
    hand.handle = handle;
    result["handle"] = handle;
    begin(std::move(hand), "grab");
    if (args.has("target")) move_posed(world.hands_.back());
    return done(result);
  }
  void move_posed(Hand& hand) {
    move_handle(hand.handle, hand.target - hand.begin, Eigen::Quaterniond::Identity(), Vec3(1, 1, 1),
                fmt::format("Pose of {}", body_name(hand.body)),
                fmt::format("pose {} {}", hand.client, hand.id));
  }

  Action dent_begin() {
    check_epoch();
    Hand hand;
    hand.client = call.client;
    hand.dent = true;
    hand.id = args.whole("dent", 1, 255);
    hand.body = body_index();
    if (world.posing_) refuse("not_supported", "a dent needs time", "leave posing first");
    read_point(hand);
    const double size = world.pieces_[std::size_t(hand.body)].size;
    const double radius = args.number_or("radius", 0.08 * size, 0, 1e9);
    hand.begin = world.point_of(hand);
    const std::size_t free = free_springs(hand.body);
    if (free == 0) refuse("too_many", "the body is held at as many nodes as it can be", "let go of a grab");
    if (radius > 0) within(hand, hand.begin, radius, free);
    if (hand.nodes.empty()) {
      hand.depth_share.clear();
      carriers(hand, std::min<std::size_t>(free, 4));
      hand.depth_share.assign(hand.nodes.size(), 1);
    }
    scale_shares(hand);
    // a dent is pressed by something hard: it ends where the hand is
    hand.stiffness = 10 * world.grab_stiffness(hand.body, 0.5);
    const Points& surface = body(hand.body).surface();
    const Vec3 a = surface[std::size_t(hand.corners[0])], b = surface[std::size_t(hand.corners[1])],
               c = surface[std::size_t(hand.corners[2])];
    hand.inward = -(b - a).cross(c - a).normalized();
    if (!hand.inward.allFinite()) refuse("bad_argument", "the face has no area", "press beside it", "face");
    hand.depth = depth_of(hand, 0);
    const Points& x = body(hand.body).method().nodes().x;
    for (const Index node : hand.nodes) hand.offset.push_back(x[std::size_t(node)]);
    const int index = hand.body;
    if (find_hand(hand.id, true)) begin(hand, "dent");
    remember_state(index, fmt::format("Dent in {}", body_name(index)));
    begin(std::move(hand), "dent");
    return done({{"stays", plastic(index)}});
  }
  /// m along the inward normal; negative pulls. At most half the body's size.
  double depth_of(const Hand& hand, double otherwise) const {
    const double most = 0.5 * world.pieces_[std::size_t(hand.body)].size;
    return std::clamp(args.number_or("depth", otherwise, -1e9, 1e9), -most, most);
  }
  Action dent_move() {
    Hand& hand = hand_of("dent", true);
    hand.depth = depth_of(hand, hand.depth);
    return done();
  }
  Action dent_end() {
    Hand& hand = hand_of("dent", true);
    hand.depth = depth_of(hand, hand.depth);
    const int id = hand.id;
    std::erase_if(world.hands_,
                  [&](const Hand& h) { return h.client == call.client && h.id == id && h.dent; });
    return done();
  }

  // ---- holds -----------------------------------------------------------------------------------------

  void check_holds_change(int index) const {
    if (!world.can_pose(index))
      refuse("not_supported", "the space of a reduced body is made for its own pins and handles",
             "take away its reduction, or edit the scene");
  }
  std::size_t pins_of(int index) const {
    return world.target_.document["bodies"][std::size_t(index)].value("pins", Json::array()).size();
  }
  void remember_holds(int index, const Json& before, std::vector<PlacedHold> holds, const std::string& label,
                      const std::string& gesture) {
    Edit edit;
    edit.label = label;
    edit.gesture = gesture;
    edit.before = before;
    edit.after = world.target_.document;
    edit.holds_before[body_name(index)] = std::move(holds);
    edit.holds_after[body_name(index)] = body(index).holds();
    world.history_.add(std::move(edit));
    ++world.holds_version_;
    world.touched();
    world.tell_history();
  }
  std::vector<Index> nodes_of(const Selector& selector, int index) const {
    return select_nodes(selector, *world.pieces_[std::size_t(index)].shape);
  }
  /// Surface vertices that are mainly carried by these nodes, as a selection that a scene can say.
  Json vertices_of(const std::vector<Index>& nodes, int index) const {
    const Gather& w = world.pieces_[std::size_t(index)].shape->embedding;
    Json out = Json::array();
    for (Index v = 0; v < w.rows(); ++v) {
      Index heaviest = -1;
      double most = 0;
      for (Index k = w.begin[std::size_t(v)]; k < w.begin[std::size_t(v) + 1]; ++k)
        if (w.weight[std::size_t(k)] > most)
          most = w.weight[std::size_t(k)], heaviest = w.column[std::size_t(k)];
      if (std::binary_search(nodes.begin(), nodes.end(), heaviest)) out.push_back(v);
    }
    return out;
  }

  void set_pins(int index, const std::vector<int>& vertices, bool on, const std::string& gesture) {
    check_holds_change(index);
    std::vector<Index> nodes = nodes_of({SelectVertices{vertices}}, index);
    std::vector<PlacedHold> holds = body(index).holds();
    const std::vector<PlacedHold> before_holds = holds;
    const Json before = world.target_.document;
    if (on)
      pin(index, vertices, std::move(nodes), holds);
    else
      unpin(index, nodes, holds);
    body(index).set_holds(std::move(holds));
    remember_holds(index, before, before_holds,
                   fmt::format("{} {}", on ? "Pin on" : "Unpin of", body_name(index)), gesture);
  }
  /// Pins given by hand share one entry: the last pin of the document, if it is a list of vertices.
  void pin(int index, const std::vector<int>& vertices, std::vector<Index> nodes,
           std::vector<PlacedHold>& holds) {
    for (const PlacedHold& placed : holds)
      std::erase_if(nodes, [&](Index n) {
        return std::find(placed.hold.nodes.begin(), placed.hold.nodes.end(), n) != placed.hold.nodes.end();
      });
    Json& json = body_json(world.target_.document, index);
    Json& pins = json["pins"];
    if (pins.is_null()) pins = Json::array();
    const bool grow = !pins.empty() && pins.back().size() == 1 && pins.back()["select"].contains("vertices");
    if (nodes.empty()) {
      if (pins.empty()) json.erase("pins");
      refuse("bad_argument", "all these vertices are held already");
    }
    PlacedHold here = body(index).hold_here(nodes);
    if (grow) {
      Json& list = pins.back()["select"]["vertices"];
      std::vector<int> all = list.get<std::vector<int>>();
      all.insert(all.end(), vertices.begin(), vertices.end());
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      list = all;
      PlacedHold& last = holds[pins.size() - 1];
      last.hold.nodes.insert(last.hold.nodes.end(), here.hold.nodes.begin(), here.hold.nodes.end());
      last.start.insert(last.start.end(), here.start.begin(), here.start.end());
    } else {
      holds.insert(holds.begin() + std::ptrdiff_t(pins.size()), std::move(here));
      pins.push_back({{"select", {{"vertices", vertices}}}});
    }
  }
  /// Nodes leave whatever holds them; what holds none is gone.
  void unpin(int index, const std::vector<Index>& nodes, std::vector<PlacedHold>& holds) {
    Json& json = body_json(world.target_.document, index);
    const std::size_t pins = pins_of(index);
    bool any = false;
    for (std::size_t k = holds.size(); k-- > 0;) {
      PlacedHold& placed = holds[k];
      PlacedHold rest = placed;
      rest.hold.nodes.clear();
      rest.start.clear();
      for (std::size_t n = 0; n < placed.hold.nodes.size(); ++n)
        if (!std::binary_search(nodes.begin(), nodes.end(), placed.hold.nodes[n])) {
          rest.hold.nodes.push_back(placed.hold.nodes[n]);
          rest.start.push_back(placed.start[n]);
        }
      if (rest.hold.nodes.size() == placed.hold.nodes.size()) continue;
      any = true;
      Json& list = k < pins ? json["pins"] : json["handles"];
      const std::size_t at = k < pins ? k : k - pins;
      std::vector<Index> sorted = rest.hold.nodes;
      std::sort(sorted.begin(), sorted.end());
      const Json left = vertices_of(sorted, index);
      if (rest.hold.nodes.empty() || left.empty()) {
        holds.erase(holds.begin() + std::ptrdiff_t(k));
        list.erase(at);
      } else {
        list[at]["select"] = Json{{"vertices", left}};
        placed = std::move(rest);
      }
    }
    if (!any) refuse("bad_argument", "nothing holds these vertices");
    for (const char* key : {"pins", "handles"})
      if (json.contains(key) && json[key].empty()) json.erase(key);
  }

  Action pin_set() {
    check_epoch();
    const int index = body_index();
    const std::vector<int> vertices = args.indices("vertices", int(body(index).rest_surface().size()), 8000);
    if (vertices.empty()) refuse("bad_argument", "vertices is empty", {}, "vertices");
    set_pins(index, vertices, args.yes_or("on", true), "");
    return done();
  }
  Action pin_brush() {
    check_epoch();
    Hand point;
    point.body = body_index();
    read_point(point);
    const double radius = args.number_or("radius", 0, 0, 1e9);
    const Vec3 p = world.point_of(point);
    const Points& surface = body(point.body).surface();
    std::vector<int> vertices;
    for (std::size_t i = 0; i < surface.size() && vertices.size() < 8000; ++i)
      if ((surface[i] - p).norm() <= radius) vertices.push_back(int(i));
    if (vertices.empty()) {
      Eigen::Index nearest = 0;
      point.weights.maxCoeff(&nearest);
      vertices.push_back(int(point.corners[std::size_t(nearest)]));
    }
    const std::string gesture =
        args.has("stroke") ? fmt::format("brush {} {}", call.client, args.whole("stroke", 0, 1 << 30)) : "";
    set_pins(point.body, vertices, args.yes_or("on", true), gesture);
    return done({{"vertices", vertices.size()}});
  }
  Action pin_clear() {
    check_epoch();
    const int index = body_index();
    check_holds_change(index);
    const std::size_t pins = pins_of(index);
    if (pins == 0) return done();
    const Json before = world.target_.document;
    std::vector<PlacedHold> holds = body(index).holds();
    const std::vector<PlacedHold> before_holds = holds;
    holds.erase(holds.begin(), holds.begin() + std::ptrdiff_t(pins));
    body_json(world.target_.document, index).erase("pins");
    body(index).set_holds(std::move(holds));
    remember_holds(index, before, before_holds, fmt::format("All pins off {}", body_name(index)), "");
    return done();
  }

  static constexpr int handles_a_body = 256;  // ids: body * 256 + place among its handles
  int add_handle(int index, const Json& select, const std::string& label, const std::string& gesture = "") {
    check_holds_change(index);
    const Json handle{{"select", select}, {"motion", Json::array({{{"time", 0}}})}};
    const Json before = world.target_.document;
    Json after = before;
    Json& handles = body_json(after, index)["handles"];
    if (handles.is_null()) handles = Json::array();
    if (handles.size() + 1 >= handles_a_body) refuse("too_many", "a body has at most 255 handles");
    handles.push_back(handle);
    const ParsedScene scene = parse_scene(after.dump(), world.target_.file);
    if (!scene.problems.empty()) throw Refused{refusal_of({"", scene.problems}, "bad_argument")};
    std::vector<Index> nodes = nodes_of(scene.spec.bodies[std::size_t(index)].handles.back().select, index);
    std::vector<PlacedHold> holds = body(index).holds();
    const std::vector<PlacedHold> before_holds = holds;
    for (const PlacedHold& placed : holds)
      std::erase_if(nodes, [&](Index n) {
        return std::find(placed.hold.nodes.begin(), placed.hold.nodes.end(), n) != placed.hold.nodes.end();
      });
    if (nodes.empty())
      refuse("bad_argument", "the selection has no node that nothing holds yet", "unpin them first",
             "select");
    PlacedHold here = body(index).hold_here(std::move(nodes));
    here.hold.motion.keys = {MotionKey{}};
    holds.push_back(std::move(here));
    const int id = index * handles_a_body + int(handles.size()) - 1;
    world.target_.document = std::move(after);
    body(index).set_holds(std::move(holds));
    remember_holds(index, before, before_holds, label, gesture);
    world.structure_changed();
    return id;
  }
  /// The body of a handle and its place among the holds.
  std::pair<int, std::size_t> handle_at(int id) const {
    const int index = id / handles_a_body;
    if (index >= int(world.pieces_.size())) refuse("bad_argument", "there is no such handle", {}, "handle");
    const std::size_t at = pins_of(index) + std::size_t(id % handles_a_body);
    if (at >= body(index).holds().size()) refuse("bad_argument", "there is no such handle", {}, "handle");
    return {index, at};
  }
  void move_handle(int id, const Vec3& translate, const Eigen::Quaterniond& rotate, const Vec3& scale,
                   const std::string& label, const std::string& gesture) {
    const auto [index, at] = handle_at(id);
    const Json before = world.target_.document;
    std::vector<PlacedHold> holds = body(index).holds();
    const std::vector<PlacedHold> before_holds = holds;
    const Eigen::AngleAxisd turn(rotate);
    MotionKey key;
    key.translate = translate;
    key.rotate.axis = turn.axis();
    key.rotate.degrees = turn.angle() * 180 / std::numbers::pi;
    holds[at].hold.motion.keys = {key};
    holds[at].scale = scale;
    Json& json = body_json(world.target_.document, index)["handles"][std::size_t(id % handles_a_body)];
    json["motion"] =
        Json::array({{{"time", 0},
                      {"translate", json_of(translate)},
                      {"rotate", {{"axis", json_of(turn.axis())}, {"degrees", key.rotate.degrees}}}}});
    json.erase("scale");
    if (scale != Vec3(1, 1, 1)) json["scale"] = json_of(scale);
    body(index).set_holds(std::move(holds));
    remember_holds(index, before, before_holds, label, gesture);
  }

  Action handle_add() {
    check_epoch();
    const int index = body_index();
    const int id = add_handle(index, args.at("select"), fmt::format("Handle on {}", body_name(index)));
    return done({{"handle", id}});
  }
  Eigen::Quaterniond rotation_of(const char* name) const {
    if (!args.has(name)) return Eigen::Quaterniond::Identity();
    const Json& json = args.at(name);
    if (!json.is_array() || json.size() != 4)
      refuse("bad_argument", fmt::format("{} must be a quaternion x, y, z, w", name), {}, name);
    Eigen::Vector4d q;
    for (int c = 0; c < 4; ++c) {
      if (!json[std::size_t(c)].is_number())
        refuse("bad_argument", fmt::format("{} must be four numbers", name), {}, name);
      q[c] = json[std::size_t(c)].get<double>();
    }
    if (!(q.norm() > 1e-6) || !q.allFinite())
      refuse("bad_argument", fmt::format("{} has no length", name), {}, name);
    return Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized();
  }
  Action handle_move() {
    const int id = args.whole("handle", 0, 1 << 24);
    const int index = handle_at(id).first;
    Vec3 scale(1, 1, 1);
    if (args.has("scale")) {
      scale = args.at("scale").is_number() ? Vec3(Vec3::Constant(args.number("scale", 0.01, 100)))
                                           : args.vector("scale");
      if (!(scale.minCoeff() >= 0.01 && scale.maxCoeff() <= 100))
        refuse("out_of_range", "scale must be 0.01 to 100", {}, "scale");
    }
    const Vec3 translate = args.has("translate") ? args.vector("translate") : Vec3(0, 0, 0);
    const bool last = args.yes_or("final", false);
    move_handle(id, translate, rotation_of("rotate"), scale,
                fmt::format("Move of a handle of {}", body_name(index)),
                fmt::format("handle {} {}", call.client, id));
    if (last) world.history_.close_gesture();
    return done();
  }
  Action handle_remove() {
    const int id = args.whole("handle", 0, 1 << 24);
    const auto [index, at] = handle_at(id);
    check_holds_change(index);
    const Json before = world.target_.document;
    std::vector<PlacedHold> holds = body(index).holds();
    const std::vector<PlacedHold> before_holds = holds;
    holds.erase(holds.begin() + std::ptrdiff_t(at));
    Json& json = body_json(world.target_.document, index);
    json["handles"].erase(std::size_t(id % handles_a_body));
    if (json["handles"].empty()) json.erase("handles");
    body(index).set_holds(std::move(holds));
    std::erase_if(world.hands_, [](const Hand& hand) { return hand.handle >= 0; });  // their numbers moved
    remember_holds(index, before, before_holds, fmt::format("Handle off {}", body_name(index)), "");
    world.structure_changed();
    return done();
  }

  // ---- cages and skeletons -------------------------------------------------------------------------------

  /// Vertices of the cage are pulled to their targets by springs; they let go with the gesture, unless
  /// posing.
  Action cage_move() {
    const int index = body_index();
    const auto* caged = dynamic_cast<const cage::Body*>(&body(index).method());
    if (!caged)
      refuse("not_supported", fmt::format("{} has no cage", body_name(index)), "switch its method to cage");
    const std::vector<int> vertices =
        args.indices("vertices", int(caged->model().cage.vertices.size()), std::size_t(max_grabs));
    const Points targets = args.vectors("targets", std::size_t(max_grabs));
    if (vertices.size() != targets.size() || vertices.empty())
      refuse("bad_argument", "vertices and targets must be lists of one length", {}, "targets");
    const bool last = args.yes_or("final", false);
    std::erase_if(world.hands_, [&](const Hand& hand) {
      return hand.client == call.client && hand.body == index && hand.cage;
    });
    const std::size_t free = free_springs(index);
    if (vertices.size() > free)
      refuse("too_many",
             fmt::format("{} vertices at a time are too many, {} can be held", vertices.size(), free),
             "move fewer");
    Hand hand;
    hand.client = call.client;
    hand.cage = true;
    hand.body = index;
    hand.corners = body(index).triangles().front();
    hand.weights = Vec3(1, 0, 0);
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      hand.nodes.push_back(Index(caged->model().nodes.size()) + vertices[k]);
      hand.share.push_back(1.0 / double(vertices.size()));
      hand.offset.push_back(targets[k]);
    }
    // what a hold of the body has, so that the cage goes where it is put
    const auto& options = world.spec_.bodies[std::size_t(index)].options_of<cage::Options>();
    hand.stiffness = options.hold * options.stiffness * world.pieces_[std::size_t(index)].size;
    if (!last || world.posing_) world.hands_.push_back(std::move(hand));
    world.touched();
    return done();
  }

  meshless::Body& flesh(int index) const {
    auto* of = dynamic_cast<meshless::Body*>(&body(index).method());
    if (!of || of->rig().empty())
      refuse("not_supported", fmt::format("{} has no skeleton", body_name(index)),
             "bones belong to the meshless method: bodies.N.meshless.skeleton");
    return *of;
  }
  /// Drives a joint from where the skeleton is now.
  Action drive(const std::function<void(const std::vector<JointPose>&, const Skeleton&, Index,
                                        meshless::DrivenJoint&)>& change,
               const char* what) {
    const int index = body_index();
    meshless::Body& of = flesh(index);
    const Skeleton& skeleton = of.rig().bones().skeleton();
    const Index joint = args.whole("joint", 0, int(skeleton.joints.size()) - 1);
    const std::vector<JointPose> poses = skeleton.pose(world.simulation_->time());
    meshless::DrivenJoint driven{joint, poses[std::size_t(joint)].turn, poses[std::size_t(joint)].move};
    change(poses, skeleton, joint, driven);
    const std::string gesture = fmt::format("joint {} {} {}", call.client, index, joint);
    Edit edit;
    edit.label = fmt::format("{} {}", what, skeleton.joints[std::size_t(joint)].name);
    edit.gesture = gesture;
    edit.before = edit.after = world.target_.document;
    edit.states_before[body_name(index)] = world.states().at(body_name(index));
    const std::string trouble = of.drive_joint(driven);
    if (!trouble.empty()) refuse("not_supported", trouble);
    edit.states_after[body_name(index)] = world.states().at(body_name(index));
    world.history_.add(std::move(edit));
    if (args.yes_or("final", false)) world.history_.close_gesture();
    world.touched();
    world.tell_history();
    return done();
  }
  /// rotation: of the rest material that follows the joint (D_j of geometry/skeleton.hpp).
  Action joint_rotate() {
    const Eigen::Quaterniond rotation = rotation_of("rotation");
    return drive(
        [&](const std::vector<JointPose>& poses, const Skeleton& skeleton, Index joint,
            meshless::DrivenJoint& driven) {
          const Index parent = skeleton.joints[std::size_t(joint)].parent;
          const Quat above = parent < 0 ? Quat::Identity() : poses[std::size_t(parent)].rotation;
          Quat local = above.conjugate() * rotation;
          // of q and -q the one nearer to where the joint is
          if (local.dot(lifted_rotation(driven.turn)) < 0) local.coeffs() = -local.coeffs();
          driven.turn = turn_near(local, driven.turn);
        },
        "Turn of");
  }
  Action joint_move() {
    const Vec3 target = args.vector("target");
    return drive(
        [&](const std::vector<JointPose>& poses, const Skeleton& skeleton, Index joint,
            meshless::DrivenJoint& driven) {
          const Index parent = skeleton.joints[std::size_t(joint)].parent;
          const Quat above = parent < 0 ? Quat::Identity() : poses[std::size_t(parent)].rotation;
          driven.move += above.conjugate() * (target - poses[std::size_t(joint)].position);
        },
        "Move of");
  }

  // ---- options, methods, bodies, scenes ----------------------------------------------------------------

  Rework rework(std::string label) const {
    Rework out;
    out.call = call;
    out.label = std::move(label);
    return out;
  }
  Action set_to(const std::string& path, Json value, bool last) {
    const Json& document = world.target_.document;
    const auto known = find_option(document, path);
    if (!known) {
      const std::string nearest = nearest_name(path, option_paths(document));
      refuse("unknown_path", fmt::format("there is no option {}", path),
             nearest.empty() ? "" : fmt::format("did you mean {}?", nearest), path, nearest);
    }
    const std::string gesture = fmt::format("option {} {}", call.client, path);
    const bool goes_on = world.history_.can_undo() && world.history_.undone().gesture == gesture;
    const Json from = option_value(goes_on ? world.history_.undone().before : document, path);
    const std::string to = value.is_null() ? "default" : value.dump();
    Rework change = rework(fmt::format("{} {} \u2192 {}", known->name, from.dump(), to));
    change.gesture = gesture;
    change.last = last;
    change.edit = [path, value](Json& json) { set_option(json, path, value); };
    if (path.rfind("bodies.", 0) == 0) {
      const std::size_t index = std::stoul(path.substr(7));
      change.body = body_name(int(index));
      change.result["body"] = index;
    }
    return {.change = std::move(change)};
  }
  Action option_set() { return set_to(args.text("path"), args.at("value"), args.yes_or("final", true)); }
  Action option_reset() { return set_to(args.text("path"), Json(), true); }

  Action method() {
    const int index = body_index();
    const std::string name = args.text("name");
    const auto& names = method_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
      refuse("bad_argument", fmt::format("there is no method {}", name), did_you_mean(name, names), "name",
             nearest_name(name, names));
    const std::string now = world.spec_.bodies[std::size_t(index)].method;
    if (now == name) return done();
    Rework change = rework(fmt::format("Method {} \u2192 {}", now, name));
    change.keeps_state = true;
    change.body = body_name(index);
    change.edit = switch_to(index, name);
    return {.change = std::move(change)};
  }
  /// The document's edit that gives a body another method.
  std::function<void(Json&)> switch_to(int index, const std::string& name) const {
    const std::string now = world.spec_.bodies[std::size_t(index)].method;
    const double stiffness =
        option_value(world.target_.document, fmt::format("bodies.{}.{}.stiffness", index, now)).get<double>();
    const Json cells = cells_for(index);
    return [index, name, stiffness, cells](Json& json) {
      Json& body = json["bodies"][std::size_t(index)];
      body["method"] = name;
      if (set_cells(body["shape"], name == "fem" ? cells : Json())) body["fem"]["element"] = "hexahedron";
      // the same material, where the new method has not been told another
      if (!body.contains(name) || !body[name].contains("stiffness")) body[name]["stiffness"] = stiffness;
      const bool caged =
          body[name].contains("file") || body[name].contains("budget") || body[name].contains("cells");
      if (name == "cage" && !caged) body[name]["budget"] = automatic_budget;
    };
  }

  /// Bones drawn by clicks through the body: each sample is midway between where the ray of the click enters
  /// the body and where it leaves it [ZJU06, section on skeletons], said on the rest surface, so that a body
  /// that is bent gets them where they belong.
  Action skeleton_set() {
    check_epoch();
    const int index = body_index();
    const Json& samples = args.at("samples");
    if (!samples.is_array() || samples.size() < 2 || samples.size() > most_samples)
      refuse("bad_argument", fmt::format("samples must be a list of 2 to {}", most_samples), {}, "samples");
    Json joints = Json::array();
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const Arguments sample(samples[k]);
      const int parent = sample.whole_or("parent", int(k) - 1, -1, int(k) - 1);
      const Vec3 at = (rest_point(sample.at("in"), index) + rest_point(sample.at("out"), index)) / 2;
      joints.push_back({{"name", fmt::format("joint{}", k + 1)}, {"position", json_of(at)}});
      if (parent >= 0) joints.back()["parent"] = fmt::format("joint{}", parent + 1);
    }
    Rework change = rework(fmt::format("Skeleton of {}", body_name(index)));
    change.keeps_state = true;
    change.body = body_name(index);
    const std::function<void(Json&)> meshless = switch_to(index, "meshless");
    change.edit = [index, meshless, joints](Json& json) {
      meshless(json);
      json["bodies"][std::size_t(index)]["meshless"]["skeleton"] =
          Json{{"joints", joints}, {"like_mesh", false}};
    };
    return {.change = std::move(change)};
  }
  static constexpr std::size_t most_samples = 256;
  Vec3 rest_point(const Json& json, int index) const {
    const Arguments at(json);
    const Body& of = body(index);
    const Triangle corners = of.triangles()[std::size_t(at.whole("face", 0, int(of.triangles().size()) - 1))];
    const Vec3 weights = at.vector("bary");
    if (weights.minCoeff() < -1e-3 || std::abs(weights.sum() - 1) > 1e-2)
      refuse("bad_argument", "bary must be three shares that sum to 1", {}, "bary");
    Vec3 out = Vec3::Zero();
    for (int c = 0; c < 3; ++c) out += weights[c] * of.rest_surface()[std::size_t(corners[std::size_t(c)])];
    return out;
  }
  /// Finite elements need cells where other methods fill a surface with nodes: 20 along its longest side.
  Json cells_for(int index) const {
    const Bounds box = bounds_of(body(index).rest_surface());
    const Vec3 size = box.max - box.min;
    Json out = Json::array();
    for (int c = 0; c < 3; ++c) out.push_back(std::max(2, int(std::lround(20 * size[c] / size.maxCoeff()))));
    return out;
  }
  /// null: none. False: it has none now, or is made of cells anyway and has no such key.
  static bool set_cells(Json& shape, const Json& cells) {
    for (const char* kind : {"mesh", "blobs", "bumpy_bar"}) {
      if (!shape.contains(kind)) continue;
      Json& at = std::string(kind) == "mesh" ? shape : shape[kind];
      if (cells.is_null())
        at.erase("cells");
      else if (!at.contains("cells"))
        at["cells"] = cells;
      return !cells.is_null();
    }
    return false;
  }
  static constexpr int automatic_budget = 300;  // degrees of freedom of a cage that nobody asked for

  Action body_add() {
    // a replay knows uploads by their file's name
    const std::string upload = args.has("file") ? args.text("file") : args.text("upload");
    const std::filesystem::path file =
        world.options_.upload ? world.options_.upload(upload) : std::filesystem::path();
    if (file.empty())
      refuse("bad_argument", fmt::format("there is no upload {}", upload), "send the mesh again", "upload");
    const std::string method = args.text_or("method", "geometric");
    std::string name = args.text_or("name", file.stem().string());
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
    if (name.empty()) name = "body";
    world.uploaded_.insert(file.string());
    Json shape{{"mesh", file.string()}};
    if (args.has("units")) {
      const Json& units = args.at("units");
      if (units.is_number())
        shape["scale"] = args.number("units", 1e-9, 1e9);  // metres a unit, as "fit 1 m" needs it
      else
        shape["unit"] = args.text("units");
    }
    if (args.has("up")) shape["up"] = args.text("up");
    if (args.has("nodes")) shape["nodes"] = args.whole("nodes", 8, 1000000);
    if (args.has("translate")) shape["translate"] = json_of(args.vector("translate"));
    Json body{{"shape", shape}, {"method", method}};
    if (method == "cage") body["cage"] = Json{{"budget", automatic_budget}};
    if (method == "fem") {
      body["shape"]["cells"] = Json::array({16, 16, 16});
      body["fem"]["element"] = "hexahedron";
    }
    const bool replace = args.has("replace") && args.at("replace") != false;
    const int replaced = !replace ? -1 : args.at("replace").is_boolean() ? 0 : body_index("replace");
    Rework change = rework(replace ? fmt::format("Replace by {}", name) : fmt::format("Add {}", name));
    change.keeps_state = replace;
    if (replaced >= 0 && replaced < int(world.pieces_.size())) change.body = body_name(replaced);
    change.call.args["file"] = file.filename().string();
    change.edit = [body, name, replaced](Json& json) {
      Json made = body;
      if (!json.contains("bodies")) json["bodies"] = Json::array();
      Json& bodies = json["bodies"];
      if (replaced >= 0 && replaced < int(bodies.size())) bodies.erase(std::size_t(replaced));
      std::string unique = name;
      for (int k = 2; std::any_of(bodies.begin(), bodies.end(),
                                  [&](const Json& b) { return b.value("name", "body") == unique; });
           ++k)
        unique = fmt::format("{}-{}", name, k);
      made["name"] = unique;
      bodies.push_back(made);
      for (const char* key : {"probes", "expect"}) json.erase(key);  // they speak of the scene as it was
      if (!json.contains("colliders")) json["colliders"] = Json::array();
    };
    return {.change = std::move(change)};
  }
  Action body_remove() {
    const int index = body_index();
    Rework change = rework(fmt::format("Remove {}", body_name(index)));
    change.keeps_state = true;
    change.body = body_name(index);
    change.edit = [index](Json& json) {
      json["bodies"].erase(std::size_t(index));
      for (const char* key : {"probes", "expect"}) json.erase(key);
    };
    return {.change = std::move(change)};
  }
  Action scene_load() {
    const std::string name = args.text("name");
    Result<ParsedScene> parsed = read_scene(name, world.options_.libraries);
    if (!parsed) {
      Refusal refusal = refusal_of(parsed.error(), "bad_argument");
      refusal.where = "name";
      throw Refused{refusal};
    }
    if (!parsed->readable) throw Refused{refusal_of(parsed->error(), "build_failed")};
    Rework change = rework(fmt::format("Load {}", name));
    change.whole = Target{Json::parse(parsed->text), parsed->file, name};
    return {.change = std::move(change)};
  }

  // ---- time and history ----------------------------------------------------------------------------------

  Action reset() {
    Edit edit;
    edit.label = "Reset";
    edit.before = edit.after = world.target_.document;
    Writer writer;
    world.simulation_->save(writer);
    edit.states_before[""] = writer.bytes();
    world.reset();
    world.history_.add(std::move(edit));
    world.tell_history();
    return done();
  }
  Action pose() {
    const bool on = args.yes("on");
    if (on == world.posing_) return done();
    if (on)
      for (int i = 0; i < int(world.pieces_.size()); ++i)
        if (!world.can_pose(i))
          refuse("not_supported",
                 fmt::format("{} is in reduced space and takes no new handles, which posing makes",
                             body_name(i)),
                 "take away its reduction, or put the handle into the scene");
    world.hands_.clear();
    world.posing_ = on;
    world.pose_text_.clear();
    world.touched();
    return done();
  }
  Action undo() {
    if (!world.history_.can_undo()) refuse("not_supported", "there is nothing to undo");
    Rework change = rework(world.history_.undone().label);
    change.kind = Rework::Kind::undo;
    change.result["label"] = change.label;
    return {.change = std::move(change)};
  }
  Action redo() {
    if (!world.history_.can_redo()) refuse("not_supported", "there is nothing to redo");
    Rework change = rework(world.history_.redone().label);
    change.kind = Rework::Kind::redo;
    change.result["label"] = change.label;
    return {.change = std::move(change)};
  }
  Action leave() {
    const auto held =
        std::erase_if(world.hands_, [&](const Hand& hand) { return hand.client == call.client; });
    return {.done = Json::object(), .changes_nothing = held == 0};
  }
};

const std::map<std::string, Commands::Handler>& Commands::table() {
  static const std::map<std::string, Handler> all{{"grab.begin", &Commands::grab_begin},
                                                  {"grab.move", &Commands::grab_move},
                                                  {"grab.end", &Commands::grab_end},
                                                  {"dent.begin", &Commands::dent_begin},
                                                  {"dent.move", &Commands::dent_move},
                                                  {"dent.end", &Commands::dent_end},
                                                  {"pin.set", &Commands::pin_set},
                                                  {"pin.brush", &Commands::pin_brush},
                                                  {"pin.clear", &Commands::pin_clear},
                                                  {"handle.add", &Commands::handle_add},
                                                  {"handle.move", &Commands::handle_move},
                                                  {"handle.remove", &Commands::handle_remove},
                                                  {"cage.move", &Commands::cage_move},
                                                  {"joint.rotate", &Commands::joint_rotate},
                                                  {"joint.move", &Commands::joint_move},
                                                  {"option.set", &Commands::option_set},
                                                  {"option.reset", &Commands::option_reset},
                                                  {"method", &Commands::method},
                                                  {"skeleton.set", &Commands::skeleton_set},
                                                  {"body.add", &Commands::body_add},
                                                  {"body.remove", &Commands::body_remove},
                                                  {"scene.load", &Commands::scene_load},
                                                  {"reset", &Commands::reset},
                                                  {"pose", &Commands::pose},
                                                  {"undo", &Commands::undo},
                                                  {"redo", &Commands::redo},
                                                  {"leave", &Commands::leave}};
  return all;
}

Action World::interpret(const Call& call) {
  const auto handler = Commands::table().find(call.cmd);
  try {
    if (handler == Commands::table().end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : Commands::table()) names.push_back(name);
      refuse("unknown_command", fmt::format("there is no command {}", call.cmd), {}, {},
             nearest_name(call.cmd, names));
    }
    Commands commands{*this, call, Arguments(call.args)};
    Action action = (commands.*handler->second)();
    if (action.done && !action.changes_nothing) log(call);
    if (!action.change) return action;
    const Outcome<BuildJob> job = plan(*action.change);
    if (!job) return {.refused = job.refusal};
    if (!job.value->nothing()) return action;
    Outcome<Json> result = finish(*action.change, *job.value, {});
    if (!result) return {.refused = result.refusal};
    return {.done = std::move(*result.value)};
  } catch (const Refused& refused) {
    return {.refused = refused.refusal};
  } catch (const Json::exception& error) {  // texts that are no UTF-8
    return {.refused = Refusal{"bad_argument", error.what()}};
  }
}

}  // namespace pliant::view
