// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/rolling.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pliant/contact/contact_problem.hpp"

namespace pliant {
namespace rolling_test {

/// A rigid body of 2 kg and radius 0.5 m that stands on the origin.
struct Wheel : ReboundBody {
  PartMotion now{.mass = 2, .centre = {0, 0.5, 0}, .inverse_inertia = 5 * Mat3::Identity()};
  std::vector<Vec3> feet{{0, 0, 0}};
  Index points() const override { return Index(feet.size()); }
  Index part(const ContactKey&) const override { return 0; }
  Vec3 place(const ContactKey& key, Instant) const override { return feet[std::size_t(key.vertex)]; }
  PartMotion motion(Index, Instant) const override { return now; }
  WholeBody whole(Instant) const override { return {}; }
  void kick(Index, const Vec3&, const Vec3&, const Vec3&) override { ADD_FAILURE(); }
  void push(Index, const Vec3& u, const Vec3& w, const Vec3&) override {
    now.velocity += u, now.turning += w;
  }

  /// A step with an impulse of 1 N s in all, on a mesh of 10 cm.
  void step(double degrees = 0) {
    std::vector<Collider> ground{Collider(
        PlaneCollider{},
        Motion{.keys = {{.time = 0}, {.time = 1, .rotate = {.axis = {0, 1, 0}, .degrees = degrees}}}}, 0.5,
        0)};
    ground[0].aim(0, 0.01);
    StepInput input;
    input.colliders = ground;
    input.h = 0.1;
    input.gravity = {0, -10, 0};  // its weight is 2 N s a step
    std::vector<Contact> contacts;
    std::vector<Vec3> impulses;
    for (Index k = 0; k < points(); ++k) {
      contacts.push_back({.key = {k, 0, 0}});
      impulses.emplace_back(0, 1.0 / double(feet.size()), 0);
    }
    RollingResistance().resist(input, contacts, impulses, 0.1, *this);
  }
  double about_contact() const { return 0.2 * now.turning.z() - 2 * 0.5 * now.velocity.x(); }  // I w + R m v
};

TEST(Rolling, a_rolling_body_loses_arm_times_force_of_its_angular_momentum) {
  Wheel wheel;
  wheel.now.turning = {0, 0, -1};
  wheel.now.velocity = {0.5, 0, 0};
  const double before = wheel.about_contact();
  wheel.step();
  EXPECT_NEAR(wheel.about_contact() - before, rolling_arm * 0.1 * 1, 1e-12);
  EXPECT_NEAR(wheel.now.velocity.x(), -0.5 * wheel.now.turning.z(), 1e-12) << "it rolls on without slipping";
}

TEST(Rolling, a_slow_one_is_stopped_and_not_thrown_back) {
  Wheel wheel;
  wheel.now.turning = {0, 0, -1e-4};
  wheel.now.velocity = {0.5e-4, 0, 0};
  wheel.step();
  EXPECT_LT(wheel.now.turning.norm(), 1e-15);
  EXPECT_LT(wheel.now.velocity.norm(), 1e-15);
}

TEST(Rolling, sliding_and_spinning_about_the_normal_are_left_alone) {
  Wheel wheel;
  wheel.now.turning = {0, 3, 0};
  wheel.now.velocity = {2, 0, 0};
  wheel.step();
  EXPECT_EQ(wheel.now.turning, Vec3(0, 3, 0));
  EXPECT_EQ(wheel.now.velocity, Vec3(2, 0, 0));
}

TEST(Rolling, a_body_that_turns_and_slips_keeps_its_speed) {
  Wheel wheel;
  wheel.now.turning = {0, 0, 4};  // backspin
  wheel.now.velocity = {2, 0, 0};
  wheel.step();
  EXPECT_EQ(wheel.now.velocity, Vec3(2, 0, 0));
  EXPECT_NEAR(wheel.now.turning.z(), 4 - 5 * rolling_arm * 0.1, 1e-12);
}

TEST(Rolling, a_patch_along_the_way_resists_more_and_one_across_does_not) {
  double taken[3];
  const std::vector<Vec3> feet[] = {{{0, 0, 0}}, {{-0.1, 0, 0}, {0.1, 0, 0}}, {{0, 0, -0.1}, {0, 0, 0.1}}};
  for (int k = 0; k < 3; ++k) {
    Wheel wheel;
    wheel.feet = feet[k];
    wheel.now.turning = {0, 0, -1};
    wheel.now.velocity = {0.5, 0, 0};
    const double before = wheel.about_contact();
    wheel.step();
    taken[k] = wheel.about_contact() - before;
  }
  EXPECT_NEAR(taken[1], 2 * taken[0], 1e-12);
  EXPECT_NEAR(taken[2], taken[0], 1e-12);
}

/// A part of 2 kg on four soft feet, with whatever free motion: the torque is Coulomb's friction of the turning that is
/// left at the end.
TEST(Rolling, the_torque_of_a_contact_problem_takes_energy_of_a_body_on_several_feet) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto vec = [&](double size) -> Vec3 {
    return size * Vec3(normal(random), normal(random), normal(random));
  };
  int stopped = 0, slowed = 0;
  for (int trial = 0; trial < 50; ++trial) {
    ContactProblem problem;
    problem.reset(4, 1, true);
    for (Index c = 0; c < 4; ++c) {
      for (Index d = 0; d < 4; ++d) problem.s(c, d) = c == d ? 2.0f : 0.5f;
      problem.row(c) = {.friction = 0.5, .free = vec(0.1) + Vec3(0, -0.3, 0)};
      problem.row(c).lever = {c % 2 ? 0.1 : -0.1, -0.2, c < 2 ? 0.06 : -0.06};
    }
    problem.part(0) = {Vec3(30, 40, 50).asDiagonal(), Mat3::Zero(), 0};
    problem.prepare();
    ContactProblem::Rolling& rolling = problem.rolling(0);
    rolling.most = trial % 2 ? 1e-3 : 0.1;
    rolling.reach = 0.2;
    rolling.free = vec(0.3);
    problem.solve(2000, 1e-12);
    const Vec3 t = problem.torque(0), w = problem.turning(0), left = {w.x(), 0, w.z()};
    EXPECT_LE(t.norm(), rolling.most * (1 + 1e-9));
    EXPECT_NEAR(t.y(), 0, 1e-12);
    EXPECT_LE(t.dot(w), 1e-12);
    if (left.norm() * rolling.reach < 1e-4) {  // it creeps
      ++stopped;
    } else {
      ++slowed;
      EXPECT_NEAR(t.dot(w), -rolling.most * left.norm(), 1e-6 * rolling.most);
    }
  }
  EXPECT_GT(stopped, 5);
  EXPECT_GT(slowed, 5);
}

TEST(Rolling, on_ground_that_turns_itself_there_is_none) {
  Wheel wheel;
  wheel.now.turning = {0, 0, -1};
  wheel.step(90);
  EXPECT_EQ(wheel.now.turning, Vec3(0, 0, -1));
}

/// Parts of 2 kg, 0.5 m above where they touch; the impulses, turnings and torques that their problem knows.
struct Known {
  std::vector<Vec3> impulses, turnings, torques;
  double friction = 0.5, degrees = 0;  ///< that the ground turns by in a second

  /// N m s of every part, on a mesh of 10 cm; their weight is 2 N s a step.
  std::vector<double> bounds() const {
    const Index parts = Index(impulses.size());
    std::vector<Collider> ground{Collider(
        PlaneCollider{},
        Motion{.keys = {{.time = 0}, {.time = 1, .rotate = {.axis = {0, 1, 0}, .degrees = degrees}}}},
        friction, 0)};
    ground[0].aim(0, 0.01);
    StepInput input;
    input.colliders = ground, input.h = 0.1, input.gravity = {0, -10, 0};
    ContactProblem problem;
    problem.reset(parts, parts, true);
    std::vector<Contact> contacts;
    for (Index p = 0; p < parts; ++p) {
      contacts.push_back({.key = {p, 0, 0}});
      problem.row(p).part = p, problem.row(p).friction = friction, problem.row(p).lever = {0, -0.5, 0};
      problem.set_impulse(p, impulses[std::size_t(p)]);
      problem.rolling(p).free = turnings[std::size_t(p)];
      if (!torques.empty()) problem.set_torque(p, torques[std::size_t(p)]);
    }
    problem.sum_response();
    RollingResistance().bound(input, contacts, std::vector<double>(std::size_t(parts), 2.0), 0.1, problem);
    std::vector<double> out;
    for (Index p = 0; p < parts; ++p) out.push_back(problem.rolling(p).most);
    return out;
  }
  double bound() const { return bounds()[0]; }
};

TEST(RollingBound, is_arm_times_force_of_at_most_two_weights) {
  EXPECT_NEAR((Known{{{0, 1, 0}}, {{0, 0, -1}}, {}}.bound()), rolling_arm * 0.1 * 1, 1e-12);
  EXPECT_NEAR((Known{{{0, 50, 0}}, {{0, 0, -1}}, {}}.bound()), rolling_arm * 0.1 * 4, 1e-12);
}

TEST(RollingBound, is_none_for_what_tumbles_slides_or_stands_still_and_on_ground_that_turns) {
  EXPECT_EQ((Known{{{0, 1, 0}}, {{0, 0, -5}}, {}}.bound()), 0);  // w^2 R = 12.5 m/s^2
  EXPECT_EQ((Known{{{0.5, 1, 0}}, {{0, 0, -1}}, {}}.bound()), 0);
  EXPECT_EQ((Known{{{0, 1, 0}}, {{0, 3, 0}}, {}}.bound()), 0) << "about the normal";
  EXPECT_EQ((Known{{{0, 1, 0}}, {{0, 0, -1e-5}}, {}}.bound()), 0);
  EXPECT_EQ((Known{{{0, 1, 0}}, {{0, 0, -1}}, {}, 0.5, 20}.bound()), 0);
  EXPECT_EQ((Known{{{0, -1, 0}}, {{0, 0, -1}}, {}}.bound()), 0) << "nothing pushes";
}

TEST(RollingBound, holds_on_ground_without_friction_and_for_what_a_torque_has_stopped) {
  EXPECT_NEAR((Known{{{0, 1, 0}}, {{0, 0, -1}}, {}, 0}.bound()), rolling_arm * 0.1, 1e-12);
  EXPECT_NEAR((Known{{{0.5, 1, 0}}, {{0, 0, 0}}, {{0, 0, 1e-3}}}.bound()), rolling_arm * 0.1, 1e-12);
}

TEST(RollingBound, of_each_part_is_its_own) {
  const std::vector<double> got =
      Known{{{0, 1, 0}, {0, 2, 0}, {0, 1, 0}}, {{0, 0, -1}, {1, 0, 0}, {0, 0, 0}}, {}}.bounds();
  EXPECT_NEAR(got[0], rolling_arm * 0.1, 1e-12);
  EXPECT_NEAR(got[1], rolling_arm * 0.2, 1e-12);
  EXPECT_EQ(got[2], 0);
}

}  // namespace rolling_test
}  // namespace pliant
