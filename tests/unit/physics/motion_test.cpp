// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/motion.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

namespace pliant {
namespace motion_test {

double angle_of(const Mat3& rotation) { return Eigen::AngleAxisd(rotation).angle() * 180 / std::numbers::pi; }

TEST(Motion, without_keys_stays_at_rest) {
  const Pose pose = Motion{}.at(3);
  EXPECT_EQ(pose.rotation, Mat3(Mat3::Identity()));
  EXPECT_EQ(pose.translation, Vec3(0, 0, 0));
}

TEST(Motion, keeps_the_first_pose_before_and_the_last_after) {
  const Motion motion{{{1, Vec3(1, 0, 0), {}}, {2, Vec3(3, 0, 0), {}}}, Ease::linear};
  EXPECT_EQ(motion.at(0).translation, Vec3(1, 0, 0));
  EXPECT_EQ(motion.at(9).translation, Vec3(3, 0, 0));
}

TEST(Motion, linear_goes_at_constant_speed_and_smooth_stops_at_keys) {
  Motion motion{{{0, Vec3(0, 0, 0), {}}, {2, Vec3(4, 0, 0), {}}}, Ease::linear};
  EXPECT_NEAR(motion.at(0.5).translation.x(), 1, 1e-15);
  motion.ease = Ease::smooth;
  EXPECT_NEAR(motion.at(1).translation.x(), 2, 1e-15);
  EXPECT_NEAR(motion.at(0.5).translation.x(), 4 * 0.15625, 1e-15);  // s^2 (3 - 2 s) at s = 1/4
  EXPECT_LT(motion.at(0.001).translation.x(), 1e-5);
}

TEST(Motion, turns_about_one_axis_interpolate_the_angle_beyond_half_a_turn) {
  const Motion motion{{{0, Vec3(0, 0, 0), {}}, {1, Vec3(0, 0, 0), {Vec3(0, 0, 2), 720}}}, Ease::linear};
  EXPECT_NEAR(angle_of(motion.at(0.125).rotation), 90, 1e-9);
  EXPECT_NEAR(angle_of(motion.at(0.25).rotation), 180, 1e-9);
  EXPECT_NEAR((motion.at(0.125).rotation * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(), 0, 1e-12);
}

TEST(Motion, an_axis_and_its_opposite_are_the_same_axis) {
  const Motion motion{{{0, Vec3(0, 0, 0), {Vec3(0, 0, 1), 90}}, {1, Vec3(0, 0, 0), {Vec3(0, 0, -1), 90}}},
                      Ease::linear};
  EXPECT_NEAR(angle_of(motion.at(0.5).rotation), 0, 1e-9);
}

TEST(Motion, returns_from_a_turn_to_a_key_without_turn) {
  const Motion motion{{{0, Vec3(0, 0, 0), {Vec3(1, 0, 0), 300}}, {1, Vec3(0, 0, 0), {}}}, Ease::linear};
  EXPECT_NEAR(angle_of(motion.at(0.5).rotation), 150, 1e-9);
  EXPECT_NEAR(angle_of(motion.at(1).rotation), 0, 1e-9);
}

TEST(Motion, turns_about_different_axes_go_the_shortest_way) {
  const Motion motion{{{0, Vec3(0, 0, 0), {Vec3(1, 0, 0), 90}}, {1, Vec3(0, 0, 0), {Vec3(0, 1, 0), 90}}},
                      Ease::linear};
  const Mat3 from = motion.at(0).rotation, half = motion.at(0.5).rotation, to = motion.at(1).rotation;
  const double whole = angle_of(from.transpose() * to);
  EXPECT_NEAR(angle_of(from.transpose() * half), whole / 2, 1e-9);
  EXPECT_NEAR(angle_of(half.transpose() * to), whole / 2, 1e-9);
}

}  // namespace motion_test
}  // namespace pliant
