// SPDX-License-Identifier: Apache-2.0
// A scene as shipped, before it is built: experiments change it.
#pragma once

#include <fstream>
#include <iterator>

#include "pliant/scene/parse.hpp"
#include "tests/support/places.hpp"

namespace pliant {

/// name: "geometric/bar"; sets: as of `pliant run --set`.
inline ParsedScene shipped(const std::string& name, const std::vector<std::string>& sets = {}) {
  const std::string file = source_folder() + "/scenes/" + name + ".json";
  std::ifstream stream(file);
  return parse_scene(std::string(std::istreambuf_iterator<char>(stream), {}), file, sets);
}

}  // namespace pliant
