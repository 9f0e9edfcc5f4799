// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "pliant/base/hash.hpp"
#include "pliant/scene/material.hpp"
#include "pliant/scene/spec_layout.hpp"

namespace pliant {
namespace {

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return fmt::format("line {}, column {}", line, column);
}

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..." without the preamble.
std::string plain_message(const std::string& what) {
  const auto colon = what.find("column ");
  const auto start = colon == std::string::npos ? what.find("] ") : what.find(": ", colon);
  return start == std::string::npos ? what : what.substr(start + 2);
}

/// Numbers too large for a double come without a place: it is where their digits first stand.
std::string place_of_number(std::string_view text, const std::string& what) {
  const auto open = what.find('\''), close = what.rfind('\'');
  if (open == std::string::npos || close <= open) return {};
  const auto byte = text.find(what.substr(open + 1, close - open - 1));
  return byte == std::string_view::npos ? std::string() : line_and_column(text, byte);
}

/// A scene is a dozen levels deep; writing a value out recurses, and thousands of levels would end the stack.
constexpr int deepest = 100;
struct TooDeep {};

/// Keys that appear twice in one object would silently lose the first value.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(Problems& problems) : problems_(problems) {}
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > deepest) throw TooDeep{};
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key && !open_.back().insert(parsed.get<std::string>()).second)
      problems_.push_back({parsed.get<std::string>(), "this key twice in one object", "it once", {}});
    return true;
  }

 private:
  Problems& problems_;
  std::vector<std::set<std::string>> open_;
};

bool parse_json(std::string_view text, Json& json, Problems& problems) {
  DuplicateKeys duplicates(problems);
  try {
    json = Json::parse(text.begin(), text.end(), std::ref(duplicates), true, true);
    return true;
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    problems.push_back({line_and_column(text, byte), "broken JSON", "", plain_message(error.what())});
  } catch (const Json::exception& error) {
    problems.push_back({place_of_number(text, error.what()), "broken JSON", "", plain_message(error.what())});
  } catch (const TooDeep&) {
    problems.push_back(
        {"", "lists and objects within one another", fmt::format("at most {} levels", deepest), {}});
  }
  return false;
}

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
    for (const char* key : {"description", "frames", "expect"}) json.erase(key);
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return hash_bytes(text.data(), text.size());
}

bool within(const std::string& place, const std::string& path) {
  return place.compare(0, path.size(), path) == 0 &&
         (place.size() == path.size() || place[path.size()] == '.');
}

}  // namespace

Error ParsedScene::error(const std::vector<Problem>& more) const {
  Error all{file, problems};
  all.problems.insert(all.problems.end(), more.begin(), more.end());
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
  read_object(with_materials(json), "", scene.spec, scene.problems);
  scene.text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  scene.fingerprint = fingerprint_of(std::move(json));
  return scene;
}

}  // namespace pliant
