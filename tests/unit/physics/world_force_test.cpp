// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/world_force.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace world_force_test {

TEST(RadialLaw, grows_to_the_radius_falls_beyond_it_and_ends_at_the_reach) {
  const RadialLaw law{.strength = 8, .radius = 0.5, .falloff = 2, .reach = 2};
  EXPECT_EQ(law.at(0), 0);
  EXPECT_DOUBLE_EQ(law.at(0.25), 4);
  EXPECT_DOUBLE_EQ(law.at(0.5), 8);
  EXPECT_DOUBLE_EQ(law.at(1), 2);
  EXPECT_DOUBLE_EQ(law.at(2), 0.5);
  EXPECT_EQ(law.at(2.001), 0);
}

TEST(PointForce, pulls_towards_its_centre_and_pushes_with_a_negative_strength) {
  PointForce force{{.strength = 3, .radius = 1, .falloff = 0}, Vec3(1, 2, 3)};
  EXPECT_LT((acceleration_at(force, Vec3(1, 2, 8)) - Vec3(0, 0, -3)).norm(), 1e-15);
  force.strength = -3;
  EXPECT_LT((acceleration_at(force, Vec3(1, 2, 8)) - Vec3(0, 0, 3)).norm(), 1e-15);
  EXPECT_EQ(acceleration_at(force, Vec3(1, 2, 3)), Vec3(0, 0, 0));
}

TEST(VortexForce, drives_around_its_axis_by_the_right_hand_rule) {
  const VortexForce force{{.strength = 3, .radius = 1, .falloff = 1}, Vec3(0, 0, 0), Vec3(0, 2, 0)};
  EXPECT_LT((acceleration_at(force, Vec3(2, 7, 0)) - Vec3(0, 0, -1.5)).norm(), 1e-15);
  EXPECT_EQ(acceleration_at(force, Vec3(0, 7, 0)), Vec3(0, 0, 0));
}

TEST(WorldForce, keys_scale_turn_and_move_it) {
  WorldForce wind{.is = WindForce{.velocity = {2, 0, 0}}};
  wind.motion.keys = {{1, Vec3(0, 0, 0), {}}, {3, Vec3(0, 0, 0), {Vec3(0, 1, 0), 90}}};
  wind.motion.ease = Ease::linear;
  wind.factors = {0, 4};
  EXPECT_EQ(std::get<WindForce>(wind.at(0)).velocity.norm(), 0);
  const Vec3 half = std::get<WindForce>(wind.at(2)).velocity, end = std::get<WindForce>(wind.at(9)).velocity;
  EXPECT_NEAR((half - 4 * Vec3(1, 0, -1).normalized()).norm(), 0, 1e-12);
  EXPECT_NEAR((end - Vec3(0, 0, -8)).norm(), 0, 1e-12);

  WorldForce point{.is = PointForce{{.strength = 2}, Vec3(1, 0, 0)}};
  point.motion.keys = {{0, Vec3(0, 0, 0), {}}, {2, Vec3(0, 6, 0), {}}};
  point.factors = {1, -1};
  const PointForce middle = std::get<PointForce>(point.at(1));
  EXPECT_NEAR((middle.center - Vec3(1, 3, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR(middle.strength, 0, 1e-12);
}

TEST(WorldForce, acts_on_the_named_bodies_or_on_all) {
  const WorldForce all{.is = ConstantForce{Vec3(1, 0, 0)}},
      one{.is = ConstantForce{Vec3(0, 2, 0)}, .bodies = {"b", "c"}};
  const std::vector<WorldForce> both{all, one};
  EXPECT_EQ(with_constant_forces(Vec3(0, 0, 5), both, "a", 0), Vec3(1, 0, 5));
  EXPECT_EQ(with_constant_forces(Vec3(0, 0, 5), both, "c", 0), Vec3(1, 2, 5));
}

}  // namespace world_force_test
}  // namespace pliant
