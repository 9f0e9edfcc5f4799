// SPDX-License-Identifier: Apache-2.0
// First stop: the text of a scene file becomes a SceneSpec, or a list of everything that is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/scene/repeat.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

/// A scene as written: typed settings, and all problems with their places.
struct ParsedScene {
  std::string file;  ///< for messages
  SceneSpec spec;    ///< defaults where a value was wrong
  std::vector<Problem> problems;
  std::string text;               ///< the scene as JSON without comments, after --set; rows written out
  bool readable = true;           ///< false: no JSON, the spec says nothing
  std::uint64_t fingerprint = 0;  ///< of everything that decides the motion; `frames` and words do not
  /// JSON path -> argument of --set that put it there.
  std::vector<std::pair<std::string, std::string>> sets;
  std::vector<RowMember> members;  ///< of the bodies

  /// The problems so far and `more` as one Error; problems of values that came by --set name the argument.
  Error error(const std::vector<Problem>& more = {}) const;
};

/// Comments are allowed in the text. `sets` are arguments of --set, PATH=VALUE, applied before anything is
/// read: a list element is named by index or by its "name"; VALUE is JSON, or a word without quotes.
ParsedScene parse_scene(std::string_view text, std::string file, const std::vector<std::string>& sets = {});

}  // namespace pliant
