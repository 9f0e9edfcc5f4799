// SPDX-License-Identifier: Apache-2.0
// Bonds (island/bonds.hpp): bodies that are tied hang on each other until a bond breaks.
#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace bodies_bonds_test {

using namespace test;

constexpr double edge = 0.2;  // m, of the cubes

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {4, 4, 4}, {0, 0, 0}});
  return shape;
}

/// A cube that is held at its top, and another that hangs below it.
Simulation hanging(Bond bond, double gap = 0.002) {
  MeetingWorld world;
  world.method.stiffness = 1e7;
  world.damping = {.mass = 1, .stiffness = 0.01};
  std::vector<Index> top;
  for (Index i = 0; i < Index(cube().graph.positions.size()); ++i)
    if (cube().graph.positions[std::size_t(i)].y() > edge - 1e-6) top.push_back(i);
  world.add(cube(), {{0, 1, 0}}, {Hold{top, {}, std::numeric_limits<double>::infinity()}});
  world.add(cube(), {{0, 1 - edge - gap, 0}});
  Simulation simulation = world.simulation();
  bond.body = 1;
  bond.other = 0;
  bond.within = 0.01;
  simulation.set_bonds({bond});
  return simulation;
}

TEST(BodiesBonds, hold_a_body_that_hangs_with_its_weight) {
  Simulation simulation = hanging({});
  ASSERT_EQ(simulation.bond_facts()[0].points, 16);
  const double before = centre_of(simulation.bodies()[1]).y();
  while (simulation.time() < 2) ASSERT_FALSE(simulation.step());
  const double weight = mass_of(simulation.bodies()[1]) * 9.81;
  EXPECT_NEAR(simulation.bond_facts()[0].force, weight, 1e-3 * weight);
  // It hangs lower by what the two are stretched: m g l/(E A), about 4e-5 m for each.
  EXPECT_NEAR(centre_of(simulation.bodies()[1]).y(), before, 3e-4);
  EXPECT_LT(fastest_node(simulation), 1e-3);
}

TEST(BodiesBonds, stay_with_a_simulation_that_is_moved) {
  Simulation first = hanging({}), moved = std::move(first), same = hanging({});
  for (int step = 0; step < 5; ++step) {
    ASSERT_FALSE(moved.step());
    ASSERT_FALSE(same.step());
  }
  EXPECT_EQ(hash_of(moved), hash_of(same));
}

TEST(BodiesBonds, between_free_bodies_keep_momentum_and_their_offset) {
  for (const auto integrator : {geometric::Integrator::euler, geometric::Integrator::bdf2}) {
    MeetingWorld world;
    world.method.integrator = integrator;
    world.options.gravity.setZero();
    world.add(cube(), {{0, 0, 0}, {0.5, 0, 0}});
    world.add(cube(), {{0, -edge - 0.003, 0}});
    Simulation simulation = world.simulation();
    simulation.set_bonds({Bond{.body = 1, .other = 0, .within = 0.01}});
    const double whole = 2 * mass_of(simulation.bodies()[0]);
    for (int step = 0; step < 60; ++step) {
      ASSERT_FALSE(simulation.step());
      Vec3 momentum = Vec3::Zero();
      for (const Body& body : simulation.bodies()) momentum += linear_momentum(body.method().nodes());
      EXPECT_LT((momentum - Vec3(whole / 4, 0, 0)).norm(), 1e-10 * whole);
    }
    // They turn about each other as one body.
    EXPECT_NEAR((centre_of(simulation.bodies()[0]) - centre_of(simulation.bodies()[1])).norm(), edge + 0.003,
                0.01);
  }
}

TEST(BodiesBonds, break_as_a_whole_above_their_strength) {
  const double weight = 8 * 9.81;
  for (const double share : {0.8, 1.3}) {
    Simulation simulation = hanging({.strength = share * weight});
    while (simulation.time() < 1) ASSERT_FALSE(simulation.step());
    const BondFacts& facts = simulation.bond_facts()[0];
    EXPECT_EQ(facts.broken, share < 1 ? facts.points : 0) << share;
    EXPECT_EQ(facts.first_break > 0, share < 1);
    EXPECT_EQ(centre_of(simulation.bodies()[1]).y() < 0.3, share < 1);
  }
}

TEST(BodiesBonds, break_point_by_point_above_their_pressure) {
  // 78.5 N over 0.04 m^2 are 1962 Pa in the mean
  for (const double pressure : {400.0, 2e4}) {
    Simulation simulation = hanging({.pressure = pressure});
    while (simulation.time() < 1) ASSERT_FALSE(simulation.step());
    const BondFacts& facts = simulation.bond_facts()[0];
    EXPECT_EQ(facts.broken, pressure < 1000 ? facts.points : 0) << pressure;
  }
}

TEST(BodiesBonds, tie_a_body_to_a_collider_that_moves) {
  MeetingWorld world;
  world.damping = {.mass = 0, .stiffness = 0.01};
  world.options.gravity.setZero();
  Motion motion;
  motion.keys = {{.time = 0, .translate = {0, 0, 0}}, {.time = 1, .translate = {0.3, 0.2, 0}}};
  world.colliders.push_back(Collider(SphereCollider{{0, 0.35, 0}, 0.25}, motion, 0.5, 0));
  world.add(cube(), {{0, 0, 0}});
  Simulation simulation = world.simulation();
  simulation.set_bonds({Bond{.body = 0, .collider = 0, .within = 0.03}});
  ASSERT_GT(simulation.bond_facts()[0].points, 2);
  while (simulation.time() < 2) ASSERT_FALSE(simulation.step());
  EXPECT_LT((centre_of(simulation.bodies()[0]) - Vec3(0.3, 0.2, 0)).norm(), 0.01);
}

TEST(BodiesBonds, resume_with_their_forces_and_what_is_broken) {
  const auto build = [] { return hanging({.pressure = 2500}); };
  Simulation simulation = build();
  for (int step = 0; step < 8; ++step) ASSERT_FALSE(simulation.step());
  Simulation resumed = build();
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(saved_state(simulation), 7, resumed, recorder), "");
  EXPECT_EQ(resumed.bond_facts()[0].broken, simulation.bond_facts()[0].broken);
  for (int step = 0; step < 20; ++step) {
    ASSERT_FALSE(simulation.step());
    ASSERT_FALSE(resumed.step());
  }
  EXPECT_EQ(hash_of(simulation), hash_of(resumed));
}

}  // namespace bodies_bonds_test
}  // namespace pliant
