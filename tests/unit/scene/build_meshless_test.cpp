// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "pliant/methods/meshless/body.hpp"
#include "pliant/scene/library.hpp"
#include "tests/support/mesh_messages.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace {

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

}  // namespace
}  // namespace pliant
