// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/skeleton_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>

#include "pliant/geometry/check_geometry.hpp"
#include "pliant/io/atomic_file.hpp"
#include "pliant/io/glb_skin.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

using Json = nlohmann::json;
constexpr double degree = std::numbers::pi / 180;
constexpr const char* interpolation_names[] = {"step", "linear", "smooth", "cubic"};

/// What a message shows of a value. No contents of lists and objects: they may be nested without end.
std::string shown(const Json& json) {
  if (json.is_array()) return "a list";
  if (json.is_object()) return "an object";
  return in_quotes(json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

class SkeletonReader {
 public:
  explicit SkeletonReader(const std::string& name) : error_{name, {}} {}

  Result<Skeleton> read(std::string_view text) {
    Json root;
    try {
      root = Json::parse(text.begin(), text.end(), nullptr, true, true);
    } catch (const Json::parse_error& error) {
      problem(line_of(text, error.byte), "broken JSON", "a skeleton");
      return error_;
    } catch (const Json::exception&) {
      problem("", "a number too large", "a skeleton");
      return error_;
    }
    if (!root.is_object()) {
      problem("", shown(root), "an object");
      return error_;
    }
    known(root, "", {"joints", "description"});
    if (!root.contains("joints") || !root["joints"].is_array()) {
      problem("joints", root.contains("joints") ? shown(root["joints"]) : "nothing", "a list of joints");
      return error_;
    }
    const Json& joints = root["joints"];
    for (std::size_t j = 0; j < joints.size() && !full(); ++j) add(joints[j], fmt::format("joints.{}", j));
    if (error_.problems.empty() && skeleton_.bones().empty())
      problem("joints", fmt::format("{} joints and no bone", joints.size()),
              "a joint with a parent at another place");
    if (!error_.problems.empty()) return error_;
    return std::move(skeleton_);
  }

 private:
  /// A file with this many problems is not a skeleton: reading on helps nobody.
  bool full() const { return error_.problems.size() >= 20; }

  void problem(std::string place, std::string found, std::string expected, std::string hint = "") {
    if (!full())
      error_.problems.push_back({std::move(place), std::move(found), std::move(expected), std::move(hint)});
  }

  static std::string line_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const auto start = before.rfind('\n');
    return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                       start == std::string_view::npos ? before.size() + 1 : before.size() - start);
  }

  static std::string at(const std::string& place, const char* key) {
    return place.empty() ? key : place + "." + key;
  }

  void known(const Json& object, const std::string& place, std::initializer_list<const char*> keys) {
    for (const auto& item : object.items()) {
      const auto same = [&item](const char* key) { return item.key() == key; };
      if (std::any_of(keys.begin(), keys.end(), same)) continue;
      std::string names;
      for (const char* key : keys) names += (names.empty() ? "" : ", ") + std::string(key);
      problem(place, fmt::format("the key {}", in_quotes(item.key())), "one of " + names);
    }
  }

  /// A finite number, or the default when there is none; `needed`: none is a problem.
  double number(const Json& object, const char* key, const std::string& place, double otherwise,
                bool needed) {
    if (!object.contains(key)) {
      if (needed) problem(at(place, key), "nothing", "a number");
      return otherwise;
    }
    const Json& value = object[key];
    const double out = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(out)) problem(at(place, key), shown(value), "a finite number");
    return std::isfinite(out) ? out : otherwise;
  }

  template <int n>
  Eigen::Matrix<double, n, 1> numbers(const Json& object, const char* key, const std::string& place) {
    Eigen::Matrix<double, n, 1> out = Eigen::Matrix<double, n, 1>::Zero();
    const bool there = object.contains(key);
    bool good = there && object[key].is_array() && object[key].size() == n;
    for (int i = 0; good && i < n; ++i) {
      const Json& value = object[key][std::size_t(i)];
      out[i] = value.is_number() ? value.get<double>() : std::nan("");
      good = std::isfinite(out[i]);
    }
    if (good) return out;
    problem(at(place, key), there ? shown(object[key]) : "nothing", fmt::format("{} finite numbers", n));
    return Eigen::Matrix<double, n, 1>::Zero();
  }

  void add(const Json& json, const std::string& place) {
    if (!json.is_object()) return problem(place, shown(json), "an object");
    known(json, place, {"name", "parent", "position", "radius", "turns", "moves"});
    Joint joint;
    if (!json.contains("name") || !json["name"].is_string() || json["name"].get<std::string>().empty()) {
      problem(at(place, "name"), json.contains("name") ? shown(json["name"]) : "nothing", "a name");
    } else {
      joint.name = json["name"].get<std::string>();
      if (!number_.emplace(joint.name, Index(skeleton_.joints.size())).second)
        problem(at(place, "name"), shown(json["name"]), "a name that no other joint has");
    }
    if (json.contains("parent") && !json["parent"].is_null())
      joint.parent = parent_of(json["parent"], joint, place);
    joint.position = numbers<3>(json, "position", place);
    joint.radius = number(json, "radius", place, 0, false);
    if (joint.radius < 0) problem(at(place, "radius"), shown(json["radius"]), "a number >= 0, m");
    if (json.contains("turns")) read_turns(json["turns"], at(place, "turns"), joint.turns);
    if (json.contains("moves")) read_moves(json["moves"], at(place, "moves"), joint.moves);
    skeleton_.joints.push_back(std::move(joint));
  }

  Index parent_of(const Json& json, const Joint& joint, const std::string& place) {
    const auto found = json.is_string() ? number_.find(json.get<std::string>()) : number_.end();
    if (found != number_.end() && found->first != joint.name) return found->second;
    problem(at(place, "parent"), shown(json), "the name of a joint before this one",
            "list parents before their children");
    return -1;
  }

  /// Calls each(key, place) for every key; times are checked and collected.
  template <class Each>
  void read_keys(const Json& json, const std::string& place, Interpolation& interpolation,
                 std::vector<double>& times, Each&& each) {
    if (!json.is_object()) return problem(place, shown(json), "an object with keys");
    known(json, place, {"interpolation", "keys"});
    if (json.contains("interpolation")) {
      const Json& name = json["interpolation"];
      int which = -1;
      for (int k = 0; k < 4; ++k)
        if (name == interpolation_names[k]) which = k;
      if (which < 0) problem(at(place, "interpolation"), shown(name), "step, linear, smooth or cubic");
      if (which >= 0) interpolation = Interpolation(which);
    }
    if (!json.contains("keys") || !json["keys"].is_array() || json["keys"].empty())
      return problem(at(place, "keys"), json.contains("keys") ? shown(json["keys"]) : "nothing",
                     "a list of one key or more");
    for (std::size_t k = 0; k < json["keys"].size() && !full(); ++k) {
      const Json& key = json["keys"][k];
      const std::string here = fmt::format("{}.keys.{}", place, k);
      if (!key.is_object()) {
        problem(here, shown(key), "an object");
        continue;
      }
      const double time = number(key, "time", here, 0, true);
      if (!times.empty() && !(time > times.back()))
        problem(at(here, "time"), fmt::format("{}", time), fmt::format("later than {} s", times.back()));
      times.push_back(time);
      each(key, here);
    }
  }

  void read_turns(const Json& json, const std::string& place, TurnKeys& turns) {
    read_keys(json, place, turns.interpolation, turns.times, [&](const Json& key, const std::string& here) {
      const bool cubic = turns.interpolation == Interpolation::cubic;
      cubic ? known(key, here, {"time", "axis", "degrees", "in", "out"})
            : known(key, here, {"time", "axis", "degrees"});
      const double degrees = number(key, "degrees", here, 0, true);
      Vec3 axis = degrees == 0 && !key.contains("axis") ? Vec3(1, 0, 0) : numbers<3>(key, "axis", here);
      const double length = axis.norm();
      if (!(length > 0 && std::isfinite(length))) {
        if (key.contains("axis")) problem(at(here, "axis"), "an axis without length", "a direction");
        axis = Vec3(1, 0, 0);
      } else {
        axis /= length;
      }
      turns.turns.push_back(degrees * degree * axis);
      if (!cubic) return;
      turns.in.push_back(numbers<4>(key, "in", here));
      turns.out.push_back(numbers<4>(key, "out", here));
    });
  }

  void read_moves(const Json& json, const std::string& place, MoveKeys& moves) {
    read_keys(json, place, moves.interpolation, moves.times, [&](const Json& key, const std::string& here) {
      const bool cubic = moves.interpolation == Interpolation::cubic;
      cubic ? known(key, here, {"time", "move", "in", "out"}) : known(key, here, {"time", "move"});
      moves.moves.push_back(numbers<3>(key, "move", here));
      if (!cubic) return;
      moves.in.push_back(numbers<3>(key, "in", here));
      moves.out.push_back(numbers<3>(key, "out", here));
    });
  }

  Error error_;
  Skeleton skeleton_;
  std::map<std::string, Index> number_;
};

template <class V>
std::string list_text(const V& v) {
  std::string out = "[";
  for (Eigen::Index i = 0; i < v.size(); ++i) out += fmt::format("{}{}", i > 0 ? ", " : "", v[i]);
  return out + "]";
}

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string keys_text(const char* name, Interpolation interpolation, const std::vector<std::string>& keys) {
  std::string out = fmt::format(",\n   \"{}\": {{\"interpolation\": \"{}\", \"keys\": [", name,
                                interpolation_names[int(interpolation)]);
  for (std::size_t k = 0; k < keys.size(); ++k) out += (k > 0 ? ",\n     {" : "\n     {") + keys[k] + "}";
  return out + "]}";
}

std::string turns_text(const TurnKeys& turns) {
  std::vector<std::string> keys;
  for (std::size_t k = 0; k < turns.times.size(); ++k) {
    const double angle = turns.turns[k].norm();
    const Vec3 axis = angle > 0 ? Vec3(turns.turns[k] / angle) : Vec3(1, 0, 0);
    keys.push_back(fmt::format("\"time\": {}, \"axis\": {}, \"degrees\": {}", turns.times[k], list_text(axis),
                               angle / degree));
    if (turns.interpolation == Interpolation::cubic)
      keys.back() +=
          fmt::format(", \"in\": {}, \"out\": {}", list_text(turns.in[k]), list_text(turns.out[k]));
  }
  return keys_text("turns", turns.interpolation, keys);
}

std::string moves_text(const MoveKeys& moves) {
  std::vector<std::string> keys;
  for (std::size_t k = 0; k < moves.times.size(); ++k) {
    keys.push_back(fmt::format("\"time\": {}, \"move\": {}", moves.times[k], list_text(moves.moves[k])));
    if (moves.interpolation == Interpolation::cubic)
      keys.back() +=
          fmt::format(", \"in\": {}, \"out\": {}", list_text(moves.in[k]), list_text(moves.out[k]));
  }
  return keys_text("moves", moves.interpolation, keys);
}

}  // namespace

Result<Skeleton> parse_skeleton(std::string_view text, const std::string& name) {
  return SkeletonReader(name).read(without_mark(text));
}

std::string skeleton_text(const Skeleton& skeleton) {
  if (!check_skeleton(skeleton).empty()) return {};
  std::string out = "{\"joints\": [";
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    out += fmt::format("{}\n  {{\"name\": {}", j > 0 ? "," : "", quoted(joint.name));
    if (joint.parent >= 0)
      out += fmt::format(", \"parent\": {}", quoted(skeleton.joints[std::size_t(joint.parent)].name));
    out += fmt::format(", \"position\": {}", list_text(joint.position));
    if (joint.radius > 0) out += fmt::format(", \"radius\": {}", joint.radius);
    if (!joint.turns.times.empty()) out += turns_text(joint.turns);
    if (!joint.moves.times.empty()) out += moves_text(joint.moves);
    out += "}";
  }
  return out + "\n]}\n";
}

std::optional<Error> write_skeleton(const std::filesystem::path& path, const Skeleton& skeleton) {
  if (std::vector<Problem> wrong = check_skeleton(skeleton); !wrong.empty())
    return Error{path.string(), std::move(wrong)};
  return write_file(path, skeleton_text(skeleton));
}

Result<Skeleton> load_skeleton(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const bool glb = same_word(extension, ".glb");
  if (!glb && !same_word(extension, ".json"))
    return Error{path.string(), {{"", found_word(extension), "a skeleton: .json, or a rig: .glb", ""}}};
  Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (!glb) return parse_skeleton(*bytes, path.string());
  Result<Rig> rig = parse_rig(*bytes, path.string());
  if (!rig) return rig.error();
  return std::move(rig->skeleton);
}

}  // namespace pliant
