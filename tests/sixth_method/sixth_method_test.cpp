// SPDX-License-Identifier: Apache-2.0
// A method that one folder holds appears everywhere without a change elsewhere.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/schema.hpp"
#include "pliant/view/option_list.hpp"
#include "tests/sixth_method/springs.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace sixth_method_test {

const char* const scene = R"({"bodies": [{
  "name": "block", "method": "springs", "springs": {"stiffness": 2e4},
  "shape": {"box": {"size": [1, 0.2, 0.2], "nodes": [11, 3, 3]}},
  "pins": [{"select": {"halfspace": {"point": [0, 0, 0], "normal": [-1, 0, 0]}}}]}]})";

TEST(SixthMethod, is_read_from_a_scene_with_its_own_settings) {
  const ParsedScene parsed = parse_scene(scene, "scene.json");
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.spec.bodies[0].options_of<springs::Options>().stiffness, 2e4);
  const ParsedScene set = parse_scene(scene, "scene.json", {"bodies.block.springs.damping=0.5"});
  EXPECT_EQ(set.spec.bodies[0].options_of<springs::Options>().damping, 0.5);
}

TEST(SixthMethod, tells_what_is_wrong_with_its_settings) {
  const ParsedScene parsed =
      parse_scene(R"({"bodies": [{"springs": {"stiffnes": 1, "damping": -1}}]})", "scene.json");
  ASSERT_EQ(parsed.problems.size(), 2u);
  EXPECT_EQ(parsed.problems[0].place, "bodies.0.springs.damping");
  EXPECT_EQ(parsed.problems[1].hint, "did you mean \"stiffness\"?");
  const std::string with_ground = R"({"colliders": [{"plane": {}}], "bodies": [{"method": "springs"}]})";
  const Result<Scene> built = build_scene(parse_scene(with_ground, "scene.json"));
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().problems[0].place, "bodies.0.method");
  EXPECT_EQ(built.error().problems[0].hint, "method springs does not meet colliders");
}

TEST(SixthMethod, is_in_the_schema_the_documentation_and_the_help) {
  const auto schema = nlohmann::json::parse(scene_schema());
  EXPECT_EQ(schema["$defs"]["springs"]["properties"]["stiffness"]["x-unit"], "Pa");
  const auto& names = schema["$defs"]["body"]["properties"]["method"]["enum"];
  EXPECT_NE(std::find(names.begin(), names.end(), "springs"), names.end());
  EXPECT_NE(scene_markdown().find("\n## springs\n"), std::string::npos);
  EXPECT_NE(scene_keys_help().find("bodies.N.springs.stiffness"), std::string::npos);
}

TEST(SixthMethod, is_asked_by_inspect) {
  const TempFolder folder;
  const std::string file = (folder.path() / "tetrahedron.obj").string();
  std::ofstream(file) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  CLI::App app;
  cli::add_inspect(app);
  testing::internal::CaptureStdout();
  app.parse("inspect --json " + file);
  const auto facts = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(facts["methods"]["springs"]["verdict"], "yes, as a solid");
}

TEST(SixthMethod, has_its_options_on_the_page) {
  const auto document = nlohmann::json::parse(scene);
  const std::vector<std::string> paths = view::option_paths(document);
  EXPECT_NE(std::find(paths.begin(), paths.end(), "bodies.0.springs.stiffness"), paths.end());
  EXPECT_EQ(view::live_options("springs"), std::vector<std::string>{"damping"});
}

TEST(SixthMethod, runs) {
  Result<Scene> built = build_scene(parse_scene(scene, "scene.json"));
  ASSERT_TRUE(built) << built.error().text();
  const auto tip = [&] { return built->simulation.bodies()[0].surface().back(); };
  const double before = tip().y();
  for (int step = 0; step < 30; ++step) ASSERT_FALSE(built->simulation.step());
  EXPECT_LT(tip().y(), before - 0.01);
  EXPECT_GT(tip().x(), 0.5) << "the wall holds it";
}

}  // namespace sixth_method_test
}  // namespace pliant
