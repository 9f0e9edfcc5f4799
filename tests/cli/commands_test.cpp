// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pliant/base/version.hpp"
#include "pliant/scene/library.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"
#include "tests/support/shipped_scene.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace commands_test {

TEST(Commands, every_command_has_help_with_an_example) {
  for (const char* command :
       {"", "run", "pose", "render", "figure", "inspect", "prepare", "replay", "scenes", "schema", "bench"}) {
    const auto result = run_pliant(std::string(command) + " --help");
    EXPECT_EQ(result.exit, 0);
    EXPECT_TRUE(result.says("Example: pliant")) << result.output;
  }
  EXPECT_TRUE(run_pliant("run --help").says("bodies.N.geometric.stiffness"));
}

TEST(Commands, prepare_saves_the_graph_of_a_mesh_and_tells_what_it_is) {
  const TempFolder folder;
  const auto mesh = folder.path() / "tetra.obj", graph = folder.path() / "tetra.json";
  std::ofstream(mesh) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  const auto result = run_pliant("prepare " + mesh.string() + " --nodes 200 --graph " + graph.string());
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("solid")) << result.output;
  const auto saved = nlohmann::json::parse(std::ifstream(graph));
  double volume = 0;
  for (const double v : saved["volumes"]) volume += v;
  EXPECT_NEAR(volume, 1.0 / 6, 1e-12);
  EXPECT_EQ(saved["positions"].size(), saved["volumes"].size());
  EXPECT_GT(saved["edges"][0]["share"].get<double>(), 0);
  EXPECT_TRUE(refused(run_pliant("prepare no.obj --graph " + graph.string()), "no.obj: found No such file"));
  // The name is judged before the mesh is read.
  EXPECT_TRUE(refused(run_pliant("prepare no.obj --graph x.png"), ".json or .vtu"));
}

TEST(Commands, prepare_knows_its_skeletonizers_and_says_how_to_get_the_one_it_lacks) {
  const auto unknown = run_pliant("prepare no.obj --skeleton a.json --skeletonizer medial");
  EXPECT_EQ(unknown.exit, 2);
  // Refused before the mesh is read where it was not compiled in; else the mesh is what is missing.
  const auto cgal = run_pliant("prepare no.obj --skeleton a.json --skeletonizer cgal");
  EXPECT_EQ(cgal.exit, 2);
  EXPECT_TRUE(cgal.says("-DPLIANT_GPL=ON") || cgal.says("no.obj")) << cgal.output;
}

TEST(Commands, prepare_makes_a_cage_and_says_why_when_it_cannot) {
  const TempFolder folder;
  const auto mesh = folder.path() / "tetra.obj", cage = folder.path() / "cage.obj";
  std::ofstream(mesh) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  const std::string start = "prepare " + mesh.string() + " ";
  const auto result = run_pliant(start + "--budget 60 --cage " + cage.string());
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("60 degrees of freedom of 60")) << result.output;
  const auto made = run_pliant("inspect " + cage.string());
  EXPECT_TRUE(made.says("closed        yes") && made.says("crossing      none")) << made.output;
  EXPECT_TRUE(made.says("vertices      20 ")) << made.output;

  EXPECT_TRUE(refused(run_pliant(start), "--graph FILE, --cage FILE, --skeleton FILE"));
  EXPECT_TRUE(refused(run_pliant(start + "--cage x.png"), ".obj"));
  EXPECT_TRUE(refused(run_pliant(start + "--cage " + cage.string() + " --budget 11"), "not in range 12 to"));
  const auto far = folder.path() / "far.obj";
  std::ofstream(far)
      << "v 1e9 0 0\nv 1000000001 0 0\nv 1e9 1 0\nv 1e9 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  EXPECT_TRUE(
      run_pliant("prepare " + far.string() + " --cage " + cage.string()).says("move the mesh to the origin"));
  const auto points = folder.path() / "points.obj";
  std::ofstream(points) << "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const auto refused = run_pliant("prepare " + points.string() + " --cage " + cage.string());
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(refused.says("no faces")) << refused.output;
}

TEST(Commands, prepare_finds_a_skeleton_and_render_shows_it) {
  const TempFolder folder;
  const auto mesh = folder.path() / "bar.obj", bones = folder.path() / "bones.json";
  std::ofstream out(mesh);
  for (const int x : {0, 4})
    for (const int y : {0, 1})
      for (const int z : {0, 1}) out << "v " << x << ' ' << y << ' ' << z << '\n';
  out << "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n";
  out.close();
  const auto made = run_pliant("prepare " + mesh.string() + " --nodes 500 --skeleton " + bones.string());
  ASSERT_EQ(made.exit, 0) << made.output;
  EXPECT_TRUE(made.says("bones")) << made.output;
  EXPECT_GE(nlohmann::json::parse(std::ifstream(bones))["joints"].size(), 2u);
  const auto picture = folder.path() / "a.png";
  const auto shown = run_pliant("render " + mesh.string() + " --size 64x48 --quality draft --skeleton " +
                                bones.string() + " -o " + picture.string());
  EXPECT_EQ(shown.exit, 0) << shown.output;
  EXPECT_TRUE(std::filesystem::exists(picture));

  EXPECT_TRUE(refused(run_pliant("prepare " + mesh.string() + " --skeleton a.png"), "expected a .json file"));
  EXPECT_TRUE(
      run_pliant("prepare " + mesh.string() + " --shell --skeleton " + bones.string()).says("no skeleton"));
  const auto wrong =
      run_pliant("render " + mesh.string() + " -o " + picture.string() + " --skeleton " + mesh.string());
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_TRUE(wrong.says("a skeleton: .json, or a rig: .glb")) << wrong.output;
}

TEST(Commands, an_unknown_command_is_wrong_input_with_the_nearest_name) {
  const auto result = run_pliant("rnu");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("did you mean \"run\"?")) << result.output;
  EXPECT_TRUE(refused(run_pliant(""), "A subcommand is required"));
}

TEST(Commands, output_that_cannot_be_written_is_a_failure) {
  for (const char* command : {"schema", "scenes", "--version"}) {
    EXPECT_EQ(run_pliant(std::string(command) + " > /dev/full").exit, 1) << command;
    const std::string said = output_of("'" + build_folder() + "/pliant' " + command + " 2>&1 > /dev/full");
    EXPECT_TRUE(said.find("could not be written") != said.npos || said.find("No space left") != said.npos)
        << command << ": " << said;
  }
}

TEST(Commands, an_unknown_instruction_set_is_wrong_input) {
  const auto result = run_pliant("scenes", "PLIANT_SIMD=avx3");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("expected portable, avx2 or avx512")) << result.output;
}

TEST(Render, refuses_what_no_camera_can_show_and_what_it_would_ignore) {
  const TempFolder folder;
  const std::string mesh = write_text(folder / "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").string();
  for (const char* wrong : {"--camera 1e308,0,1", "--camera 0,0,1e-300", "--camera nan,0,1", "--ground nan",
                            "--ground 1e300", "--set frames=3"}) {
    const auto result = run_pliant("render '" + mesh + "' --size 32x32 --quality draft " + wrong + " -o '" +
                                   (folder / "a.png").string() + "'");
    EXPECT_EQ(result.exit, 2) << wrong << "\n" << result.output;
    EXPECT_FALSE(std::filesystem::exists(folder / "a.png")) << wrong;
  }
}

TEST(Commands, version_is_said) {
  const auto result = run_pliant("--version");
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.output, std::string(version()) + "\n");
}

TEST(Commands, schema_is_json) {
  const auto result = run_pliant("schema");
  ASSERT_EQ(result.exit, 0);
  EXPECT_TRUE(nlohmann::json::parse(result.output).contains("$defs"));
}

TEST(Commands, scenes_lists_every_shipped_scene_with_a_line) {
  const auto result = run_pliant("scenes");
  ASSERT_EQ(result.exit, 0);
  for (const ShippedScene& scene : shipped_scenes({source_folder() + "/scenes"})) {
    EXPECT_TRUE(result.says(scene.name)) << scene.name;
    EXPECT_FALSE(scene.description.empty()) << scene.name;
    EXPECT_TRUE(result.says(scene.description)) << scene.name;
  }
}

// That they can be built and do what they expect: EveryScene.
TEST(ShippedScenes, are_without_problems_and_carry_an_expectation) {
  const auto names = shipped_names();
  EXPECT_GE(names.size(), 5u);
  for (const std::string& name : names) {
    const ParsedScene scene = shipped(name);
    EXPECT_TRUE(scene.problems.empty()) << scene.error().text();
    EXPECT_FALSE(scene.spec.expect.empty()) << name;
  }
}

/// What makes a scene of many nodes shorter here. Its expectations do not depend on their number.
std::string smaller(const std::string& scene) {
  static const std::map<std::string, std::string> options = {
      {"creature", "bodies.creature.shape.blobs.nodes=2500"},
      {"meshless/armadillo", "bodies.armadillo.shape.nodes=6000"},
      {"metric/wild-elephant", "bodies.elephant.shape.nodes=1500"},
      {"wild/armadillo", "bodies.armadillo.shape.nodes=2500"},
      {"wild/bunny", "bodies.bunny.shape.nodes=2500"},
      {"wild/dino", "bodies.dino.shape.nodes=2500"},
  };
  const auto found = options.find(scene);
  return found == options.end() ? "" : " --set " + found->second;
}

/// One test a scene, so that they run side by side.
class EveryScene : public testing::TestWithParam<std::string> {};

TEST_P(EveryScene, shows_what_it_promises) {
  if (lacks_models(GetParam())) GTEST_SKIP() << GetParam() << " " << models_missing;
  const TempFolder folder;
  // Its heap takes minutes: here it begins to fall.
  const std::string how = GetParam() == "together/pile" ? " --frames 12" : " --check";
  // One thread: the frames are the same for any number, and tests run side by side.
  const auto result = run_pliant("run " + GetParam() + " -o '" + (folder / "out").string() +
                                 "' --format none --threads 1" + how + smaller(GetParam()));
  EXPECT_EQ(result.exit, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryScene, testing::ValuesIn(shipped_names()), test_name);

}  // namespace commands_test
}  // namespace pliant
