// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/skeleton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pliant {
namespace skeleton_test {

constexpr double pi = std::numbers::pi;

Skeleton chain(int bones) {
  Skeleton out;
  for (int j = 0; j <= bones; ++j) {
    Joint joint;
    joint.name = "j" + std::to_string(j);
    joint.parent = Index(j) - 1;
    joint.position = Vec3(j, 0, 0);
    out.joints.push_back(joint);
  }
  return out;
}

TurnKeys turning(const Vec3& to, double seconds = 1, Interpolation interpolation = Interpolation::linear) {
  TurnKeys keys;
  keys.interpolation = interpolation;
  keys.times = {0, seconds};
  keys.turns = {Vec3::Zero(), to};
  return keys;
}

TEST(Skeleton, AtRestNothingMoves) {
  const Skeleton s = chain(3);
  const auto pose = s.pose(0.7);
  for (std::size_t j = 0; j < pose.size(); ++j) {
    EXPECT_EQ(pose[j].position, s.joints[j].position);
    EXPECT_EQ(pose[j].rotation.coeffs(), Quat::Identity().coeffs());
  }
}

TEST(Skeleton, TurnsAndMovesAddUpAlongTheChain) {
  Skeleton s = chain(3);
  s.joints[1].turns = turning({0, 0, pi / 2});
  s.joints[2].turns = turning({0, 0, -pi / 2});
  s.joints[2].moves = {Interpolation::linear, {0, 1}, {Vec3::Zero(), Vec3(1, 0, 0)}, {}, {}};
  const auto pose = s.pose(1);
  EXPECT_LT((pose[1].position - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((pose[2].position - Vec3(1, 2, 0)).norm(), 1e-15);  // the move turns with the parent
  EXPECT_LT((pose[3].position - Vec3(2, 2, 0)).norm(), 1e-15);
  EXPECT_NEAR(pose[3].rotation.w(), 1, 1e-15);
}

TEST(Skeleton, TwoFullTurnsHaveNoJumpInAngleOrSign) {
  Skeleton s = chain(2);
  s.joints[1].turns = turning({0, 0, 4 * pi});
  Quat before = Quat::Identity();
  Vec3 turn_before = Vec3::Zero();
  double least_w = 1;
  for (int k = 1; k <= 720; ++k) {
    const auto pose = s.pose(k / 720.0);
    EXPECT_GT(pose[1].rotation.dot(before), 0.9999) << k;
    EXPECT_NEAR((pose[1].turn - turn_before).norm(), pi / 180, 1e-9) << k;
    before = pose[1].rotation;
    turn_before = pose[1].turn;
    least_w = std::min(least_w, before.w());
  }
  EXPECT_NEAR(least_w, -1, 1e-4);  // it did go through the other sheet
}

TEST(Skeleton, QuaternionKeysOfAnySignUnrollToTheFullTurn) {
  // A file knows rotations up to sign: 9 keys of 90 degrees, every other one with the sign changed.
  std::vector<Quat> keys;
  TurnKeys turns;
  turns.interpolation = Interpolation::linear;
  for (int k = 0; k <= 8; ++k) {
    Quat q(Eigen::AngleAxisd(k * pi / 2, Vec3(0, 1, 0)));
    if (k % 2 == 1) q.coeffs() = -q.coeffs();
    keys.push_back(q);
    turns.times.push_back(k);
  }
  turns.turns = align_turns(keys);
  EXPECT_LT((turns.turns.back() - Vec3(0, 4 * pi, 0)).norm(), 1e-12);
  for (int k = 0; k <= 800; ++k)
    EXPECT_LT((turns.at(k / 100.0) - Vec3(0, k / 100.0 * pi / 2, 0)).norm(), 1e-9) << k;
}

TEST(Skeleton, TurnsAboutDifferentAxesFollowTheGreatCircle) {
  const Vec3 a(0.4, 1.1, -0.3), b(-0.8, 0.2, 1.5);
  TurnKeys keys = turning(b);
  keys.turns[0] = a;
  const Quat expected = lifted_rotation(a).slerp(0.3, lifted_rotation(b));
  EXPECT_NEAR(lifted_rotation(keys.at(0.3)).dot(expected), 1, 1e-14);
}

TEST(Skeleton, KeysAreReachedAndHeldAtTheEnds) {
  for (auto how : {Interpolation::step, Interpolation::linear, Interpolation::smooth}) {
    const TurnKeys keys = turning({0, 1, 0}, 2, how);
    EXPECT_EQ(keys.at(-1), Vec3(0, 0, 0));
    EXPECT_EQ(keys.at(2), Vec3(0, 1, 0));
    EXPECT_EQ(keys.at(9), Vec3(0, 1, 0));
    const double at_half = how == Interpolation::step ? 0 : how == Interpolation::linear ? 0.25 : 0.15625;
    EXPECT_NEAR(keys.at(0.5).y(), at_half, 1e-15);
  }
}

TEST(Skeleton, CubicKeysHaveTheirTangents) {
  TurnKeys keys = turning({0, 0, 1.2}, 2, Interpolation::cubic);
  // Derivatives of the quaternion of a steady turn of 0.6 rad/s: the spline stays close to it.
  for (const Vec3& v : keys.turns)
    keys.out.push_back(0.3 * Eigen::Vector4d(0, 0, std::cos(v.z() / 2), -std::sin(v.z() / 2)));
  keys.in = keys.out;
  for (double t : {0.0, 0.5, 1.0, 1.5, 2.0}) EXPECT_NEAR(keys.at(t).z(), 0.6 * t, 1e-3) << t;
  EXPECT_NEAR((keys.at(1e-4).z() - keys.at(0).z()) / 1e-4, 0.6, 1e-3);

  MoveKeys moves{Interpolation::cubic, {0, 2}, {Vec3(0, 0, 0), Vec3(4, 0, 0)}, {}, {}};
  moves.in = {Vec3(0, 0, 0), Vec3(4, 0, 0)};
  moves.out = {Vec3(0, 0, 0), Vec3(0, 0, 0)};
  EXPECT_NEAR(moves.at(1).x(), 1, 1e-15);  // t^2
  EXPECT_NEAR(moves.at(0.5).x(), 0.25, 1e-15);
}

TEST(Skeleton, ATurnIsFoundAgainNearAGuess) {
  for (double angle : {0.0, 1e-8, 1.0, 3.2, 6.0, 6.2831853, 9.0, 13.0}) {
    const Vec3 v = angle * Vec3(1, 2, -2) / 3;
    const Vec3 found = turn_near(lifted_rotation(v), v + Vec3(0.1, -0.05, 0.02));
    EXPECT_NEAR(lifted_rotation(found).dot(lifted_rotation(v)), 1, 1e-14) << angle;
    EXPECT_NEAR(found.norm(), angle, 1e-6) << angle;
  }
}

TEST(Skeleton, BonesGoFromJointToChild) {
  Skeleton s = chain(2);
  Joint twin = s.joints[2];
  twin.parent = 2;  // at the place of its parent: no bone
  s.joints.push_back(twin);
  const auto bones = s.bones();
  ASSERT_EQ(bones.size(), 2u);
  EXPECT_EQ(bones[1].start, 1);
  EXPECT_EQ(bones[1].end, 2);
  EXPECT_EQ(bones[1].length, 1);
}

}  // namespace skeleton_test
}  // namespace pliant
