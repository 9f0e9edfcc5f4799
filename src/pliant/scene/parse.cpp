// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pliant/base/hash.hpp"
#include "pliant/base/json_text.hpp"
#include "pliant/scene/material.hpp"
#include "pliant/scene/spec_layout.hpp"

namespace pliant {
namespace {

// ---- --set -----------------------------------------------------------------------------------------------

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) c == '.' ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

std::string element_name(const Json& element, std::size_t index) {
  return element.is_object() && element.contains("name") && element["name"].is_string()
             ? element["name"].get<std::string>()
             : std::to_string(index);
}

/// The element that `part` names, by index or by name; size() when there is none.
std::size_t find_element(const Json& list, const std::string& part) {
  const bool digits = !part.empty() && part.size() < 10 && std::all_of(part.begin(), part.end(), ::isdigit);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (element_name(list[i], i) == part) return i;
  return digits ? std::min<std::size_t>(std::stoul(part), list.size()) : list.size();
}

/// Walks the path, makes objects that are not there yet, and puts the value at its end.
class Setter {
 public:
  Setter(ParsedScene& scene, const std::string& argument) : scene_(scene), argument_(argument) {}

  void apply(Json& root) {
    const auto equals = argument_.find('=');
    if (equals == std::string::npos || equals == 0)
      return problem("--set " + argument_, "PATH=VALUE, for example timestep=0.01", {});
    Json* at = &root;
    for (const std::string& part : split(argument_.substr(0, equals))) {
      at = enter(*at, part);
      if (!at) return;
    }
    *at = value_of(argument_.substr(equals + 1));
    scene_.sets.emplace_back(path_, argument_);
  }

 private:
  /// What is not JSON is a word, so that words need no quotes.
  static Json value_of(const std::string& text) {
    Json value;
    Problems problems;
    return parse_json(text, value, problems) && problems.empty() ? value : Json(text);
  }
  Json* enter(Json& at, const std::string& part) {
    if (at.is_array()) return enter_list(at, part);
    if (at.is_null()) at = Json::object();
    if (!at.is_object()) {
      problem(fmt::format("{}, which is {}", path_, at.dump()), "an object or a list there", {});
      return nullptr;
    }
    extend(part);
    return &at[part];
  }
  Json* enter_list(Json& list, const std::string& part) {
    const std::size_t index = find_element(list, part);
    if (index < list.size()) {
      extend(std::to_string(index));
      return &list[index];
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < list.size(); ++i) names.push_back(element_name(list[i], i));
    problem(fmt::format("no element \"{}\" in {}", part, path_),
            fmt::format("an index below {} or one of {}", list.size(), fmt::join(names, ", ")),
            did_you_mean(part, names));
    return nullptr;
  }
  void extend(const std::string& part) { path_ += (path_.empty() ? "" : ".") + part; }
  void problem(std::string found, std::string expected, std::string hint) {
    scene_.problems.push_back({"--set " + argument_, std::move(found), std::move(expected), std::move(hint)});
  }

  ParsedScene& scene_;
  const std::string& argument_;
  std::string path_;
};

std::uint64_t fingerprint_of(Json json) {
  if (json.is_object())
    for (const char* key : {"description", "frames", "expect", "expect_warnings"}) json.erase(key);
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return hash_bytes(text.data(), text.size());
}

bool within(const std::string& place, const std::string& path) {
  return place.compare(0, path.size(), path) == 0 &&
         (place.size() == path.size() || place[path.size()] == '.');
}

}  // namespace

Error ParsedScene::error(const std::vector<Problem>& more) const {
  Problems told = problems;
  told.insert(told.end(), more.begin(), more.end());
  Error all{file, of_listed_bodies(std::move(told), members)};
  for (Problem& problem : all.problems)
    for (const auto& [path, argument] : sets)
      if (within(problem.place, path)) {
        problem.place = fmt::format("--set {} ({})", argument, problem.place);
        break;
      }
  return all;
}

ParsedScene parse_scene(std::string_view text, std::string file, const std::vector<std::string>& sets) {
  ParsedScene scene;
  scene.file = std::move(file);
  Json json;
  scene.readable = parse_json(text, json, scene.problems);
  if (!scene.readable) return scene;
  for (const std::string& argument : sets) Setter(scene, argument).apply(json);
  scene.members = write_out_rows(json);
  read_object(with_materials(json), "", scene.spec, scene.problems);
  scene.text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  scene.fingerprint = fingerprint_of(std::move(json));
  return scene;
}

}  // namespace pliant
