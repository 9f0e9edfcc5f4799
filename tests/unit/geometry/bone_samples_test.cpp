// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/bone_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace bone_samples_test {

constexpr double pi = std::numbers::pi;

TurnKeys turning(const Vec3& to) {
  TurnKeys keys;
  keys.interpolation = Interpolation::linear;
  keys.times = {0, 1};
  keys.turns = {Vec3::Zero(), to};
  return keys;
}

/// Two bones of length 2 along x, the joint between them at 2.
Skeleton limb(const Vec3& middle, const Vec3& tip = Vec3::Zero()) {
  Skeleton s;
  for (int j = 0; j < 3; ++j) {
    Joint joint;
    joint.parent = Index(j) - 1;
    joint.position = Vec3(2.0 * j, 0, 0);
    joint.radius = 0.5;
    s.joints.push_back(joint);
  }
  s.joints[1].turns = turning(middle);
  s.joints[2].turns = turning(tip);
  return s;
}

std::vector<SamplePose> posed(const BoneSamples& samples, double t) {
  BoneSamples::Scratch scratch;
  std::vector<SamplePose> out;
  samples.pose(t, scratch, out);
  return out;
}

double angle_z(const Quat& q) { return 2 * std::atan2(q.z(), q.w()); }

TEST(BoneSamples, AreEvenWithOneAtEveryJoint) {
  const BoneSamples s(limb(Vec3::Zero()), {0.3, 0});
  ASSERT_EQ(s.samples().size(), 15u);  // 2 bones of 7 parts, joints shared
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_NEAR((s.samples()[i].X - Vec3(double(i) * 2 / 7, 0, 0)).norm(), 0, 1e-14);
    EXPECT_DOUBLE_EQ(s.samples()[i].radius, 0.5);
  }
  EXPECT_EQ(s.samples()[7].X, Vec3(2, 0, 0));
}

TEST(BoneSamples, AtRestTheyAreWhereTheyWere) {
  for (double zone : {0.0, 0.5}) {
    const BoneSamples s(limb({0, 0, 1}, {1, 0, 0}), {0.25, zone});
    const auto at = posed(s, 0);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_LT((at[i].x - s.samples()[i].X).norm(), 1e-14);
      EXPECT_EQ(at[i].rotation.w(), 1);
    }
  }
}

TEST(BoneSamples, ASharpJointTurnsHalfWay) {
  const BoneSamples s(limb({0, 0, pi / 2}), {0.5, 0});
  const auto at = posed(s, 1);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(angle_z(at[std::size_t(i)].rotation), 0, 1e-15);
  EXPECT_NEAR(angle_z(at[4].rotation), pi / 4, 1e-14);
  for (int i = 5; i < 9; ++i) EXPECT_NEAR(angle_z(at[std::size_t(i)].rotation), pi / 2, 1e-14);
  EXPECT_LT((at[8].x - Vec3(2, 2, 0)).norm(), 1e-14);
}

TEST(BoneSamples, ARoundedJointIsACircularArcOfTheSameLength) {
  const double zone = 0.5;
  const BoneSamples s(limb({0, 0, pi / 2}), {0.05, zone});
  const auto at = posed(s, 1);
  double length = 0;
  const double radius = 2 * zone / (pi / 2);
  const Vec3 centre(1.5, radius, 0);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (i > 0) length += (at[i].x - at[i - 1].x).norm();
    const double way = s.samples()[i].X.x();
    EXPECT_NEAR(angle_z(at[i].rotation), std::clamp((way - 1.5) / (2 * zone), 0.0, 1.0) * pi / 2, 1e-12);
    if (std::abs(way - 2) <= zone) {
      EXPECT_NEAR((at[i].x - centre).norm(), radius, 1e-12) << way;
    }
  }
  EXPECT_NEAR(length, 4, 1e-3);  // chords
  EXPECT_LT((at.back().x - Vec3(1.5 + radius, radius + 1.5, 0)).norm(), 1e-12);
}

TEST(BoneSamples, TwistGrowsLinearlyAlongTheBone) {
  const BoneSamples s(limb(Vec3::Zero(), {pi / 2, 0, 0}), {0.25, 0.5});
  const auto at = posed(s, 1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double way = s.samples()[i].X.x();
    const double share = std::clamp((way - 2.5) / 1.5, 0.0, 1.0);  // the zone of the middle joint is free
    EXPECT_NEAR(2 * std::atan2(at[i].rotation.x(), at[i].rotation.w()), share * pi / 2, 1e-14);
    EXPECT_LT((at[i].x - s.samples()[i].X).norm(), 1e-14);
  }
}

TEST(BoneSamples, AJointThatTurns720DegreesMakesNoJump) {
  for (const Vec3& axis : {Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0.6, 0.0, 0.8)}) {
    const BoneSamples s(limb(4 * pi * axis), {0.05, 0.8});
    auto before = posed(s, 0);
    double most_turn = 0, most_way = 0, most_between = 0;
    const int frames = 1440;
    for (int k = 1; k <= frames; ++k) {
      const auto at = posed(s, double(k) / frames);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double cosine = std::min(1.0, at[i].rotation.dot(before[i].rotation));
        most_turn = std::max(most_turn, 2 * std::acos(cosine));
        most_way = std::max(most_way, (at[i].x - before[i].x).norm());
      }
      most_between = std::max(most_between, s.largest_step(at));
      before = at;
    }
    EXPECT_LT(most_turn, 3 * 4 * pi / frames) << axis.transpose();
    EXPECT_LT(most_way, 3 * 2 * 4 * pi / frames) << axis.transpose();
    EXPECT_LT(most_between, pi) << axis.transpose();
  }
}

TEST(BoneSamples, MaterialOnABoneFollowsItRigidly) {
  Skeleton skeleton = limb({0, 0.4, 0.5});
  skeleton.joints[0].turns = turning({0, 1, 0});
  skeleton.joints[0].moves = {Interpolation::linear, {0, 1}, {Vec3::Zero(), Vec3(0, 0, 3)}, {}, {}};
  const BoneSamples s(skeleton, {0.5, 0});
  const auto at = posed(s, 1);
  const Vec3 X(0.8, 0.2, 0.1);
  EXPECT_LT((carried(at[1], s.samples()[1], X) - carried(at[0], s.samples()[0], X)).norm(), 1e-14);
  EXPECT_LT((carried(at[0], s.samples()[0], X) - (lifted_rotation({0, 1, 0}) * X + Vec3(0, 0, 3))).norm(),
            1e-14);
}

TEST(BoneSamples, TheEndsOfBonesMeetAtBranches) {
  Skeleton s = limb({0.2, 0.7, 1.1});
  Joint branch;
  branch.parent = 1;
  branch.position = Vec3(2, 1, 1);
  s.joints.push_back(branch);
  const BoneSamples samples(s, {0.01, 0.4});
  const auto at = posed(samples, 1);
  for (std::size_t i = 1; i < at.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const double rest = (samples.samples()[i].X - samples.samples()[k].X).norm();
      if (rest < 0.0101) {
        EXPECT_LT((at[i].x - at[k].x).norm(), 0.0102) << i << ' ' << k;
        EXPECT_GT(at[i].rotation.dot(at[k].rotation), 0.999) << i << ' ' << k;
      }
    }
}

TEST(BoneSamples, PosingAllocatesNothing) {
  const BoneSamples s(limb({0.1, 0.2, 2}), {0.1, 0.3});
  BoneSamples::Scratch scratch;
  std::vector<SamplePose> out;
  s.pose(0, scratch, out);
  const auto before = allocations();
  s.pose(0.5, scratch, out);
  EXPECT_EQ(allocations(), before);
}

}  // namespace bone_samples_test
}  // namespace pliant
