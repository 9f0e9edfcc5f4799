// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_skin.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "pliant/geometry/bone_samples.hpp"
#include "pliant/io/glb_reader.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "tests/support/mesh_messages.hpp"
#include "tests/support/places.hpp"
#include "tests/support/rig_builder.hpp"

namespace pliant {
namespace glb_skin_test {

constexpr double pi = std::numbers::pi;

double largest_gap(const Points& a, const Points& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

/// Skinning of what was read against matrices by the words of the glTF specification.
void expect_same_motion(const RigData& data, double tolerance) {
  const Result<Rig> rig = parse_rig(rig_glb(data), "a.glb");
  ASSERT_TRUE(rig) << message(rig);
  ASSERT_EQ(rig->mesh.vertices.size(), data.vertices.size());
  for (int k = 0; k <= 40; ++k) {
    const double t = -0.1 + k * 0.06;
    const Points ours = skinned(rig->skeleton, rig->weights, rig->mesh.vertices, t);
    EXPECT_LT(largest_gap(ours, data.posed(t)), tolerance) << "at " << t;
  }
}

TEST(GlbSkin, moves_as_the_gltf_specification_says) { expect_same_motion(tube_rig(), 3e-6); }

TEST(GlbSkin, moves_so_when_joints_do_not_stand_as_they_were_bound) {
  RigData data = tube_rig();
  for (std::size_t n : {2u, 3u}) {  // the first joint places the mesh
    data.nodes[n].rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Vec3(3, 1, 2).normalized()));
    data.nodes[n].translation += Vec3(0.1, -0.2, 0.3);
  }
  data.channels.erase(data.channels.begin() + 2, data.channels.end());
  expect_same_motion(data, 3e-6);
}

TEST(GlbSkin, moves_so_with_nodes_between_and_moving_ones_above) {
  RigData data = tube_rig();
  data.joints = {1, 3};  // "middle" is no joint of the skin any more
  data.inverse_bind.erase(data.inverse_bind.begin() + 1);
  for (auto& joint : data.joint) joint = {0, 1, 1, 0};
  RigChannel swing;
  swing.node = 0;
  swing.times = {0, 2};
  swing.values = {data.nodes[0].rotation.coeffs(), Eigen::Vector4d(0, std::sin(0.5), 0, std::cos(0.5))};
  data.channels.push_back(swing);
  expect_same_motion(data, 3e-6);
  const Result<Rig> rig = parse_rig(rig_glb(data), "a.glb");
  ASSERT_GE(rig->skeleton.joints.size(), 4u);
  EXPECT_EQ(rig->skeleton.joints[0].name, "armature");
  EXPECT_EQ(rig->skeleton.joints[2].name, "middle");
}

TEST(GlbSkin, is_at_rest_in_the_bind_pose_where_the_scene_has_it) {
  RigData data = tube_rig();
  data.channels.clear();
  const Result<Rig> rig = parse_rig(rig_glb(data), "a.glb");
  ASSERT_TRUE(rig) << message(rig);
  const auto world = data.world(0, false);
  for (std::size_t j = 0; j < 3; ++j) {
    const Vec3 expected = world[j + 1].topRightCorner<3, 1>();
    EXPECT_LT((rig->skeleton.joints[j].position - expected).norm(), 1e-6);
  }
  EXPECT_EQ(rig->animation, "");
  EXPECT_EQ(rig->skeleton.duration(), 0);
  EXPECT_LT(largest_gap(rig->mesh.vertices, data.vertices), 1e-6);
  EXPECT_LT(largest_gap(parse_glb(rig_glb(data), "a.glb")->vertices, rig->mesh.vertices), 1e-15);
}

TEST(GlbSkin, places_a_mesh_that_is_stored_in_other_units) {
  // Vertices in centimetres, as some exporters store them: the inverse bind matrices make up for it.
  RigData data = tube_rig();
  for (Vec3& v : data.vertices) v *= 100;
  Eigen::Matrix4d shrink = Eigen::Matrix4d::Identity();
  shrink.topLeftCorner<3, 3>() *= 0.01;
  for (auto& m : data.inverse_bind) m = m * shrink;
  expect_same_motion(data, 3e-6);
  EXPECT_LT(largest_gap(parse_rig(rig_glb(data), "a.glb")->mesh.vertices, tube_rig().vertices), 2e-6);
}

TEST(GlbSkin, gives_the_last_joint_of_a_limb_a_bone) {
  const Result<Rig> rig = parse_rig(rig_glb(tube_rig()), "a.glb");
  ASSERT_TRUE(rig) << message(rig);
  const Joint& tip = rig->skeleton.joints.back();
  EXPECT_EQ(tip.name, "end tip");
  EXPECT_EQ(tip.parent, 2);
  const Vec3 way = tip.position - rig->skeleton.joints[2].position;
  EXPECT_GT(way.norm(), 0.2);
}

TEST(GlbSkin, unrolls_a_spinning_joint) {
  RigData data = tube_rig();
  RigChannel spin;
  spin.node = 2;
  for (int k = 0; k <= 8; ++k) {
    spin.times.push_back(k * 0.25);
    const Eigen::Quaterniond q(Eigen::AngleAxisd(k * pi / 2, Vec3(0, 1, 0)));
    spin.values.push_back((q * data.nodes[2].rotation).coeffs());
    if (k % 3 == 1) spin.values.back() *= -1;
  }
  data.channels = {spin};
  const Result<Rig> rig = parse_rig(rig_glb(data), "a.glb");
  ASSERT_TRUE(rig) << message(rig);
  EXPECT_NEAR(rig->skeleton.joints[1].turns.turns.back().norm(), 4 * pi, 1e-5);
  expect_same_motion(data, 3e-6);
}

TEST(GlbSkin, refuses_what_it_cannot_do_with_the_place) {
  const auto read = [](const RigData& data) { return parse_rig(rig_glb(data), "a.glb"); };
  RigData flat = tube_rig();
  flat.inverse_bind[1].topLeftCorner<3, 3>().row(0) *= 3;
  EXPECT_MESSAGE(read(flat), "skins.0.inverseBindMatrices, matrix 1");
  RigData late = tube_rig();
  late.channels[1].times = {2, 0};
  EXPECT_MESSAGE(read(late), "animations.0.samplers.1.input, key 1");
  RigData few = tube_rig();
  few.channels[2].values.pop_back();
  EXPECT_MESSAGE(read(few), "animations.0.samplers.2.output: found 3 values for 4 keys");
  RigData none = tube_rig();
  none.channels[2].values[1].setZero();
  EXPECT_MESSAGE(read(none), "a quaternion without length");
  RigData odd = tube_rig();
  odd.channels[2].interpolation = "BEZIER";
  EXPECT_MESSAGE(read(odd), "LINEAR, STEP or CUBICSPLINE");
  RigData grows = tube_rig();
  grows.channels[1].path = "scale";
  EXPECT_MESSAGE(read(grows), "animations.0.channels.1: found a joint that changes its size");
  RigData lost = tube_rig();
  lost.joint[3] = {7, 0, 0, 0};
  EXPECT_MESSAGE(read(lost), "JOINTS_0, vertex 3: found joint 7");
  RigData nobody = tube_rig();
  nobody.joints[1] = 9;
  EXPECT_MESSAGE(read(nobody), "skins.0.joints.1");
  EXPECT_MESSAGE(parse_rig(rig_glb(tube_rig()), "a.glb", "run"), "expected one of move");
  EXPECT_MESSAGE(parse_rig(rig_glb(tube_rig()).substr(0, 3000), "a.glb"), "cut off");
  EXPECT_TRUE(parse_rig(rig_glb(tube_rig()), "a.glb", "move"));
}

TEST(GlbSkin, the_shipped_rig_is_what_its_builder_makes) {
  // To change it: change the builder, run this test, copy the file that it writes.
  const std::filesystem::path shipped = std::filesystem::path(source_folder()) / "scenes/assets/rig.glb";
  const std::string made = rig_glb(character_rig());
  std::ofstream(std::filesystem::path(build_folder()) / "rig.glb", std::ios::binary) << made;
  const Result<std::string> bytes = read_file(shipped);
  ASSERT_TRUE(bytes) << message(bytes);
  const Result<Rig> a = parse_rig(*bytes, "shipped"), b = parse_rig(made, "made");
  ASSERT_TRUE(a) << message(a);
  ASSERT_TRUE(b) << message(b);
  ASSERT_EQ(a->mesh.vertices.size(), b->mesh.vertices.size());
  ASSERT_EQ(a->skeleton.joints.size(), b->skeleton.joints.size());
  for (const double t : {0.0, 0.5, 0.9, 2.3})
    EXPECT_LT(largest_gap(skinned(a->skeleton, a->weights, a->mesh.vertices, t),
                          skinned(b->skeleton, b->weights, b->mesh.vertices, t)),
              1e-5);
  EXPECT_LT(bytes->size(), 250000u);
  EXPECT_NEAR(a->skeleton.duration(), 3, 1e-6);
}

TEST(GlbSkin, a_skeleton_is_loaded_from_either_file) {
  const std::filesystem::path shipped = std::filesystem::path(source_folder()) / "scenes/assets/rig.glb";
  const Result<Skeleton> rig = load_skeleton(shipped);
  ASSERT_TRUE(rig) << message(rig);
  const auto file = std::filesystem::path(testing::TempDir()) / "rig-skeleton.json";
  ASSERT_FALSE(write_skeleton(file, *rig));
  const Result<Skeleton> again = load_skeleton(file);
  ASSERT_TRUE(again) << message(again);
  for (const double t : {0.0, 0.4, 1.05, 2.9}) {
    const auto a = rig->pose(t), b = again->pose(t);
    for (std::size_t j = 0; j < a.size(); ++j) {
      EXPECT_LT((a[j].position - b[j].position).norm(), 1e-12);
      EXPECT_GT(a[j].rotation.dot(b[j].rotation), 1 - 1e-12);
    }
  }
  std::filesystem::remove(file);
  EXPECT_MESSAGE(load_skeleton("a.bvh"), "expected a skeleton: .json, or a rig: .glb");
  EXPECT_FALSE(load_skeleton("no-such-file.json"));
}

}  // namespace glb_skin_test
}  // namespace pliant
