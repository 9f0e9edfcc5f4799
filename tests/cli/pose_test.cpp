// SPDX-License-Identifier: Apache-2.0
// `pliant pose` from the outside.
#include <gtest/gtest.h>

#include "pliant/io/read_mesh.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace pose_test {

const char* const bar = R"({
  "gravity": [0, -9.81, 0],
  "bodies": [{
    "name": "bar", "shape": {"box": {"size": [1, 0.2, 0.2], "nodes": [11, 3, 3]}},
    "geometric": {"stiffness": 1e6}, "fem": {"stiffness": 1e6},
    "cage": {"cells": [3, 1, 1], "stiffness": 1e6},
    "pins": [{"select": {"halfspace": {"point": [0, 0, 0], "normal": [-1, 0, 0]}}}]
  }]
})";

double lowest(const std::filesystem::path& file) {
  const Result<TriMesh> mesh = read_mesh(file);
  EXPECT_TRUE(mesh) << mesh.error().text();
  double low = 1e9;
  for (const Vec3& p : mesh->vertices) {
    EXPECT_TRUE(p.allFinite());
    low = std::min(low, p.y());
  }
  return low;
}

std::size_t files_in(const std::filesystem::path& folder) {
  return std::size_t(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// One Newton step of so large a body takes long; nothing is written before the last.
TEST(PoseCommand, ends_at_once_when_it_is_told_to) {
  const TempFolder folder;
  std::string text = bar;
  text.replace(text.find("[11, 3, 3]"), 10, "[401, 81, 81]");
  const std::string scene = write_text(folder / "bar.json", text).string();
  const std::string output = (folder / "bar.obj").string();
  const auto result = run_pliant("pose '" + scene + "' -o '" + output + "'",
                                 "timeout --foreground --preserve-status --signal=TERM --kill-after=20 1");
  EXPECT_EQ(result.exit, 130) << result.output;
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(PoseCommand, writes_the_body_at_rest_in_every_format_asked_for) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", bar).string();
  std::string outputs;
  for (const char* ending : {"obj", "ply", "stl", "glb", "vtu", "usda"})
    outputs += " -o '" + (folder / (std::string("posed.") + ending)).string() + "'";
  const auto result = run_pliant("pose '" + scene + "'" + outputs);
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("bar: at rest after")) << result.output;
  EXPECT_EQ(files_in(folder.path()), 7u);  // and no .part
  const double low = lowest(folder / "posed.obj");
  EXPECT_LT(low, -0.005);
  EXPECT_GT(low, -0.5);
  for (const char* file : {"posed.ply", "posed.stl", "posed.glb"})
    EXPECT_NEAR(lowest(folder / file), low, 1e-6);
}

TEST(PoseCommand, takes_the_handles_at_their_last_key_or_at_a_time) {
  const TempFolder folder;
  const std::string out = (folder / "twist.obj").string();
  auto result =
      run_pliant("pose geometric/bar-twist -o '" + out + "' --set bodies.bar.shape.box.nodes=[5,5,11]");
  EXPECT_EQ(result.exit, 0) << result.output;
  EXPECT_FALSE(result.says("in 1 increment;")) << result.output;
  result = run_pliant("pose geometric/bar-twist --time 0 -o '" + out +
                      "' --set bodies.bar.shape.box.nodes=[5,5,11]");
  EXPECT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("in 1 increment;")) << result.output;
}

TEST(PoseCommand, finite_elements_rest_too) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", bar).string(), out = (folder / "a.obj").string();
  const auto result = run_pliant("pose '" + scene + "' --set bodies.bar.method=fem -o '" + out + "'");
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_LT(lowest(out), -0.005);
}

TEST(PoseCommand, shipped_scenes_in_reduced_space_rest_too) {
  const TempFolder folder;
  const std::string out = (folder / "a.obj").string();
  // The full bodies rest at -0.872 and -0.278 m.
  for (const auto& [scene, low] :
       {std::pair{"geometric/modal-torus", -0.794}, {"geometric/samples-bar", -0.228}}) {
    const auto result = run_pliant(std::string("pose ") + scene + " -o '" + out + "'");
    ASSERT_EQ(result.exit, 0) << result.output;
    EXPECT_TRUE(result.says(": at rest after")) << result.output;
    EXPECT_NEAR(lowest(out), low, 0.01) << scene;
  }
}

TEST(PoseCommand, caged_bodies_rest_too_and_follow_a_handle_on_one_vertex) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", bar).string(), out = (folder / "a.obj").string();
  auto result = run_pliant("pose '" + scene + "' --set bodies.bar.method=cage -o '" + out + "'");
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("bar: at rest after")) << result.output;
  const double hanging = lowest(out);
  EXPECT_LT(hanging, -0.005);
  EXPECT_GT(hanging, -0.5);
  // A corner of the free end is pulled down.
  result = run_pliant(
      "pose '" + scene + "' --set bodies.bar.method=cage -o '" + out +
      R"(' --set 'bodies.bar.handles=[{"select": {"sphere": {"center": [1, 0, 0], "radius": 0.01}}, "motion": [{"time": 0}, {"time": 1, "translate": [0, -0.2, 0]}]}]')");
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_NEAR(lowest(out), -0.2, 0.01);
}

TEST(PoseCommand, a_solve_that_does_not_converge_fails_and_writes_nothing) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", bar).string();
  const auto result =
      run_pliant("pose '" + scene + "' --iterations 1 -o '" + (folder / "a.obj").string() + "'");
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(result.says("the static solve failed: body bar")) << result.output;
  EXPECT_TRUE(result.says("no balance after 1 Newton steps")) << result.output;
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(PoseCommand, a_finer_tolerance_leaves_less_force_unbalanced) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", bar).string();
  for (const char* tolerance : {"0.1", "1e-3", "1e-8"}) {
    const auto result = run_pliant("pose '" + scene + "' --tolerance " + tolerance + " -o '" +
                                   (folder / "a.obj").string() + "'");
    ASSERT_EQ(result.exit, 0) << result.output;
    const std::size_t at = result.output.find(" of those that act");
    ASSERT_NE(at, std::string::npos) << result.output;
    const std::size_t begin = result.output.rfind(' ', at - 1) + 1;
    EXPECT_LE(std::stod(result.output.substr(begin, at - begin)), 1.05 * std::stod(tolerance))
        << result.output;  // it is rounded
  }
}

TEST(PoseCommand, what_cannot_rest_is_refused_before_it_is_solved) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", bar).string();
  const std::string out = " -o '" + (folder / "a.obj").string() + "'";
  auto result = run_pliant("pose '" + scene + "' -o a.xyz");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says(".obj, .ply, .stl, .glb, .vtu or .usda")) << result.output;
  result = run_pliant("pose '" + scene + "'" + out + " --set 'bodies.bar.pins.0.release=1' --time 2");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("nothing that holds it at t = 2 s")) << result.output;
  result = run_pliant("pose creature" + out);
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("colliders")) << result.output;
  result = run_pliant("pose no-such-scene");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("no-such-scene")) << result.output;
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(PoseCommand, several_bodies_get_a_file_each) {
  const TempFolder folder;
  const std::string scene = write_text(folder / "two.json", R"({
    "bodies": [
      {"name": "a", "shape": {"box": {"size": [1, 0.2, 0.2], "nodes": [6, 2, 2]}}, "pins": [{"select": {"sphere": {"center": [0, 0, 0], "radius": 0.3}}}]},
      {"name": "b", "shape": {"box": {"size": [1, 0.2, 0.2], "nodes": [6, 2, 2]}}, "pins": [{"select": {"sphere": {"center": [0, 0, 0], "radius": 0.3}}}]}
    ]})")
                                .string();
  const auto result = run_pliant("pose '" + scene + "' -o '" + (folder / "posed.obj").string() + "'");
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(std::filesystem::exists(folder / "posed_a.obj"));
  EXPECT_TRUE(std::filesystem::exists(folder / "posed_b.obj"));
}

}  // namespace pose_test
}  // namespace pliant
