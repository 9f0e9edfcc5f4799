// SPDX-License-Identifier: Apache-2.0
// The contacts of bodies that meet, as a user reads them (sim/contact_forces.hpp).
#include "pliant/sim/contact_forces.hpp"

#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace bodies_forces_test {

using namespace test;

constexpr double edge = 0.2;  // m, of the cubes

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {5, 5, 5}, {0, 0, 0}});
  return shape;
}

/// All contact forces on a body, N.
Vec3 force_on(const Simulation& simulation, int body) {
  Vec3 sum = Vec3::Zero();
  for (const ContactForce& c : contact_forces(simulation)) {
    const Vec3 force = c.normal_force * c.normal + c.friction;
    if (c.body == body) sum += force;
    if (c.other_body == body) sum -= force;
  }
  return sum;
}

Simulation stack(geometric::Integrator integrator) {
  MeetingWorld world;
  world.method.integrator = integrator;
  world.method.stiffness = 1e7;
  world.damping = {.mass = 1, .stiffness = 0.01};
  world.colliders.push_back(plane_collider(0.5));
  for (int k = 0; k < 3; ++k) world.add(cube(), {{0.004 * k, 0.102 + 0.202 * k, 0}});
  return world.simulation();
}

TEST(BodiesForces, on_each_body_of_a_stack_are_its_weight) {
  for (const auto integrator : {geometric::Integrator::euler, geometric::Integrator::bdf2}) {
    Simulation simulation = stack(integrator);
    while (simulation.time() < 2) ASSERT_FALSE(simulation.step());
    const double weight = mass_of(simulation.bodies()[0]) * 9.81;
    for (int body = 0; body < 3; ++body) {
      EXPECT_LT((force_on(simulation, body) - Vec3(0, weight, 0)).norm(), 2e-3 * weight) << body;
      // What the metrics say is the same.
      const Vec3 impulse = simulation.bodies()[std::size_t(body)].report().contact_impulse;
      EXPECT_LT((force_on(simulation, body) - 60 * impulse).norm(), 1e-6 * weight) << body;
    }
    Vec3 ground = Vec3::Zero();
    int between = 0;
    for (const ContactForce& c : contact_forces(simulation)) {
      EXPECT_NEAR(c.normal.norm(), 1, 1e-9);
      EXPECT_LT(c.friction.norm(), 0.5 * c.normal_force + 1e-9);
      EXPECT_NEAR(c.friction.dot(c.normal), 0, 1e-9 * weight);
      if (c.collider >= 0) ground += c.normal_force * c.normal + c.friction;
      if (c.other_body < 0) continue;
      ++between;
      EXPECT_GT(c.other_body, c.body);  // once
      // The place is on the upper face of the body below.
      EXPECT_NEAR(c.place.y(), edge * (c.body + 1), 0.01 * (c.body + 1));
      EXPECT_NEAR(c.gap, 0, 0.1 * 5e-3 * edge);  // of the distance they keep
      EXPECT_LT(c.normal.y(), -0.99);            // towards the body, which is below
    }
    EXPECT_GE(between, 6);
    EXPECT_LT((ground - Vec3(0, 3 * weight, 0)).norm(), 2e-3 * weight);
    // 1e-4 of the size is left alone
    EXPECT_LT(simulation.bodies()[0].report().penetration, 2e-4 * edge);
    std::vector<double> largest;
    largest_normal_forces(simulation, largest);
    for (int body = 0; body < 3; ++body) EXPECT_GT(largest[std::size_t(body)], weight / 25) << body;
  }
}

TEST(BodiesForces, over_an_impact_are_the_change_of_momentum) {
  for (const auto integrator : {geometric::Integrator::euler, geometric::Integrator::bdf2}) {
    MeetingWorld world;
    world.method.integrator = integrator;
    world.options.gravity.setZero();
    world.add(cube(), {{-0.2, 0.05, 0}, {1.5, 0, 0}, turned_by(10, {1, 2, 3})});
    world.add(cube(), {{0.2, -0.03, 0.04}, {-1.5, 0, 0}, turned_by(-25, {3, 1, 2})});
    Simulation simulation = world.simulation();
    const double impulse = mass_of(simulation.bodies()[0]) * 3;
    const Vec3 before = linear_momentum(simulation.bodies()[0].method().nodes());
    Vec3 sum = Vec3::Zero();
    for (int step = 0; step < 24; ++step) {
      ASSERT_FALSE(simulation.step());
      sum += force_on(simulation, 0) / 60;
      EXPECT_LT((force_on(simulation, 0) + force_on(simulation, 1)).norm(), 1e-9 * impulse * 60);
    }
    const Vec3 change = linear_momentum(simulation.bodies()[0].method().nodes()) - before;
    measured("missing", (change - sum).norm() / impulse);
    // BDF2 remembers a third of the last change of a velocity.
    EXPECT_LT((change - sum).norm(),
              integrator == geometric::Integrator::euler ? 1e-9 * impulse : 0.05 * impulse);
    EXPECT_GT(sum.norm(), 0.3 * impulse);
  }
}

// A cube that falls beside another, nearly touching it, so that both are one island.
TEST(BodiesForces, restitution_of_the_ground_counts_in_an_island) {
  const auto rebound = [](double restitution) {
    MeetingWorld world;
    world.method.stiffness = 1e7;
    world.colliders.push_back(Collider(PlaneCollider{}, {}, 0.0, restitution));
    world.contact.friction = 0;
    world.add(cube(), {{0, 0.3, 0}});
    world.add(cube(), {{edge + 1.5e-3, 0.3, 0}});
    Simulation simulation = world.simulation();
    double fastest = 0, rounds = 0;
    while (simulation.time() < 0.4) {
      EXPECT_FALSE(simulation.step());
      const Body& body = simulation.bodies()[0];
      fastest = std::max(fastest, linear_momentum(body.method().nodes()).y() / mass_of(body));
      rounds += body.report().rounds;
    }
    EXPECT_GT(rounds, 10);  // they were an island
    return fastest / std::sqrt(2 * 9.81 * 0.2);
  };
  EXPECT_NEAR(rebound(0.6), 0.6, 0.06);
  EXPECT_LT(rebound(0), 0.3);
}

}  // namespace bodies_forces_test
}  // namespace pliant
