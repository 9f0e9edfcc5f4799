// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/rolling.hpp"

#include <gtest/gtest.h>

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

TEST(Rolling, on_ground_that_turns_itself_there_is_none) {
  Wheel wheel;
  wheel.now.turning = {0, 0, -1};
  wheel.step(90);
  EXPECT_EQ(wheel.now.turning, Vec3(0, 0, -1));
}

}  // namespace rolling_test
}  // namespace pliant
