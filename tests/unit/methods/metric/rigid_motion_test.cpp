// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/rigid_motion.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace pliant::metric {
namespace rigid_motion_test {

double turning_energy(const Mat3& inertia, const Vec3& angular) {
  return angular.dot(inertia.inverse() * angular) / 2;
}

/// Energy after so many free turns over that before.
double energy_kept(const Vec3& moments, const Vec3& spin, double h, int steps) {
  Mat3 inertia = moments.asDiagonal();
  const Vec3 angular = inertia * spin;
  const double start = turning_energy(inertia, angular);
  for (int k = 0; k < steps; ++k) {
    const Mat3 turn = free_turn(inertia, angular, h);
    EXPECT_LT((turn * turn.transpose() - Mat3::Identity()).norm(), 1e-12);
    inertia = turn * inertia * turn.transpose();
  }
  return turning_energy(inertia, angular) / start;
}

TEST(MetricRigidMotion, a_free_turn_keeps_the_energy_at_any_step) {
  for (const double h : {1.0 / 240, 1.0 / 60, 0.3}) {
    EXPECT_NEAR(energy_kept({0.4, 1.04, 1.36}, {0.3, 6, 0}, h, 600), 1, 1e-9) << h;
    EXPECT_NEAR(energy_kept({1e-4, 1, 1.01}, {40, 2, 3}, h, 600), 1, 1e-6) << h;  // a needle
  }
}

TEST(MetricRigidMotion, a_ball_turns_by_its_spin) {
  const Vec3 spin(1, -2, 0.5);
  const Mat3 turn = free_turn(2 * Mat3::Identity(), 2 * spin, 0.1);
  // Cayley's map of 5 steps: the angle is right to its third power
  EXPECT_LT((turn - rotation_by(0.1 * spin)).norm(), 1e-4);
}

TEST(MetricRigidMotion, masses_on_a_line_and_single_nodes_turn_by_a_finite_angle) {
  const Mat3 line = Vec3(0, 1, 1).asDiagonal(), none = Mat3::Zero();
  EXPECT_TRUE(free_turn(line, {0, 2, 0}, 0.1).allFinite());
  EXPECT_EQ(free_turn(none, {0, 0, 1e-20}, 0.1), Mat3(Mat3::Identity()));
  EXPECT_EQ(turned_by(none, {1, 1, 1}), Vec3(0, 0, 0));
}

}  // namespace rigid_motion_test
}  // namespace pliant::metric
