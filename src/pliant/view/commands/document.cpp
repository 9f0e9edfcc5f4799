// SPDX-License-Identifier: Apache-2.0
// Changes of the scene: options, methods, skeletons, bodies, another scene. What needs a build waits for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/layout.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/view/commands/handlers.hpp"
#include "pliant/view/commands/request.hpp"
#include "pliant/view/method_facts.hpp"
#include "pliant/view/option_list.hpp"

namespace pliant::view {
namespace {

constexpr std::size_t most_samples = 256;  // of a skeleton

Action set_to(const Request& request, const std::string& path, const Json& value, bool last) {
  const World& world = request.world;
  const auto known = find_option(world.scene(), path);
  if (!known) {
    const std::string nearest = nearest_name(path, option_paths(world.scene()));
    refuse("unknown_path", fmt::format("there is no option {}", path),
           nearest.empty() ? "" : fmt::format("did you mean {}?", nearest), path, nearest);
  }
  const std::string gesture = fmt::format("option {} {}", request.call.client, path);
  const bool goes_on = world.history().can_undo() && world.history().undone().gesture == gesture;
  const Json from = option_value(goes_on ? world.history().undone().before : world.scene(), path);
  const std::string to = value.is_null() ? "default" : value.dump();
  SceneChange change = request.change(fmt::format("{} {} \u2192 {}", known->name, from.dump(), to));
  change.gesture = gesture;
  change.last = last;
  change.edit = [path, value](Json& scene) { set_option(scene, path, value); };
  if (path.rfind("bodies.", 0) == 0) {
    const std::size_t index = std::stoul(path.substr(7));
    change.body = request.body_name(int(index));
    change.result["body"] = index;
  }
  return request.plan(std::move(change));
}

/// The edit that gives a body another method, and what else it needs.
std::function<void(Json&)> switch_to(const Request& request, int index, const std::string& name) {
  const BodySpec& now = request.world.spec(index);
  const double stiffness = now.entry().stiffness(now.options());
  return [index, name, stiffness](Json& scene) {
    switch_method(scene["bodies"][std::size_t(index)], name, stiffness);
  };
}

/// A point of the rest surface, m.
Vec3 rest_point(const Json& json, const World& world, int body) {
  return read_point(Arguments(json), world.faces(body)).on(world.body(body).rest_surface());
}

std::string usable_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  return name.empty() ? "body" : name;
}

/// Probes and expectations speak of the scene as it was.
void forget_expectations(Json& scene) {
  for (const char* key : {"probes", "expect", "expect_warnings"}) scene.erase(key);
}

Json uploaded_shape(const Arguments& args, const std::filesystem::path& file) {
  Json shape{{"mesh", file.string()}};
  if (args.has("units")) {
    if (args.at("units").is_number())
      shape["scale"] = args.number("units", 1e-9, 1e9);  // metres a unit, as "fit 1 m" needs it
    else
      shape["unit"] = args.text("units");
  }
  if (args.has("up")) shape["up"] = args.text("up");
  if (args.has("nodes")) shape["nodes"] = args.whole("nodes", 8, 1000000);
  if (args.has("translate")) shape["translate"] = json_of(args.vector("translate"));
  return shape;
}

/// replaced: the body that leaves; -1: none.
void put_body(Json& scene, Json body, const std::string& name, int replaced) {
  if (!scene.contains("bodies")) scene["bodies"] = Json::array();
  Json& bodies = scene["bodies"];
  if (replaced >= 0 && replaced < int(bodies.size())) bodies.erase(std::size_t(replaced));
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(bodies.begin(), bodies.end(),
                       [&](const Json& other) { return other.value("name", "body") == wanted; });
  };
  std::string unique = name;
  for (int k = 2; taken(unique); ++k) unique = fmt::format("{}-{}", name, k);
  body["name"] = unique;
  bodies.push_back(std::move(body));
  forget_expectations(scene);
  if (!scene.contains("colliders")) scene["colliders"] = Json::array();
}

bool has_gravity(const Json& scene) {
  const auto gravity = scene.find("gravity");
  return gravity == scene.end() ||
         std::any_of(gravity->begin(), gravity->end(), [](const Json& g) { return g != 0; });
}

/// A body that is added where nothing is to meet would fall for ever: it gets a ground. Without bodies before it, and
/// of a method that meets no colliders, it gets no gravity instead; among bodies that meet none it falls.
void put_ground(Json& scene, const std::string& method, double height) {
  const Json bodies = scene.value("bodies", Json::array());
  if (!scene.value("colliders", Json::array()).empty() || !has_gravity(scene)) return;
  const bool all_meet =
      meets_colliders(method) &&
      std::all_of(bodies.begin(), bodies.end(), [](const Json& body) { return meets_colliders(body); });
  if (all_meet)
    scene["colliders"] = Json::array({{{"plane", {{"point", {0, height, 0}}, {"normal", {0, 1, 0}}}}}});
  else if (bodies.empty())
    scene["gravity"] = {0, 0, 0};
}

}  // namespace

Action option_set(Request& request) {
  return set_to(request, request.args.text("path"), request.args.at("value"),
                request.args.yes_or("final", true));
}

Action option_reset(Request& request) { return set_to(request, request.args.text("path"), Json(), true); }

Action method(Request& request) {
  const int index = request.body_index();
  const std::string name = request.args.text("name");
  const auto& names = method_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    refuse("bad_argument", fmt::format("there is no method {}", name), did_you_mean(name, names), "name",
           nearest_name(name, names));
  const std::string& now = request.world.spec(index).method;
  if (now == name) return done();
  SceneChange change = request.change(fmt::format("Method {} \u2192 {}", now, name));
  change.keeps_state = true;
  change.body = request.body_name(index);
  change.method = name;
  change.edit = switch_to(request, index, name);
  return request.plan(std::move(change));
}

/// Bones drawn by clicks through the body: each sample is midway between where the ray of the click enters
/// the body and where it leaves it [ZJU06, section on skeletons], said on the rest surface, so that a body
/// that is bent gets them where they belong.
Action skeleton_set(Request& request) {
  request.check_epoch();
  const int index = request.body_index();
  const Body& body = request.body(index);
  const Json& samples = request.args.at("samples");
  if (!samples.is_array() || samples.size() < 2 || samples.size() > most_samples)
    refuse("bad_argument", fmt::format("samples must be a list of 2 to {}", most_samples), {}, "samples");
  Json joints = Json::array();
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Arguments sample(samples[k]);
    const int parent = sample.whole_or("parent", int(k) - 1, -1, int(k) - 1);
    const Vec3 at = (rest_point(sample.at("in"), request.world, index) +
                     rest_point(sample.at("out"), request.world, index)) /
                    2;
    joints.push_back({{"name", fmt::format("joint{}", k + 1)}, {"position", json_of(at)}});
    if (parent >= 0) joints.back()["parent"] = fmt::format("joint{}", parent + 1);
  }
  SceneChange change = request.change(fmt::format("Skeleton of {}", body.name()));
  change.keeps_state = true;
  change.body = body.name();
  change.edit = [index, joints, other = switch_to(request, index, skeleton_method())](Json& scene) {
    other(scene);
    skeleton_entry(scene["bodies"][std::size_t(index)]) = Json{{"joints", joints}, {"like_mesh", false}};
  };
  return request.plan(std::move(change));
}

Action body_add(Request& request) {
  const Arguments& args = request.args;
  // a replay knows uploads by their file's name
  const std::string upload = args.has("file") ? args.text("file") : args.text("upload");
  const std::filesystem::path file = request.world.take_upload(upload);
  if (file.empty())
    refuse("bad_argument", fmt::format("there is no upload {}", upload), "send the mesh again", "upload");
  const std::string method = args.text_or("method", method_names().front());
  const std::string name = usable_name(args.text_or("name", file.stem().string()));
  Json body{{"shape", uploaded_shape(args, file)}, {"method", method}};
  add_needs(body, method);
  const bool replace = args.has("replace") && args.at("replace") != false;
  const int replaced = !replace ? -1 : args.at("replace").is_boolean() ? 0 : request.body_index("replace");
  SceneChange change = request.change(fmt::format("{} {}", replace ? "Replace by" : "Add", name));
  change.keeps_state = replace;
  if (replaced >= 0 && replaced < request.world.bodies())
    change.body = change.leaves = request.body_name(replaced);
  change.call.args["file"] = file.filename().string();
  const std::optional<double> ground =
      args.has("ground") ? std::optional(args.number("ground", -1e6, 1e6)) : std::nullopt;
  change.edit = [body, name, method, replaced, ground](Json& scene) {
    if (ground) put_ground(scene, method, *ground);
    put_body(scene, body, name, replaced);
  };
  return request.plan(std::move(change));
}

Action body_remove(Request& request) {
  const int index = request.body_index();
  SceneChange change = request.change(fmt::format("Remove {}", request.body_name(index)));
  change.keeps_state = true;
  change.body = change.leaves = request.body_name(index);
  change.edit = [index](Json& scene) {
    scene["bodies"].erase(std::size_t(index));
    forget_expectations(scene);
  };
  return request.plan(std::move(change));
}

/// A page may open what it was offered, and no other file of the machine.
Action scene_load(Request& request) {
  const std::string name = request.args.text("name");
  Result<ParsedScene> parsed = read_library_scene(name, request.world.libraries());
  if (!parsed) {
    Refusal refusal = refusal_of(parsed.error(), "bad_argument");
    refusal.where = "name";
    throw Refused{refusal};
  }
  if (!parsed->readable) throw Refused{refusal_of(parsed->error(), "build_failed")};
  SceneChange change = request.change(fmt::format("Load {}", name));
  change.whole = Target{Json::parse(parsed->text), parsed->file, name};
  return request.plan(std::move(change));
}

}  // namespace pliant::view
