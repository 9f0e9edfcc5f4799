// SPDX-License-Identifier: Apache-2.0
// The scene with everything that users did to it, as files that `pliant run` and `pliant replay` take.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "pliant/base/version.hpp"
#include "pliant/scene/find_file.hpp"
#include "pliant/view/arguments.hpp"
#include "pliant/view/method_facts.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {
namespace {

/// Texts that name files of the scene's folder name them by their full place; uploads, which end with the
/// session, by their name.
void name_files(Json& json, const std::filesystem::path& folder, const std::set<std::string>& uploaded) {
  if (json.is_structured()) {
    for (Json& inner : json) name_files(inner, folder, uploaded);
    return;
  }
  if (!json.is_string()) return;
  const std::string text = json.get<std::string>();
  if (uploaded.contains(text)) {
    json = std::filesystem::path(text).filename().string();
    return;
  }
  if (text.find('.') == std::string::npos) return;
  const std::filesystem::path file = find_file(text, folder);
  std::error_code trouble;
  if (std::filesystem::is_regular_file(file, trouble)) json = std::filesystem::absolute(file).string();
}

/// Of a channel that a scene's keys cannot say (cubic, step, or with times of its own), between two of its
/// times.
constexpr int pieces_between_keys = 8;

std::vector<double> key_times(const pliant::Joint& joint, bool exact) {
  std::vector<double> times = joint.turns.times;
  times.insert(times.end(), joint.moves.times.begin(), joint.moves.times.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (exact || times.empty()) return times;
  std::vector<double> fine;
  for (std::size_t k = 0; k + 1 < times.size(); ++k)
    for (int piece = 0; piece < pieces_between_keys; ++piece)
      fine.push_back(times[k] + (times[k + 1] - times[k]) * piece / pieces_between_keys);
  fine.push_back(times.back());
  return fine;
}

Json turn_json(const Vec3& turn) {
  const double angle = turn.norm();
  return {{"axis", json_of(angle > 0 ? Vec3(turn / angle) : Vec3(0, 1, 0))},
          {"degrees", angle * 180 / std::numbers::pi}};
}

/// Files may give a name twice, a scene's list may not.
std::vector<std::string> names_of(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const pliant::Joint& joint : skeleton.joints) {
    const std::string base = joint.name.empty() ? "joint" : joint.name;
    std::string name = base;
    for (int k = 2; std::find(names.begin(), names.end(), name) != names.end(); ++k)
      name = fmt::format("{}-{}", base, k);
    names.push_back(std::move(name));
  }
  return names;
}

/// One list of keys says both. A channel without keys stands still, however the other goes.
bool alike(const TurnKeys& turns, const MoveKeys& moves) {
  if (turns.times.empty() || moves.times.empty()) return true;
  return turns.times == moves.times && turns.interpolation == moves.interpolation;
}

Json joint_json(const std::vector<std::string>& names, std::size_t at, const pliant::Joint& joint) {
  Json out{{"name", names[at]}, {"position", json_of(joint.position)}};
  if (joint.parent >= 0) out["parent"] = names[std::size_t(joint.parent)];
  if (joint.radius > 0) out["radius"] = joint.radius;
  const Interpolation as = joint.turns.times.empty() ? joint.moves.interpolation : joint.turns.interpolation;
  const bool exact =
      alike(joint.turns, joint.moves) && (as == Interpolation::smooth || as == Interpolation::linear);
  for (const double time : key_times(joint, exact))
    out["motion"].push_back({{"time", time},
                             {"translate", json_of(joint.moves.at(time))},
                             {"rotate", turn_json(joint.turns.at(time))}});
  if (out.contains("motion") && !(exact && as == Interpolation::smooth)) out["ease"] = "linear";
  return out;
}

/// Joints that a user turned follow no file: the skeleton is written as it is.
void write_turned_joints(const Controls& controls, Json& json) {
  if (!controls.joints_driven) return;
  const Skeleton& skeleton = *controls.skeleton;
  Json& bones = skeleton_entry(json);
  bones.erase("file");
  bones["like_mesh"] = false;  // its places are those of the scene already
  bones["joints"] = Json::array();
  const std::vector<std::string> names = names_of(skeleton);
  for (std::size_t j = 0; j < names.size(); ++j)
    bones["joints"].push_back(joint_json(names, j, skeleton.joints[j]));
}

}  // namespace

Json World::saved_scene() const {
  Json out = document();
  for (int i = 0; i < bodies(); ++i) write_turned_joints(controls(i), out["bodies"][std::size_t(i)]);
  name_files(out, std::filesystem::path(file_).parent_path(), uploaded_);
  return out;
}

std::string World::saved_session() const {
  const std::string commands = log_.text();
  if (commands.empty()) return {};
  Json scene = first_.document;
  name_files(scene, std::filesystem::path(first_.file).parent_path(), uploaded_);
  const Json rest{{"pliant_session", 1},          {"version", version()},
                  {"name", first_.name},          {"scene", std::move(scene)},
                  {"steps", step_ - first_step_}, {"hash", fmt::format("{:016x}", state_hash())}};
  // Put together as text: as JSON values, hours of commands would take ten times their size.
  return fmt::format("{{\"commands\":{},{}", commands,
                     rest.dump(-1, ' ', false, Json::error_handler_t::replace).substr(1));
}

}  // namespace pliant::view
