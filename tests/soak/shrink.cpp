// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/shrink.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace pliant::soak {
namespace {

using Path = Json::json_pointer;

/// Everything that can be left out, outer things first. Shapes stay where and as large as they are.
void removable(const Json& at, const Path& path, std::vector<Path>& out) {
  if (!at.is_structured()) return;
  const bool of_numbers = at.is_array() && !at.empty() && at[0].is_number();
  if (of_numbers) return;
  for (const auto& [key, value] : at.items()) {
    if (key == "found" || key == "shape" || key == "method" || key == "name" || key == "time") continue;
    out.push_back(at.is_array() ? path / std::size_t(std::stoul(key)) : path / key);
  }
  for (const auto& [key, value] : at.items())
    if (key != "shape")
      removable(value, at.is_array() ? path / std::size_t(std::stoul(key)) : path / key, out);
}

Json without(Json soak_case, const Path& path) {
  Json& parent = soak_case[path.parent_pointer()];
  if (parent.is_array())
    parent.erase(std::stoul(path.back()));
  else
    parent.erase(path.back());
  return soak_case;
}

/// Edits name bodies by their places.
bool names_too_many(const Json& soak_case) {
  const std::size_t bodies = soak_case["scene"].value("bodies", Json::array()).size();
  for (const Json& edit : soak_case.value("edits", Json::array()))
    for (const auto& [key, value] : edit.items())
      if (value.is_object() && value.value("body", std::size_t(0)) >= bodies) return true;
  return bodies == 0;
}

}  // namespace

Json shrink(Json soak_case, const std::function<bool(const Json&)>& shows,
            const std::function<bool()>& more) {
  for (bool smaller = true; smaller && more();) {
    smaller = false;
    std::vector<Path> paths;
    removable(soak_case, Path(), paths);
    for (const Path& path : paths) {
      if (!more()) return soak_case;
      // What lay behind something that went has another place now: it is tried in the next round.
      if (path.empty() || path.back() == "scene" || path.back() == "steps" || !soak_case.contains(path))
        continue;
      const Json candidate = without(soak_case, path);
      if (names_too_many(candidate) || !shows(candidate)) continue;
      soak_case = candidate;
      smaller = true;
    }
  }
  return soak_case;
}

}  // namespace pliant::soak
