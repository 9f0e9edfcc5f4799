// SPDX-License-Identifier: Apache-2.0
// Starts that are not clean: bodies that overlap are led apart slowly, no energy is put in, and they meet when they
// have parted.
#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace bodies_overlap_test {

using namespace test;

constexpr double edge = 0.2;  // m, of the cubes

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {5, 5, 5}, {0, 0, 0}});
  return shape;
}

/// Runs until no bodies overlap, for so long at most, s. Returns the time.
double part(Simulation& simulation, double most, double fastest_allowed) {
  double fastest = 0;
  while (!simulation.crossing().empty() && simulation.time() < most) {
    EXPECT_FALSE(simulation.step());
    fastest = std::max(fastest, fastest_node(simulation));
  }
  measured("parted_after", simulation.time());
  measured("fastest", fastest);
  EXPECT_LT(fastest, fastest_allowed);
  return simulation.time();
}

TEST(BodiesOverlap, are_told_with_their_number_and_place) {
  MeetingWorld world;
  world.options.gravity.setZero();
  world.add(cube(), {{0, 0, 0}});
  world.add(cube(), {{0.16, 0.013, 0.021}});
  Simulation simulation = world.simulation();
  const std::vector<Overlap> overlaps = simulation.overlaps();
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].first, 0);
  EXPECT_EQ(overlaps[0].second, 1);
  EXPECT_GT(overlaps[0].crossings, 0);
  EXPECT_GT(overlaps[0].inside, 0);
  EXPECT_NEAR(overlaps[0].depth, 0.04, 0.002);  // a face is 0.04 m deep in the other cube
  EXPECT_LT((overlaps[0].place - Vec3(0.08, 0.0065, 0.0105)).norm(), 0.02);
}

TEST(BodiesOverlap, are_led_apart_without_energy) {
  for (const double turn : {0.0, 20.0}) {
    MeetingWorld world;
    world.options.gravity.setZero();
    world.add(cube(), {{0, 0, 0}});
    world.add(cube(), {{0.16, 0.01, 0.02}, {0, 0, 0}, turned_by(turn, {1, 2, 3})});
    Simulation simulation = world.simulation();
    ASSERT_EQ(simulation.crossing().size(), 1u);
    // 0.04 m at 0.02 m/s
    EXPECT_LT(part(simulation, 6, 0.02), 6) << turn;
    const Vec3 apart = centre_of(simulation.bodies()[1]) - centre_of(simulation.bodies()[0]);
    for (int step = 0; step < 60; ++step) ASSERT_FALSE(simulation.step());
    EXPECT_TRUE(simulation.crossing().empty());
    const Vec3 later = centre_of(simulation.bodies()[1]) - centre_of(simulation.bodies()[0]);
    EXPECT_LT((later - apart).norm(), 0.01);  // they do not fly off
    EXPECT_LT(energy_of(simulation), 16 * 0.01 * 0.01);
  }
}

TEST(BodiesOverlap, one_on_the_other_come_to_rest_under_gravity) {
  for (const double turn : {0.0, 25.0}) {
    MeetingWorld world;
    world.damping = {.mass = 0, .stiffness = 0.01};
    world.colliders.push_back(plane_collider(0.5));
    world.add(cube(), {{0, 0.1, 0}});
    world.add(cube(), {{0.005, 0.26, 0.003}, {0, 0, 0}, turned_by(turn, {0, 1, 0})});
    Simulation simulation = world.simulation();
    EXPECT_LT(part(simulation, 8, 0.1), 8) << turn;
    for (int step = 0; step < 90; ++step) ASSERT_FALSE(simulation.step());
    EXPECT_TRUE(simulation.crossing().empty());
    EXPECT_LT(fastest_node(simulation), 2e-3);
    EXPECT_NEAR(centre_of(simulation.bodies()[1]).y(), 0.3, 0.01);
  }
}

TEST(BodiesOverlap, of_one_place_part_upwards) {
  MeetingWorld world;
  world.damping = {.mass = 0, .stiffness = 0.01};
  world.colliders.push_back(plane_collider(0.5));
  const Shape coarse = make_shape(BoxShape{{edge, edge, edge}, {3, 3, 3}, {0, 0, 0}});
  for (int k = 0; k < 2; ++k) world.add(coarse, {{0, 0.1, 0}});
  Simulation simulation = world.simulation();
  ASSERT_EQ(simulation.crossing().size(), 1u);
  EXPECT_LT(part(simulation, 20, 0.2), 20);
  for (int step = 0; step < 60; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_NEAR(std::abs(centre_of(simulation.bodies()[1]).y() - centre_of(simulation.bodies()[0]).y()), edge,
              0.01);
}

TEST(BodiesOverlap, one_wholly_inside_the_other_comes_out) {
  const Shape small = make_shape(BoxShape{{0.06, 0.06, 0.06}, {3, 3, 3}, {0, 0, 0}});
  MeetingWorld world;
  world.options.gravity.setZero();
  world.add(cube(), {{0, 0, 0}});
  world.add(small, {{0.03, 0.011, 0.007}});
  Simulation simulation = world.simulation();
  ASSERT_EQ(simulation.overlaps().size(), 1u);
  EXPECT_EQ(simulation.overlaps()[0].crossings, 0);
  EXPECT_GE(simulation.overlaps()[0].inside, 8);
  EXPECT_LT(part(simulation, 60, 0.05), 60);
  EXPECT_GT(centre_of(simulation.bodies()[1]).x(), 0.1);  // by the nearest way
}

TEST(BodiesOverlap, three_in_a_heap_part) {
  MeetingWorld world;
  world.options.gravity.setZero();
  world.add(cube(), {{0, 0, 0}});
  world.add(cube(), {{0.15, 0.02, 0.01}, {0, 0, 0}, turned_by(15, {0, 1, 1})});
  world.add(cube(), {{0.07, 0.16, -0.02}, {0, 0, 0}, turned_by(-20, {1, 0, 1})});
  Simulation simulation = world.simulation();
  ASSERT_EQ(simulation.crossing().size(), 3u);
  EXPECT_LT(part(simulation, 20, 0.05), 20);
}

TEST(BodiesOverlap, a_sheet_through_a_block_lets_it_out) {
  const Shape sheet = make_shape(SheetShape{{0.5, 0.5}, {11, 11}, 0.002, {0, 0, 0}});
  MeetingWorld world;
  world.options.gravity.setZero();
  world.add(sheet, {{0, 0.06, 0}});
  world.add(cube(), {{0.013, 0, 0.017}});
  Simulation simulation = world.simulation();
  ASSERT_EQ(simulation.crossing().size(), 1u);
  EXPECT_LT(part(simulation, 20, 0.1), 20);
  EXPECT_GT(centre_of(simulation.bodies()[0]).y() - centre_of(simulation.bodies()[1]).y(), 0.1);
}

TEST(BodiesOverlap, resume_while_they_are_led_apart) {
  const auto build = [] {
    MeetingWorld world;
    world.options.gravity.setZero();
    world.method.integrator = geometric::Integrator::bdf2;
    world.add(cube(), {{0, 0, 0}});
    world.add(cube(), {{0.16, 0.01, 0.02}, {0, 0, 0}, turned_by(20, {1, 2, 3})});
    return world;
  };
  Simulation simulation = build().simulation();
  for (int step = 0; step < 10; ++step) ASSERT_FALSE(simulation.step());
  Simulation resumed = build().simulation();
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(saved_state(simulation), 7, resumed, recorder), "");
  for (int step = 0; step < 10; ++step) {
    ASSERT_FALSE(simulation.step());
    ASSERT_FALSE(resumed.step());
  }
  EXPECT_EQ(hash_of(simulation), hash_of(resumed));
}

}  // namespace bodies_overlap_test
}  // namespace pliant
