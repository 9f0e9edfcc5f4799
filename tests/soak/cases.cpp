// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "pliant/methods/catalogue.hpp"
#include "pliant/scene/material.hpp"
#include "pliant/scene/spec_layout.hpp"
#include "tests/soak/dice.hpp"
#include "tests/soak/meshes.hpp"

namespace pliant::soak {
namespace {

using Kind = Description::Kind;
using Entry = Description::Entry;

/// What makes a step expensive is kept small, so that there are many.
const std::map<std::string, double>& most_of_what_costs() {
  static const std::map<std::string, double> most{
      {"iterations", 60}, {"sweeps", 300}, {"refinements", 3}, {"points", 400},    {"budget", 90},
      {"modal", 5},       {"basis", 6},    {"cubature", 40},   {"resolution", 16}, {"substeps", 4},
      {"count", 3},       {"leaves", 1},   {"most", 1000},     {"support", 1.6}};
  return most;
}

/// What needs files, or names that exist.
const std::set<std::string>& left_alone() {
  static const std::set<std::string> names{"file",  "samples", "skeleton", "regions", "finer", "bones",
                                           "joint", "bodies",  "cells",    "name",    "seed"};
  return names;
}

const Entry* find(const Description& description, const std::string& name) {
  for (const Entry& entry : description.entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

const Description& scene_description() { return layout_of<SceneSpec>().description; }
const Description& body_description() { return *find(scene_description(), "bodies")->of; }
const Description& of_body(const std::string& name) { return *find(body_description(), name)->of; }

Json list_of(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

/// Mostly about the default, else anywhere in the range.
double number_in(const Entry& entry, double initial, Dice& dice) {
  const OptionFacts& facts = entry.facts;
  const auto cost = most_of_what_costs().find(entry.name);
  const double high = std::min({facts.max, 1e15, cost == most_of_what_costs().end() ? 1e15 : cost->second});
  const double low = std::max(facts.min, -high);
  if (std::isfinite(initial) && initial > 0 && dice.chance(0.6))
    return std::clamp(initial * dice.log_between(0.1, 10), low, high);
  if (low < 0 || high < 1e3 * std::max(low, 1e-3)) {
    const double value = dice.between(low, high);
    return facts.above_min && value <= low ? high : value;
  }
  if (!facts.above_min && dice.chance(0.1)) return low;
  return dice.log_between(low > 0 ? low : std::min(1e-4, 1e-6 * high), high);
}

struct RandomValue {
  const Entry& entry;
  Dice& dice;

  Json operator()(double initial) const { return number_in(entry, initial, dice); }
  Json operator()(int initial) const { return int(number_in(entry, initial, dice)); }
  Json operator()(bool) const { return dice.chance(0.5); }
  Json operator()(const std::optional<bool>&) const { return dice.chance(0.5); }
  Json operator()(const std::string&) const {
    const auto& choices = entry.facts.choices;
    return choices.empty() ? Json() : Json(choices[std::size_t(dice.below(int(choices.size())))]);
  }
  Json operator()(const Vec3& initial) const {
    Json out = Json::array();
    for (int c = 0; c < 3; ++c) out.push_back(number_in(entry, initial[c], dice));
    return out;
  }
  template <class T>
  Json operator()(const T&) const {  // lists: made by hand below
    return Json();
  }
};

/// Each option of the object with this chance; objects inside it, too.
Json options_of(const Description& description, double chance, Dice& dice) {
  Json out = Json::object();
  for (const Entry& entry : description.entries) {
    if (left_alone().contains(entry.name)) continue;
    if (!dice.chance(entry.kind == Kind::optional_object ? 0.5 * chance : chance)) continue;
    if (entry.kind == Kind::value) {
      Json value = std::visit(RandomValue{entry, dice}, entry.initial);
      if (!value.is_null()) out[entry.name] = std::move(value);
    } else if (entry.kind != Kind::list) {
      out[entry.name] = options_of(*entry.of, 0.4, dice);
    }
  }
  return out;
}

void add(Json& to, const Json& more) {
  for (const auto& [key, value] : more.items()) to[key] = value;
}

Json turn(Dice& dice, double most) {
  return {{"axis", list_of(dice.direction())}, {"degrees", dice.between(-most, most)}};
}

class CaseMaker {
 public:
  CaseMaker(std::uint64_t seed, std::uint64_t number) : dice_(seed, number) {}

  Json make() {
    size_ = dice_.chance(0.8) ? 0.3 : dice_.log_between(0.003, 30);
    meeting_ = dice_.chance(0.5);
    scene_ = {{"timestep", step_length()}, {"gravity", gravity()}};
    if (dice_.chance(0.1)) scene_["substeps"] = dice_.from(2, 4);
    if (dice_.chance(0.4)) scene_["sleeping"] = dice_.one_of({"always", "never"});
    const int bodies = dice_.one_of({1, 1, 1, 2, 2, 3, 4});
    top_ = 0.02 * size_;
    for (int i = 0; i < bodies; ++i) scene_["bodies"].push_back(body(i));
    if (dice_.chance(0.8)) scene_["colliders"].push_back(ground());
    while (dice_.chance(0.15)) scene_["colliders"].push_back(collider());
    while (dice_.chance(0.08)) scene_["forces"].push_back(force());
    if (bodies > 1 && dice_.chance(0.1)) scene_["bonds"].push_back(bond());
    const int steps = dice_.one_of({100, 300, 600});
    Json out{{"scene", scene_}, {"steps", steps}};
    if (!meshes_.empty()) out["meshes"] = meshes_;
    if (dice_.chance(0.3)) out["twin"] = dice_.below(steps / 2);
    for (int i = dice_.one_of({0, 0, 1, 3, 6}); i > 0; --i)
      out["edits"].push_back(edit(dice_.from(steps / 2 + twin_steps, steps + twin_steps)));
    return out;
  }

 private:
  static constexpr int twin_steps = 20;  // edits come after them

  double step_length() {
    return dice_.chance(0.8) ? dice_.one_of({1.0 / 240, 1.0 / 120, 1.0 / 60, 1.0 / 60, 1.0 / 30})
                             : dice_.log_between(1e-4, 0.1);
  }
  Json gravity() {
    if (dice_.chance(0.75)) return list_of({0, -9.81, 0});
    return list_of(dice_.chance(0.5) ? Vec3(0, 0, 0) : dice_.in_cube(20));
  }

  // ---- bodies

  Json body(int index) {
    const auto& names = method_names();
    const std::string method = names[std::size_t(dice_.below(int(names.size())))];
    const double size = size_ * dice_.between(0.3, 1);
    const double gap = dice_.chance(0.1) ? -0.3 * size : dice_.log_between(0.01, 1) * size;
    const Vec3 side =
        (dice_.chance(0.5) ? 0.05 : 0.6) * Vec3(dice_.between(-size, size), 0, dice_.between(-size, size));
    const Vec3 centre = Vec3(0, top_ + gap + size / 2, 0) + side;
    top_ = centre.y() + size / 2;
    Json out{{"name", fmt::format("b{}", index)}, {"method", method}, {"shape", shape(centre, size)}};
    Json settings = options_of(of_body(method), dice_.one_of({0.0, 0.0, 0.05, 0.15}), dice_);
    if (find(of_body(method), "stiffness") && !settings.contains("stiffness"))
      settings["stiffness"] = dice_.log_between(3e3, 3e8);
    if (method == "cage" && !settings.contains("budget")) settings["budget"] = dice_.from(30, 90);
    if (find(of_body(method), "skeleton") && dice_.chance(0.15))
      settings["skeleton"] = skeleton(centre, size);
    out[method] = settings;
    out["density"] = dice_.chance(0.8) ? dice_.log_between(100, 5000) : dice_.log_between(1e-2, 1e5);
    if (dice_.chance(0.1)) out["material"] = material();
    if (dice_.chance(0.4)) out["damping"] = options_of(of_body("damping"), 0.7, dice_);
    if (dice_.chance(0.3)) out["friction"] = dice_.log_between(0.01, 10);
    Json contact = options_of(of_body("contact"), dice_.chance(0.2) ? 0.2 : 0, dice_);
    if (meeting_) contact["bodies"] = true;
    // Tolerances in meters are of any size in their tables, which would make a body keep metres from the ground.
    for (const char* length : {"offset", "thickness"})
      if (contact.contains(length)) contact[length] = size * dice_.log_between(1e-3, 0.05);
    if (!contact.empty()) out["contact"] = contact;
    if (dice_.chance(0.15)) out["pins"].push_back(hold(centre, size));
    if (dice_.chance(0.12)) out["handles"].push_back(handle(centre, size));
    if (dice_.chance(0.4)) out["initial"] = initial(size);
    if (dice_.chance(0.06))
      out["repeat"] = {{"count", dice_.from(2, 3)}, {"translate", list_of({0, 1.2 * size, 0.1 * size})}};
    return out;
  }

  std::string material() {
    const auto& all = materials();
    return all[std::size_t(dice_.below(int(all.size())))].name;
  }

  Json shape(const Vec3& centre, double size) {
    const Json at = list_of(centre);
    const double r = size / 2, slim = dice_.between(0.3, 1);
    switch (dice_.below(20)) {
      case 0:
      case 1:
        return {{"sphere", {{"radius", r}, {"nodes", dice_.from(4, 6)}, {"center", at}}}};
      case 2:
        return {{"ellipsoid",
                 {{"radii", list_of({r, r * slim, r * dice_.between(0.3, 1)})},
                  {"nodes", dice_.from(4, 6)},
                  {"center", at}}}};
      case 3:
      case 4:
        return {{"cylinder",
                 {{"radius", r * slim}, {"height", size}, {"nodes", {4, dice_.from(2, 6)}}, {"center", at}}}};
      case 5:
        return {{"torus",
                 {{"ring_radius", 0.7 * r},
                  {"tube_radius", 0.3 * r * slim},
                  {"nodes", {4, dice_.from(8, 14)}},
                  {"center", at}}}};
      case 6:
      case 7:
        return {{"sheet",
                 {{"size", {size, size * slim}},
                  {"nodes", {dice_.from(2, 8), dice_.from(2, 8)}},
                  {"thickness", size * dice_.log_between(1e-3, 0.05)},
                  {"center", at}}}};
      case 8:
      case 9:
        return blobs(centre, size);
      case 10:
        return {{"bumpy_bar",
                 {{"length", size},
                  {"radius", 0.2 * size},
                  {"bump", 0.02 * size},
                  {"waves", {2, 3}},
                  {"resolution", {12, 14}},
                  {"nodes", dice_.from(20, 100)},
                  {"center", at}}}};
      case 11:
      case 12:
      case 13:
      case 14:
        return mesh(centre, size);
      default: {
        const Vec3 edges = size * Vec3(slim, dice_.between(0.3, 1), dice_.between(0.3, 1));
        Json box{{"size", list_of(edges)},
                 {"nodes", {dice_.from(2, 5), dice_.from(2, 5), dice_.from(2, 5)}},
                 {"corner", list_of(centre - edges / 2)}};
        if (dice_.chance(0.1)) box["neighbourhood"] = "all_pairs";
        return {{"box", box}};
      }
    }
  }

  Json blobs(const Vec3& centre, double size) {
    Json parts = Json::array();
    for (int k = dice_.from(1, 3); k > 0; --k)
      parts.push_back({{"from", list_of(centre + dice_.in_cube(0.2 * size))},
                       {"to", list_of(centre + dice_.in_cube(0.3 * size))},
                       {"radius", size * dice_.between(0.1, 0.2)}});
    return {{"blobs",
             {{"parts", parts},
              {"blend", 0.05 * size},
              {"resolution", dice_.from(8, 16)},
              {"nodes", dice_.from(20, 120)}}}};
  }

  Json mesh(const Vec3& centre, double size) {
    const std::string name = fmt::format("mesh{}.obj", meshes_.size());
    meshes_[name] = random_mesh(dice_);
    Json out{{"mesh", name}, {"scale", size}, {"translate", list_of(centre)}, {"nodes", dice_.from(10, 120)}};
    if (dice_.chance(0.3)) out["rotate"] = turn(dice_, 360);
    if (dice_.chance(0.2)) out["solid"] = dice_.chance(0.5);
    if (dice_.chance(0.2)) out["thickness"] = size * dice_.log_between(1e-3, 0.05);
    if (dice_.chance(0.2)) out["join"] = true;
    if (dice_.chance(0.1)) out["cells"] = {dice_.from(1, 4), dice_.from(1, 4), dice_.from(1, 4)};
    return out;
  }

  /// Two bones through the body, of which the second turns.
  Json skeleton(const Vec3& centre, double size) {
    const Vec3 along = Vec3(0.4 * size, 0, 0);
    Json bend{{"time", dice_.between(0.2, 1)}, {"rotate", turn(dice_, 90)}};
    return {
        {"like_mesh", false},
        {"radius", dice_.chance(0.5) ? 0 : 0.08 * size},
        {"joints",
         {{{"name", "a"}, {"position", list_of(centre - along)}},
          {{"name", "b"}, {"parent", "a"}, {"position", list_of(centre)}, {"motion", {{{"time", 0}}, bend}}},
          {{"name", "c"}, {"parent", "b"}, {"position", list_of(centre + along)}}}}};
  }

  Json hold(const Vec3& centre, double size) {
    const Vec3 to = dice_.direction();
    const Vec3 point = centre + dice_.between(0.1, 0.3) * size * to;
    Json out{{"select", {{"halfspace", {{"point", list_of(point)}, {"normal", list_of(to)}}}}}};
    if (dice_.chance(0.4)) out["release"] = dice_.between(0, 2);
    return out;
  }

  Json handle(const Vec3& centre, double size) {
    Json out = hold(centre, size);
    double time = 0;
    out["motion"].push_back({{"time", 0}});
    for (int k = dice_.from(1, 3); k > 0; --k)
      out["motion"].push_back({{"time", time += dice_.between(0.2, 1)},
                               {"translate", list_of(dice_.in_cube(0.5 * size))},
                               {"rotate", turn(dice_, 180)}});
    if (dice_.chance(0.3)) out["ease"] = "linear";
    return out;
  }

  Json initial(double size) {
    Json out = Json::object();
    const double speed = std::sqrt(9.81 * size);  // of a fall over its own size, a few times
    if (dice_.chance(0.6)) out["velocity"] = list_of(dice_.in_cube(3 * speed));
    if (dice_.chance(0.4)) out["spin"] = list_of(dice_.in_cube(3 * speed / size));
    if (dice_.chance(0.3)) out["rotate"] = turn(dice_, 180);
    if (dice_.chance(0.15))
      out["stretch"] = {dice_.log_between(0.5, 2), dice_.log_between(0.5, 2), dice_.log_between(0.5, 2)};
    if (dice_.chance(0.03)) out["scramble"] = {{"seed", dice_.below(1000)}};
    return out;
  }

  // ---- around them

  /// Friction, restitution, and at times a motion.
  Json traits(double chance_of_motion) {
    Json out = Json::object();
    if (dice_.chance(0.6)) out["friction"] = dice_.chance(0.2) ? 0 : dice_.log_between(0.01, 10);
    if (dice_.chance(0.3)) out["restitution"] = dice_.unit();
    if (!dice_.chance(chance_of_motion)) return out;
    double time = 0;
    out["motion"].push_back({{"time", 0}});
    for (int k = dice_.from(1, 3); k > 0; --k)
      out["motion"].push_back({{"time", time += dice_.between(0.2, 1)},
                               {"translate", list_of(dice_.in_cube(0.3 * size_))},
                               {"rotate", turn(dice_, 60)}});
    return out;
  }

  Json ground() {
    Json plane = traits(0.05);
    if (dice_.chance(0.3)) plane["normal"] = list_of(Vec3(0, 1, 0) + dice_.in_cube(0.4));
    return {{"plane", plane}};
  }

  Json collider() {
    Json out = traits(0.3);
    const Vec3 centre = Vec3(0, dice_.between(0, 1) * top_, 0) + dice_.in_cube(size_);
    switch (dice_.below(5)) {
      case 0:
        add(out, {{"center", list_of(centre)}, {"radius", size_ * dice_.between(0.1, 0.5)}});
        return {{"sphere", out}};
      case 1:
        add(out, {{"center", list_of(centre)},
                  {"size", list_of(size_ * Vec3(dice_.between(0.1, 1), dice_.between(0.1, 1),
                                                dice_.between(0.1, 1)))},
                  {"rotate", turn(dice_, 90)}});
        return {{"box", out}};
      case 2:
        add(out, {{"from", list_of(centre)},
                  {"to", list_of(centre + dice_.in_cube(size_))},
                  {"radius", size_ * dice_.between(0.05, 0.2)}});
        return {{"capsule", out}};
      case 3: {
        const std::string name = fmt::format("mesh{}.obj", meshes_.size());
        meshes_[name] = random_mesh(dice_);
        add(out,
            {{"file", name}, {"scale", size_}, {"translate", list_of(centre)}, {"thin", dice_.chance(0.4)}});
        return {{"mesh", out}};
      }
      default:
        add(out, {{"point", list_of({0, -0.3 * size_, 0})},
                  {"normal", list_of(Vec3(0, 0.6, 0) + dice_.in_cube(0.5))}});
        return {{"plane", out}};
    }
  }

  Json force() {
    const Vec3 centre = Vec3(0, top_ / 2, 0);
    switch (dice_.below(4)) {
      case 0:
        return {{"constant", {{"acceleration", list_of(dice_.in_cube(10))}}}};
      case 1:
        return {
            {"wind", {{"velocity", list_of(dice_.in_cube(10))}, {"density", dice_.log_between(0.1, 100)}}}};
      case 2:
        return {{"point",
                 {{"center", list_of(centre)},
                  {"strength", dice_.between(-20, 20)},
                  {"radius", size_ * dice_.between(0.1, 2)}}}};
      default:
        return {{"vortex",
                 {{"center", list_of(centre)},
                  {"strength", dice_.between(-20, 20)},
                  {"radius", size_ * dice_.between(0.1, 2)}}}};
    }
  }

  Json bond() {
    Json out{{"body", "b0"},
             {"to", dice_.chance(0.7) || !scene_.contains("colliders") ? "b1" : "colliders.0"}};
    out["within"] = size_ * dice_.log_between(0.05, 1);
    if (dice_.chance(0.4)) out["strength"] = dice_.log_between(1, 1e4);
    if (dice_.chance(0.2)) out["pressure"] = dice_.log_between(10, 1e6);
    return out;
  }

  // ---- live edits

  Json edit(int step) {
    const int body = dice_.below(int(scene_["bodies"].size()));
    switch (dice_.below(8)) {
      case 0:
        return {{"step", step},
                {"grab",
                 {{"body", body},
                  {"node", dice_.unit()},
                  {"way", list_of(dice_.in_cube(size_))},
                  {"stiffness", dice_.log_between(1, 1e4)}}}};
      case 1:
        return {{"step", step}, {"let_go", {{"body", body}}}};
      case 2:
        return {{"step", step}, {"hold", {{"body", body}, {"share", dice_.between(0, 0.3)}}}};
      case 3:
        return {{"step", step}, {"push", {{"body", body}, {"acceleration", list_of(dice_.in_cube(20))}}}};
      case 4:
        return {{"step", step}, {"set", "gravity=" + list_of(dice_.in_cube(20)).dump()}};
      case 5:
        return {{"step", step}, {"set", fmt::format("timestep={}", step_length())}};
      default:
        return {{"step", step}, {"set", live_option(body)}};
    }
  }

  /// PATH=VALUE of something that changes between two steps.
  std::string live_option(int body) {
    const std::string method = scene_["bodies"][std::size_t(body)]["method"];
    std::vector<std::pair<std::string, const Entry*>> live;
    for (const std::string& of : {method, std::string("damping"), std::string("contact")})
      for (const Entry& entry : of_body(of).entries)
        if (entry.kind == Kind::value && entry.facts.change == Change::live &&
            !left_alone().contains(entry.name))
          live.emplace_back(of + "." + entry.name, &entry);
    live.emplace_back("friction", find(body_description(), "friction"));
    const auto& [path, entry] = live[std::size_t(dice_.below(int(live.size())))];
    Json value = std::visit(RandomValue{*entry, dice_}, entry->initial);
    if (entry->name == "offset" || entry->name == "thickness") value = size_ * dice_.log_between(1e-3, 0.05);
    return fmt::format("bodies.{}.{}={}", body, path, value.dump());
  }

  Dice dice_;
  double size_ = 0.3, top_ = 0;  // m
  bool meeting_ = false;
  Json scene_;
  std::map<std::string, std::string> meshes_;
};

}  // namespace

Json random_case(std::uint64_t seed, std::uint64_t number) { return CaseMaker(seed, number).make(); }

}  // namespace pliant::soak
