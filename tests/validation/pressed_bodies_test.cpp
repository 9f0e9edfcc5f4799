// SPDX-License-Identifier: Apache-2.0
// Bodies that press each other hard, or hit each other hard: they keep their shape as their stiffness says, nothing
// passes through, and no step gains energy.
#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace pressed_bodies_test {

using namespace test;
using geometric::Integrator;

constexpr double edge = 0.2;  // m, of the cubes
constexpr double cube_mass = 8, gravity = 9.81;

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {5, 5, 5}, {0, 0, 0}});
  return shape;
}

MeetingWorld on_the_ground(double modulus) {
  MeetingWorld world;
  world.method.stiffness = modulus;
  world.damping.stiffness = 0.01;
  world.colliders.push_back(plane_collider(0.5));
  return world;
}

/// A cube on the ground, and a plate whose nodes are all on a handle that comes down on it so far, at 0.083 m/s.
WatchedRun press(double depth, Integrator integrator) {
  MeetingWorld world = on_the_ground(1e6);
  world.method.integrator = integrator;
  world.add(cube(), {{0, 0.1005, 0}});
  const Shape plate = make_shape(BoxShape{{0.4, 0.02, 0.4}, {5, 2, 5}, {0, 0, 0}});
  world.add(plate, {{0.013, 0.2145, 0.007}},
            {hold_all(plate, straight_motion({{}, {depth / 0.083, {0, -depth, 0}}}))});
  return WatchedRun(std::move(world));
}

TEST(BodiesMeet, a_plate_that_comes_down_presses_a_cube_to_half_its_height) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    WatchedRun run = press(0.1, integrator);
    run.run_to(2.2);
    // Friction holds its faces: it keeps about the volume that the plate leaves.
    EXPECT_NEAR(run.volume_share(0), 0.5, 0.02);
    EXPECT_LT(run.most_volume, 1.001);
    EXPECT_EQ(run.missing, 0);
    EXPECT_LT(fastest_node(run.simulation), 1e-4);  // 8e-6 was measured
  }
}

TEST(BodiesMeet, a_plate_that_comes_down_presses_a_cube_flat) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    WatchedRun run = press(0.18, integrator);
    run.run_to(19.0 / 6);
    EXPECT_NEAR(run.volume_share(0), 0.1, 0.05);  // its cells buckle: 0.115 and 0.132 were measured
    EXPECT_LT(run.most_volume, 1.001);
    EXPECT_EQ(run.missing, 0);
    EXPECT_LT(fastest_node(run.simulation), 0.02);
  }
}

/// One cube on another that stands on the ground.
WatchedRun load(double modulus, double ratio) {
  MeetingWorld world = on_the_ground(modulus);
  world.add(cube(), {{0, 0.1005, 0}});
  world.method.stiffness = 1e7;
  world.density = 1000 * ratio;
  world.add(cube(), {{0.0033, 0.302, -0.004}});
  return WatchedRun(std::move(world));
}

TEST(BodiesMeet, a_cube_under_forty_times_its_mass_gives_way_and_does_not_collapse) {
  WatchedRun run = load(2e5, 40);
  run.run_to(3);
  EXPECT_GT(run.least_volume, 0.3);
  EXPECT_LT(run.most_volume, 1.001);
  EXPECT_LT(run.gain, 1e-4 * run.start_energy);
  EXPECT_LT(fastest_node(run.simulation), 1e-3);
}

TEST(BodiesMeet, a_cube_stands_under_a_hundred_times_its_mass) {
  WatchedRun run = load(1e7, 100);
  run.run_to(3);
  // sigma/E = 100 m g/(E edge^2) = 2 %
  const double pressed = 100 * cube_mass * gravity / (1e7 * edge * edge);
  EXPECT_NEAR(run.height(1), edge / 2 + edge * (1 - pressed) + 5e-3 * edge, 3e-3);
  EXPECT_LT(run.gain, 1e-4 * run.start_energy);
  EXPECT_LT(fastest_node(run.simulation), 1e-3);
}

TEST(BodiesMeet, a_cube_that_two_others_squeeze_takes_its_shape_again) {
  MeetingWorld world = on_the_ground(1e6);
  world.add(cube(), {{0, 0.1005, 0}});
  for (const int side : {-1, 1}) {
    const Vec3 in(-side * 0.06, 0, 0);
    world.add(cube(), {{side * 0.205, 0.1103, 0.01 * side}},
              {hold_all(cube(), straight_motion({{}, {1, in}, {1.5, in}, {2.5}}))});
  }
  WatchedRun run(std::move(world));
  run.run_to(1.25);
  EXPECT_NEAR(run.volume_share(0), 0.45, 0.05);
  run.run_to(3);
  EXPECT_LT(run.most_volume, 1.001);
  EXPECT_NEAR(run.volume_share(0), 1, 2e-3);
  EXPECT_EQ(run.missing, 0);
  EXPECT_LT(fastest_node(run.simulation), 1e-5);
}

/// Two cubes in free flight that run into each other at about the speed of sound, sqrt(E/density).
TEST(BodiesMeet, hits_at_the_speed_of_sound_gain_no_energy) {
  MeetingWorld world;
  world.method.stiffness = 1e5;
  world.options.gravity.setZero();
  world.add(cube(), {{-0.2, 0.05, 0}, {5, 0, 0}, turned_by(10, {1, 2, 3})});
  world.add(cube(), {{0.2, -0.03, 0.04}, {-5, 0, 0}, turned_by(-25, {3, 1, 2})});
  WatchedRun run(std::move(world));
  run.run_to(0.2);
  EXPECT_EQ(run.missing, 0);
  EXPECT_LT(run.momentum_lost, 1e-10 * 2 * cube_mass * 10);
  EXPECT_LT(run.spin_lost, 1e-3 * 2 * cube_mass * 10 * edge);
  EXPECT_LT(run.gain, 1e-3 * run.start_energy);  // 4e-4: of what swings in free flight
  EXPECT_GT(run.least_volume, 0.7);
  EXPECT_LT(run.most_volume, 1.1);
}

}  // namespace pressed_bodies_test
}  // namespace pliant
