// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/elastic_rod.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pliant {
namespace elastic_rod_test {

constexpr double pi = std::numbers::pi;

/// Length 1 along x, EI = GJ = 1, EA = 1e4.
ElasticRod straight(int elements, const RodStiffness& stiffness = {1e4, 1, 1}) {
  Points rest;
  std::vector<RodElement> chain;
  for (int i = 0; i <= elements; ++i) {
    rest.push_back(Vec3(double(i) / elements, 0, 0));
    if (i > 0) chain.push_back({Index(i) - 1, Index(i), stiffness});
  }
  return ElasticRod(std::move(rest), std::move(chain));
}

RodHold clamp(Index node, const Vec3& x) { return {node, x, Quat::Identity()}; }

Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)); }

TEST(ElasticRod, gradient_is_the_derivative_of_the_energy) {
  const ElasticRod rod = straight(3, {7, 1.3, 0.6});
  RodState state = rod.at_rest();
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    const double k = double(i);
    state.x[i] += 0.05 * Vec3(std::sin(3 * k), std::cos(2 * k), std::sin(k + 1));
    state.rotation[i] = lifted_rotation(0.3 * Vec3(std::cos(k), std::sin(5 * k), std::cos(3 * k)));
  }
  Eigen::VectorXd g;
  rod.gradient(state, g);
  const double step = 1e-6;
  for (std::size_t i = 0; i < state.x.size(); ++i)
    for (int c = 0; c < 6; ++c) {
      double difference = 0;
      for (const double sign : {1.0, -1.0}) {
        RodState moved = state;
        if (c < 3) moved.x[i][c] += sign * step;
        if (c >= 3) moved.rotation[i] = lifted_rotation(sign * step * Vec3::Unit(c - 3)) * moved.rotation[i];
        difference += sign * rod.energy(moved) / (2 * step);
      }
      EXPECT_NEAR(g[Eigen::Index(6 * i) + c], difference, 1e-7) << i << ' ' << c;
    }
}

TEST(ElasticRod, a_rigid_motion_costs_nothing) {
  const ElasticRod rod = straight(5);
  RodState state = rod.at_rest();
  const Quat turn = about(Vec3(1, 2, -1).normalized(), 2.5);
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    state.x[i] = turn * state.x[i] + Vec3(3, -1, 2);
    state.rotation[i] = turn;
  }
  EXPECT_LT(rod.energy(state), 1e-20);
  Eigen::VectorXd g;
  rod.gradient(state, g);
  EXPECT_LT(g.norm(), 1e-8);
}

TEST(ElasticRod, bending_to_an_angle_costs_half_its_square) {
  for (const double angle : {pi / 2, pi}) {
    const ElasticRod rod = straight(6);
    RodState state = rod.at_rest();
    const RodReport report =
        rod.settle(state, {clamp(0, Vec3(0, 0, 0)), {6, {}, about(Vec3(0, 0, 1), angle)}});
    ASSERT_TRUE(report.converged) << report.residual;
    EXPECT_NEAR(report.energy / (angle * angle / 2), 1, 1e-8);
    const Vec3 tip(std::sin(angle) / angle, (1 - std::cos(angle)) / angle, 0);
    EXPECT_LT((state.x[6] - tip).norm(), angle < 2 ? 0.0027 : 0.0074);
  }
}

TEST(ElasticRod, twist_spreads_evenly) {
  const ElasticRod rod = straight(6);
  RodState state = rod.at_rest();
  const RodReport report = rod.settle(state, {clamp(0, Vec3(0, 0, 0)), {6, {}, about(Vec3(1, 0, 0), 1.5)}});
  ASSERT_TRUE(report.converged);
  EXPECT_NEAR(report.energy, 1.125, 1e-10);
  for (std::size_t i = 0; i <= 6; ++i) {
    const Quat& q = state.rotation[i];
    EXPECT_NEAR(2 * std::atan2(q.x(), q.w()), 0.25 * double(i), 1e-9);
  }
}

TEST(ElasticRod, two_full_turns_of_the_end_have_no_jump) {
  const ElasticRod rod = straight(12);
  RodState state = rod.at_rest();
  for (int k = 1; k <= 16; ++k) {
    const double angle = k * pi / 4;
    const RodReport report =
        rod.settle(state, {clamp(0, Vec3(0, 0, 0)), {12, Vec3(1, 0, 0), about(Vec3(1, 0, 0), angle)}});
    ASSERT_TRUE(report.converged) << k;
    EXPECT_NEAR(report.energy, angle * angle / 2, 1e-6 * angle * angle) << k;
    EXPECT_GT(state.rotation[6].dot(lifted_rotation(Vec3(angle / 2, 0, 0))), 1 - 1e-9) << k;
  }
}

TEST(ElasticRod, a_cantilever_sags_as_beam_theory_says) {
  const ElasticRod rod = straight(8);
  RodState state = rod.at_rest();
  Points forces(9, Vec3(0, 0, 0));
  forces[8] = Vec3(0, -0.01, 0);
  const RodReport report = rod.settle(state, {clamp(0, Vec3(0, 0, 0))}, forces);
  ASSERT_TRUE(report.converged);
  EXPECT_NEAR(state.x[8].y(), -0.01 / 3, 1e-7);  // F L^3 / (3 EI)
  // A large load against the elastica: F L^2 / EI = 2, tip of a cantilever (Mattiasson 1981).
  forces[8] = Vec3(0, -2, 0);
  ASSERT_TRUE(rod.settle(state, {clamp(0, Vec3(0, 0, 0))}, forces).converged);
  EXPECT_NEAR(-state.x[8].y(), 0.4935, 0.003);
  EXPECT_NEAR(1 - state.x[8].x(), 0.1606, 0.003);
}

TEST(ElasticRod, a_soft_joint_takes_the_bend) {
  Skeleton skeleton;
  for (int j = 0; j < 3; ++j) {
    Joint joint;
    joint.parent = Index(j) - 1;
    joint.position = Vec3(j, 0, 0);
    skeleton.joints.push_back(joint);
  }
  const BoneSamples samples(skeleton, {0.2, 0});
  const ElasticRod rod = rod_along(samples, {1e4, 1, 1}, 1e-3);
  ASSERT_EQ(rod.elements().size(), 10u);
  RodState state = rod.at_rest();
  ASSERT_TRUE(rod.settle(state, {clamp(0, Vec3(0, 0, 0)), {10, {}, about(Vec3(0, 0, 1), pi / 2)}}).converged);
  const auto angle = [&](std::size_t i) {
    return 2 * std::atan2(state.rotation[i].z(), state.rotation[i].w());
  };
  EXPECT_LT(angle(4), 0.01);
  EXPECT_NEAR(angle(5), pi / 4, 1e-3);
  EXPECT_GT(angle(6), pi / 2 - 0.01);
}

TEST(ElasticRod, follows_the_keys_of_a_skeleton) {
  Skeleton skeleton;
  for (int j = 0; j < 2; ++j) {
    Joint joint;
    joint.parent = Index(j) - 1;
    joint.position = Vec3(j, 0, 0);
    skeleton.joints.push_back(joint);
  }
  skeleton.joints[0].moves = {Interpolation::linear, {0, 1}, {Vec3(0, 0, 0), Vec3(0, 0, 2)}, {}, {}};
  skeleton.joints[1].turns = {Interpolation::linear, {0, 1}, {Vec3(0, 0, 0), Vec3(0, 0, 2 * pi)}, {}, {}};
  const BoneSamples samples(skeleton, {0.05, 0});
  const ElasticRod rod = rod_along(samples, {1e4, 1, 1}, 1);
  RodState state = rod.at_rest();
  for (int k = 1; k <= 8; ++k) ASSERT_TRUE(rod.settle(state, rod_holds(samples, k / 8.0)).converged) << k;
  // A full turn of the free end rolls the rod up into a circle.
  EXPECT_LT((state.x.back() - Vec3(0, 0, 2)).norm(), 0.01);
  EXPECT_NEAR((state.x[10] - Vec3(0, 1 / pi, 2)).norm(), 0, 0.01);
  EXPECT_NEAR(rod.energy(state), 2 * pi * pi, 1e-6);
}

TEST(ElasticRod, its_motion_is_recorded_for_the_samples) {
  Skeleton skeleton;
  for (int j = 0; j < 2; ++j) {
    Joint joint;
    joint.parent = Index(j) - 1;
    joint.position = Vec3(j, 0, 0);
    skeleton.joints.push_back(joint);
  }
  skeleton.joints[1].turns = {Interpolation::linear, {0, 1}, {Vec3(0, 0, 0), Vec3(0, 0, pi)}, {}, {}};
  BoneSamples samples(skeleton, {0.1, 0});
  ASSERT_TRUE(record_rod(samples, {1e4, 1, 1}, 1, 0.1));
  BoneSamples::Scratch scratch;
  std::vector<SamplePose> pose;
  for (const double t : {0.0, 0.37, 1.0, 5.0}) {
    samples.pose(t, scratch, pose);
    const double angle = pi * std::min(t, 1.0);
    for (std::size_t i = 0; i < pose.size(); ++i) {
      const double here = angle * double(i) / 10;
      EXPECT_NEAR(2 * std::atan2(pose[i].rotation.z(), pose[i].rotation.w()), here, 1e-3);
      const Vec3 arc =
          angle > 0 ? Vec3(std::sin(here) / angle, (1 - std::cos(here)) / angle, 0) : samples.samples()[i].X;
      EXPECT_LT((pose[i].x - arc).norm(), 0.005) << t << ' ' << i;
    }
  }
}

TEST(ElasticRod, says_so_when_nothing_holds_it) {
  const ElasticRod rod = straight(3);
  RodState state = rod.at_rest();
  EXPECT_FALSE(rod.settle(state, {}, Points(4, Vec3(0, -1, 0))).converged);
}

}  // namespace elastic_rod_test
}  // namespace pliant
