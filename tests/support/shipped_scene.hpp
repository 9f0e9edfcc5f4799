// SPDX-License-Identifier: Apache-2.0
// A scene as shipped, before it is built: experiments change it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "pliant/scene/library.hpp"
#include "pliant/scene/parse.hpp"
#include "tests/support/models.hpp"
#include "tests/support/places.hpp"

namespace pliant {

/// name: "geometric/bar"; sets: as of `pliant run --set`.
inline ParsedScene shipped(const std::string& name, const std::vector<std::string>& sets = {}) {
  const std::string file = source_folder() + "/scenes/" + name + ".json";
  std::ifstream stream(file);
  return parse_scene(std::string(std::istreambuf_iterator<char>(stream), {}), file, sets);
}

/// The names of all scenes: tests of every scene are one a scene, so that they run side by side.
inline std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const ShippedScene& scene : shipped_scenes({source_folder() + "/scenes"})) names.push_back(scene.name);
  return names;
}

/// A scene's name as the end of a test's.
inline std::string test_name(const testing::TestParamInfo<std::string>& about) {
  std::string name = about.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

/// Meshes of the scene are those of `make models`, which are not there.
inline bool lacks_models(const std::string& name) {
  return !have_models() && shipped(name).text.find("models/meshes") != std::string::npos;
}

}  // namespace pliant
