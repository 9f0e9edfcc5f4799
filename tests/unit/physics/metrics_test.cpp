// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/metrics.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pliant {
namespace metrics_test {

/// A dumbbell of 1 kg and 3 kg.
NodeState dumbbell() { return {{Vec3(0, 0, 0), Vec3(4, 0, 0)}, {Vec3(0, 3, 0), Vec3(0, -1, 0)}, {1, 3}}; }

TEST(Metrics, energy_momentum_and_speed_follow_their_definitions) {
  const NodeState nodes = dumbbell();
  EXPECT_DOUBLE_EQ(kinetic_energy(nodes), 0.5 * 9 + 1.5);
  EXPECT_EQ(linear_momentum(nodes), Vec3(0, 0, 0));
  EXPECT_EQ(centre_of_mass(nodes), Vec3(3, 0, 0));
  EXPECT_DOUBLE_EQ(max_speed(nodes), 3);
  // (-3, 0, 0) x (0, 3, 0) * 1 + (1, 0, 0) x (0, -1, 0) * 3
  EXPECT_NEAR((angular_momentum(nodes) - Vec3(0, 0, -12)).norm(), 0, 1e-14);
}

TEST(Metrics, angular_momentum_does_not_see_flight_or_place) {
  NodeState nodes = dumbbell();
  const Vec3 before = angular_momentum(nodes);
  for (Vec3& x : nodes.x) x += Vec3(10, -20, 30);
  for (Vec3& v : nodes.v) v += Vec3(-1, 2, 5);
  EXPECT_NEAR((angular_momentum(nodes) - before).norm(), 0, 1e-12);
}

TEST(Metrics, all_finite_sees_a_single_bad_number) {
  NodeState nodes = dumbbell();
  EXPECT_TRUE(all_finite(nodes));
  nodes.v[1].z() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(all_finite(nodes));
}

TEST(FrameHash, is_fnv_of_the_floats_in_order) {
  const Points surface{Vec3(1, 2, 3), Vec3(4, 5, 6)};
  const float floats[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(frame_hash(surface), hash_bytes(floats, sizeof floats));
  EXPECT_EQ(frame_hash(surface, 7), hash_bytes(floats, sizeof floats, 7));
}

TEST(FrameHash, sees_order_and_movement_but_not_the_sign_of_zero) {
  const Points surface{Vec3(1, 0, 3), Vec3(4, 5, 6)};
  EXPECT_NE(frame_hash(surface), frame_hash(Points{surface[1], surface[0]}));
  EXPECT_NE(frame_hash(surface), frame_hash(Points{Vec3(1, 1e-6, 3), surface[1]}));
  EXPECT_EQ(frame_hash(Points{Vec3(0, 0, 0)}), frame_hash(Points{Vec3(-0.0, -0.0, -0.0)}));
}

}  // namespace metrics_test
}  // namespace pliant
