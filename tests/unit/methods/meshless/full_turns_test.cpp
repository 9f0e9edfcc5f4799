// SPDX-License-Identifier: Apache-2.0
// Joints that turn by a full turn and more: the flesh goes along without a jump.
#include <gtest/gtest.h>

#include "tests/support/meshless_bar.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace full_turns_test {

constexpr double degree = 3.14159265358979323846 / 180;
constexpr int instants = 72;

/// The flesh at rest at every instant of a second: the furthest that a node goes between two of them, m, and
/// how often a cell had no rotation and kept its last.
struct Followed {
  double furthest = 0;
  int kept = 0;
};

template <class Check>
Followed follow(Method& method, Check check) {
  Pool pool(2);
  Points before;
  Followed out;
  for (int k = 0; k <= instants; ++k) {
    const double t = double(k) / instants;
    const auto settled = relax_once(method, {.time = t, .contact = {}, .pool = &pool}, 1e-5);
    EXPECT_TRUE(settled.trouble.empty()) << settled.trouble;
    for (std::size_t i = 0; i < before.size(); ++i)
      out.furthest = std::max(out.furthest, (method.nodes().x[i] - before[i]).norm());
    out.kept += settled.kept_rotations;
    before = method.nodes().x;
    check(t);
  }
  return out;
}

/// A bar of 0.5 x 0.5 x 4 m along z on one bone, or one in each half; a joint turns evenly within a second.
std::unique_ptr<Method> slender_bar(int bones, Index joint, const Vec3& turn) {
  Options options = bar_material();
  options.bones.emplace();
  std::vector<Joint>& joints = options.bones->skeleton.joints;
  joints.resize(std::size_t(bones) + 1);
  for (int j = 0; j <= bones; ++j) {
    joints[std::size_t(j)].name = std::to_string(j);
    joints[std::size_t(j)].parent = j - 1;
    joints[std::size_t(j)].position = Vec3(0, 0, 4.0 * j / bones);
  }
  TurnKeys& turns = joints[std::size_t(joint)].turns;
  turns.interpolation = Interpolation::linear;
  turns.times = {0, 1};
  turns.turns = {Vec3(0, 0, 0), turn};
  const Flesh flesh = make_flesh(
      make_shape(BoxShape{.size = {0.5, 0.5, 4}, .nodes = {4, 4, 25}, .corner = {-0.25, -0.25, 0}}), options);
  auto made = build(flesh.shape, 1, {0, 0}, flesh.options);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

TEST(MeshlessFullTurns, flesh_on_a_root_that_turns_by_720_degrees_turns_like_a_rigid_body) {
  const auto bar = slender_bar(2, 0, Vec3(0, 720 * degree, 0));
  const Points rest = bar->nodes().x;
  const Followed found = follow(*bar, [&](double t) {
    const Mat3 turn = Eigen::AngleAxisd(t * 720 * degree, Vec3::UnitY()).toRotationMatrix();
    for (std::size_t i = 0; i < rest.size(); ++i)
      ASSERT_LT((bar->nodes().x[i] - turn * rest[i]).norm(), 1e-4) << t * 720 << " degrees";
  });
  EXPECT_EQ(found.kept, 0);
}

TEST(MeshlessFullTurns, flesh_on_a_joint_that_twists_by_720_degrees_makes_no_jump) {
  const auto bar = slender_bar(1, 1, Vec3(0, 0, 720 * degree));
  const Followed found = follow(*bar, [](double) {});
  // An instant turns the end by ten degrees: an edge at 0.35 m from the axis goes 0.06 m.
  EXPECT_LT(found.furthest, 0.09);
  EXPECT_EQ(found.kept, 0);
}

TEST(MeshlessFullTurns, flesh_on_an_elbow_makes_no_jump_below_a_full_turn) {
  const auto bar = slender_bar(2, 1, Vec3(340 * degree, 0, 0));
  const Followed found = follow(*bar, [](double) {});
  // An instant turns the upper half, 2 m long, by 4.7 degrees: its end goes 0.17 m.
  EXPECT_LT(found.furthest, 0.25);
  EXPECT_EQ(found.kept, 0);
}

}  // namespace full_turns_test
}  // namespace pliant::meshless
