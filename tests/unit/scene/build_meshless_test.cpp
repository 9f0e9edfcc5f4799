// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "pliant/methods/meshless/body.hpp"
#include "pliant/scene/library.hpp"
#include "tests/support/mesh_messages.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace build_meshless_test {

/// A bar along z in centimetres, 20 x 20 x 100, with a bone in it, in a scene that stands it up and moves it.
class BarFiles {
 public:
  BarFiles() {
    std::ofstream mesh(folder_.path() / "bar.obj");
    for (const int z : {0, 100})
      for (const int y : {-10, 10})
        for (const int x : {-10, 10}) mesh << "v " << x << ' ' << y << ' ' << z << '\n';
    mesh << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    std::ofstream(folder_.path() / "bones.json") << R"({"joints": [
      {"name": "root", "position": [0, 0, 10]},
      {"name": "middle", "parent": "root", "position": [0, 0, 50],
       "turns": {"keys": [{"time": 0, "degrees": 0}, {"time": 1, "axis": [1, 0, 0], "degrees": 40}]}},
      {"name": "tip", "parent": "middle", "position": [0, 0, 90]}]})";
  }

  Result<Scene> load(const std::string& skeleton_keys) const {
    const auto file = folder_.path() / "scene.json";
    std::ofstream(file) << fmt::format(
        R"({{"gravity": [0, 0, 0], "bodies": [{{"method": "meshless",
        "shape": {{"mesh": "bar.obj", "unit": "cm", "up": "z", "translate": [3, 1, 0], "nodes": 300}},
        "meshless": {{"skeleton": {{"file": "bones.json"{}}}}}}}]}})",
        skeleton_keys);
    return load_scene(file.string());
  }

 private:
  TempFolder folder_;
};

const BoneSamples& bones_of(const Scene& scene) {
  return dynamic_cast<const meshless::Body&>(scene.simulation.bodies()[0].method()).rig().bones();
}

TEST(BuildMeshless, a_skeleton_is_placed_like_its_mesh) {
  const BarFiles files;
  const Result<Scene> scene = files.load("");
  ASSERT_TRUE(scene) << message(scene);
  const Skeleton& skeleton = bones_of(*scene).skeleton();
  EXPECT_LT((skeleton.joints[0].position - Vec3(3, 1.1, 0)).norm(), 1e-12);
  EXPECT_LT((skeleton.joints[2].position - Vec3(3, 1.9, 0)).norm(), 1e-12);
  EXPECT_LT((skeleton.joints[1].turns.turns[1].normalized() - Vec3(1, 0, 0)).norm(), 1e-12);
}

TEST(BuildMeshless, a_skeleton_in_the_place_of_the_scene_is_told_when_it_is_outside) {
  EXPECT_MESSAGE(BarFiles().load(R"(, "like_mesh": false)"), "joint \"root\" at [0, 0, 10]");
}

TEST(BuildMeshless, an_elastic_skeleton_bends_between_what_its_keys_hold) {
  const BarFiles files;
  const Result<Scene> scene = files.load(R"(, "elastic": true, "joint_softness": 1)");
  ASSERT_TRUE(scene) << message(scene);
  const BoneSamples& bones = bones_of(*scene);
  BoneSamples::Scratch scratch;
  std::vector<SamplePose> pose;
  bones.pose(1, scratch, pose);
  // Held at the root and turned by 40 degrees in the middle: evenly bent up to there, straight beyond.
  for (std::size_t i = 0; i < pose.size(); ++i) {
    const double share = std::min(1.0, (bones.samples()[i].X.y() - 1.1) / 0.4);
    const double angle = 2 * std::atan2(pose[i].rotation.x(), pose[i].rotation.w());
    EXPECT_NEAR(angle, share * 40 * 3.14159265 / 180, 1e-4) << i;
  }
}

std::string all_notes(const Scene& scene) {
  std::string out;
  for (const std::string& note : scene.notes) out += note + "\n";
  return out;
}

TEST(BuildMeshless, nothing_out_of_the_ordinary_is_not_mentioned) {
  const Result<Scene> scene = build_scene(parse_scene(
      R"({"bodies": [{"shape": {"box": {"nodes": [5, 5, 5]}}, "method": "meshless"}]})", "a.json", {}));
  ASSERT_TRUE(scene) << message(scene);
  EXPECT_EQ(all_notes(*scene).find("cells"), std::string::npos) << all_notes(*scene);
}

// A wall of 1/40 of the box beside it: far thinner than the cells.
TEST(BuildMeshless, nodes_of_walls_thinner_than_a_cell_are_told) {
  TempFolder folder;
  std::ofstream mesh(folder.path() / "wall.obj");
  int first = 1;
  for (const double width : {1.0, 0.025}) {
    for (const int z : {0, 1})
      for (const int y : {0, 1})
        for (const int x : {0, 1})
          mesh << "v " << (first > 1 ? 1.5 : 0) + x * width << ' ' << y << ' ' << z << '\n';
    for (const auto& f :
         {std::array{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}})
      mesh << "f " << first - 1 + f[0] << ' ' << first - 1 + f[1] << ' ' << first - 1 + f[2] << ' '
           << first - 1 + f[3] << '\n';
    first += 8;
  }
  mesh.close();
  const auto file = folder.path() / "scene.json";
  std::ofstream(file)
      << R"({"bodies": [{"name": "house", "method": "meshless", "shape": {"mesh": "wall.obj", "nodes": 400},
      "meshless": {"skeleton": {"joints": [{"name": "a", "position": [0.5, 0.2, 0.5]},
                                           {"name": "b", "parent": "a", "position": [0.5, 0.8, 0.5]}]}}}]})";
  const Result<Scene> scene = load_scene(file.string());
  ASSERT_TRUE(scene) << message(scene);
  const auto& cells =
      dynamic_cast<const meshless::Body&>(scene->simulation.bodies()[0].method()).model().cells;
  EXPECT_GT(cells.lonely, 0);
  EXPECT_NE(all_notes(*scene).find(fmt::format("house: {} nodes in parts thinner than a cell", cells.lonely)),
            std::string::npos)
      << all_notes(*scene);
  EXPECT_NE(all_notes(*scene).find("cells lie in parts without a bone"), std::string::npos)
      << all_notes(*scene);
  std::ofstream(file) << R"({"bodies": [{"method": "fem", "shape": {"mesh": "wall.obj", "nodes": 1000},
      "fem": {"rotations": "diffused", "skeleton": {
        "joints": [{"name": "a", "position": [0.5, 0.2, 0.5]},
                   {"name": "b", "parent": "a", "position": [0.5, 0.8, 0.5]}]}}}]})";
  const Result<Scene> elements = load_scene(file.string());
  ASSERT_TRUE(elements) << message(elements);
  EXPECT_NE(all_notes(*elements).find("elements lie in parts without a bone"), std::string::npos)
      << all_notes(*elements);
}

// Cells that no bone reaches are told once, not as rotations that were lost.
TEST(BuildMeshless, a_step_counts_rotations_that_were_kept_only_where_bones_tell_them) {
  const auto kept = [](const std::string& meshless) {
    Result<Scene> scene = build_scene(parse_scene(
        R"({"bodies": [{"shape": {"box": {"nodes": [5, 5, 5]}}, "method": "meshless", "meshless": {)" +
            meshless + "}}]}",
        "a.json", {}));
    EXPECT_TRUE(scene) << message(scene);
    EXPECT_FALSE(scene->simulation.step());
    return scene->simulation.bodies()[0].report().kept_rotations;
  };
  const std::string bones = R"("skeleton": {"joints": [{"name": "a", "position": [0.5, 0.2, 0.5]},
                               {"name": "b", "parent": "a", "position": [0.5, 0.8, 0.5]}]})";
  EXPECT_EQ(kept(""), -1);
  EXPECT_EQ(kept(bones), 0);
  EXPECT_EQ(kept(bones + R"(, "refinements": 2)"), 0);
  EXPECT_EQ(kept(bones + R"(, "rotations": "polar")"), -1);
  EXPECT_EQ(kept(bones + R"(, "warping": "none")"), -1);
}

TEST(BuildMeshless, balls_of_finer_nodes_that_cannot_be_are_refused_at_their_place) {
  const auto told = [](const std::string& finer, const std::string& bones) {
    return message(build_scene(parse_scene(
        R"({"bodies": [{"shape": {"box": {"nodes": [5, 5, 5]}}, "method": "meshless", "meshless": {"finer": [)" +
            finer + "]" + bones + "}}]}",
        "a.json", {})));
  };
  const std::string bones = R"(, "skeleton": {"joints": [{"name": "a", "position": [0.5, 0.2, 0.5]},
                               {"name": "b", "parent": "a", "position": [0.5, 0.8, 0.5]}]})";
  EXPECT_NE(told(R"({"near": "joints"})", "").find("meshless.finer.0"), std::string::npos);
  EXPECT_NE(told(R"({"joint": "c"})", bones).find("meshless.finer.0.joint"), std::string::npos);
  EXPECT_EQ(told(R"({"joint": "b", "radius": 0.3})", bones), "no error");
  EXPECT_NE(told(R"({"near": "point", "joint": "b"})", bones).find("meshless.finer.0.joint"),
            std::string::npos);
  EXPECT_NE(
      told(R"({"near": "point", "point": [2, 0, 0], "radius": 0.3})", "").find("meshless.finer.0.point"),
      std::string::npos);
  EXPECT_EQ(told(R"({"near": "point", "point": [1.1, 0.5, 0.5], "radius": 0.3})", ""), "no error");
}

TEST(BuildFem, bones_are_rigid) {
  const auto told = [](const std::string& skeleton) {
    return message(build_scene(parse_scene(
        R"({"bodies": [{"shape": {"box": {"nodes": [5, 5, 5]}}, "method": "fem", "fem": {"skeleton": {"joints": [
            {"name": "a", "position": [0.5, 0.2, 0.5]},
            {"name": "b", "parent": "a", "position": [0.5, 0.8, 0.5]}])" +
            skeleton + "}}}]}",
        "a.json", {})));
  };
  EXPECT_EQ(told(""), "no error");
  for (const char* key : {"loaded", "elastic"})
    EXPECT_NE(told(fmt::format(", \"{}\": true", key)).find(fmt::format("fem.skeleton.{}", key)),
              std::string::npos)
        << told(fmt::format(", \"{}\": true", key));
}

}  // namespace build_meshless_test
}  // namespace pliant
