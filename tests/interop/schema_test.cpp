// SPDX-License-Identifier: Apache-2.0
// `pliant schema` as editors use it: another validator accepts every shipped scene, and refuses what the parser refuses.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pliant/scene/parse.hpp"
#include "pliant/scene/schema.hpp"
#include "tests/support/shipped_scene.hpp"
#include "tests/support/source_text.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::interop {
namespace schema_test {

using Json = nlohmann::json;

/// What python3-jsonschema says of each scene.
std::vector<std::string> verdicts(const std::vector<Json>& scenes) {
  const TempFolder folder;
  std::ofstream(folder / "schema.json") << scene_schema();
  std::string command = std::string(PLIANT_PYTHON) + " '" + source_folder() +
                        "/tests/interop/check_schema.py' '" + (folder / "schema.json").string() + "'";
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const auto file = folder / (std::to_string(i) + ".json");
    std::ofstream(file) << scenes[i].dump();
    command += " '" + file.string() + "'";
  }
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  EXPECT_TRUE(pipe);
  std::string said;
  for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) said += char(c);
  EXPECT_EQ(pipe ? pclose(pipe) : -1, 0) << said;
  std::vector<std::string> lines;
  std::istringstream in(said);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_EQ(lines.size(), scenes.size()) << said;
  lines.resize(scenes.size());
  return lines;
}

TEST(SchemaByAnotherValidator, is_sound_and_accepts_every_shipped_scene) {
  const auto names = shipped_names();
  std::vector<Json> scenes;
  for (const std::string& name : names)
    scenes.push_back(Json::parse(text_of_file(source_folder() + "/scenes/" + name + ".json"), nullptr, true,
                                 /* ignore_comments = */ true));
  const auto said = verdicts(scenes);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(said[i], "ok") << names[i];
}

TEST(SchemaByAnotherValidator, refuses_what_the_parser_refuses) {
  const Json good = Json::parse(R"({"bodies": [{"shape": {"sphere": {"radius": 0.5}}, "method": "fem"}],
      "colliders": [{"plane": {"friction": 0.5}}], "expect": [{"metric": "kinetic", "at": "end", "max": 1}]})");
  const std::vector<std::pair<const char*, Json>> changes{
      {"/timestep", 0},
      {"/timestep", "short"},
      {"/gravity", {0, 1}},
      {"/frame", 3},
      {"/bodies", Json::object()},
      {"/bodies/0/density", -1},
      {"/bodies/0/method", "magic"},
      {"/bodies/0/shape/sphere/nodes", 3},
      {"/bodies/0/shape/sphere/nodes", 3.5},
      {"/bodies/0/shape/cone", Json::object()},
      {"/bodies/0/fem/poisson", 0.6},
      {"/bodies/0/initial", {{"speed", 1}}},
      {"/colliders/0/plane/friction", -0.1},
      {"/expect/0/at", "sometimes"},
      {"/expect_warnings", "all"},
  };
  std::vector<Json> scenes{good};
  for (const auto& [place, value] : changes) {
    scenes.push_back(good);
    scenes.back()[Json::json_pointer(place)] = value;
  }
  const auto said = verdicts(scenes);
  EXPECT_EQ(said[0], "ok");
  EXPECT_TRUE(parse_scene(good.dump(), "good.json").problems.empty());
  for (std::size_t i = 1; i < scenes.size(); ++i) {
    EXPECT_NE(said[i], "ok") << changes[i - 1].first << " " << changes[i - 1].second;
    EXPECT_FALSE(parse_scene(scenes[i].dump(), "bad.json").problems.empty()) << changes[i - 1].first;
  }
}

}  // namespace schema_test
}  // namespace pliant::interop
