// SPDX-License-Identifier: Apache-2.0
// Islands at rest sleep (island/sleeping.hpp): they are not stepped until something wakes them.
#include <gtest/gtest.h>

#include "pliant/sim/contact_forces.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace bodies_sleep_test {

using namespace test;

constexpr double edge = 0.2;  // m, of the cubes

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {4, 4, 4}, {0, 0, 0}});
  return shape;
}

/// Two cubes, one on the other, on the ground.
MeetingWorld pile() {
  MeetingWorld world;
  world.damping = {.mass = 2, .stiffness = 0.02};
  world.colliders.push_back(plane_collider(0.5));
  for (int k = 0; k < 2; ++k) world.add(cube(), {{0.004 * k, 0.1005 + 0.2015 * k, 0}});
  return world;
}

/// Steps until all bodies are asleep, for so long at most, s.
void settle(Simulation& simulation, double most = 8) {
  const auto all_asleep = [&] {
    for (int i = 0; i < int(simulation.bodies().size()); ++i)
      if (!simulation.asleep(i)) return false;
    return true;
  };
  while (!all_asleep() && simulation.time() < most) ASSERT_FALSE(simulation.step());
  ASSERT_TRUE(all_asleep()) << fastest_node(simulation);
}

TEST(BodiesSleep, at_rest_after_half_a_second_and_do_not_move) {
  Simulation simulation = pile().simulation();
  simulation.let_sleep(true);
  settle(simulation);
  measured("asleep_after", simulation.time());
  EXPECT_GT(simulation.time(), 0.5);
  const std::uint64_t before = hash_of(simulation);
  const int contacts = simulation.bodies()[0].report().contacts;
  const std::size_t forces = contact_forces(simulation).size();
  const std::size_t allocated = allocations();
  for (int step = 0; step < 100; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(allocations() - allocated, 0u);
  EXPECT_EQ(hash_of(simulation), before);
  EXPECT_EQ(simulation.bodies()[0].report().contacts, contacts);
  EXPECT_GT(contacts, 0);
  EXPECT_EQ(contact_forces(simulation).size(), forces);
  EXPECT_EQ(simulation.bodies()[0].report().ms.total, 0);
}

TEST(BodiesSleep, only_where_they_are_let) {
  Simulation simulation = pile().simulation();
  while (simulation.time() < 3) ASSERT_FALSE(simulation.step());
  EXPECT_FALSE(simulation.asleep(0));
  simulation.let_sleep(true);
  settle(simulation);
  simulation.let_sleep(false);
  EXPECT_FALSE(simulation.asleep(0));
}

TEST(BodiesSleep, together_and_wake_together_when_another_comes) {
  for (const bool beside : {true, false}) {
    MeetingWorld falling = pile();
    falling.add(cube(), {{beside ? 2.0 : 0.01, 9, 0}});
    Simulation simulation = falling.simulation();
    simulation.let_sleep(true);
    while (simulation.time() < 1.2) ASSERT_FALSE(simulation.step());
    while (!simulation.asleep(0) && simulation.time() < 1.9) ASSERT_FALSE(simulation.step());
    const bool slept = simulation.asleep(0) && simulation.asleep(1);
    bool woke = false;
    while (simulation.time() < 3) {  // it falls with 4.9 m/s at most: damping
      ASSERT_FALSE(simulation.step());
      woke |= !simulation.asleep(0) && !simulation.asleep(1);
      EXPECT_EQ(simulation.asleep(0), simulation.asleep(1));
    }
    EXPECT_TRUE(slept);
    EXPECT_EQ(woke, !beside);
  }
}

TEST(BodiesSleep, wake_when_they_are_changed) {
  const auto wakes = [](auto&& change) {
    Simulation simulation = pile().simulation();
    simulation.let_sleep(true);
    settle(simulation);
    change(simulation);
    return !simulation.asleep(0) && !simulation.asleep(1);
  };
  EXPECT_TRUE(wakes([](Simulation& s) { s.set_gravity({1, -9.81, 0}); }));
  EXPECT_TRUE(wakes([](Simulation& s) { s.set_step_length(0.01); }));
  EXPECT_TRUE(wakes([](Simulation& s) { s.set_colliders({plane_collider(0.1)}); }));
  EXPECT_TRUE(wakes([](Simulation& s) { s.body(1).set_grabs({}); }));
  EXPECT_FALSE(wakes([](Simulation& s) { s.set_gravity(s.options().gravity); }));
}

TEST(BodiesSleep, wake_when_a_collider_moves_near_them_and_not_when_it_is_far) {
  for (const double far : {0.0, 3.0}) {
    MeetingWorld world = pile();
    Motion motion;
    motion.ease = Ease::linear;
    motion.keys = {{.time = 0, .translate = {0, 0, 0}},
                   {.time = 4, .translate = {0, 0, 0}},
                   {.time = 5, .translate = {-1, 0, 0}}};
    world.colliders.push_back(Collider(SphereCollider{{0.7 + far, 0.15, 0}, 0.1}, motion, 0.5, 0));
    Simulation simulation = world.simulation();
    simulation.let_sleep(true);
    settle(simulation, 4);
    const Vec3 before = centre_of(simulation.bodies()[0]);
    while (simulation.time() < 5) ASSERT_FALSE(simulation.step());
    EXPECT_EQ(simulation.asleep(0), far > 0);
    EXPECT_EQ((centre_of(simulation.bodies()[0]) - before).norm() > 1e-3, far == 0);
  }
}

TEST(BodiesSleep, resume_as_they_were) {
  Simulation simulation = pile().simulation();
  simulation.let_sleep(true);
  settle(simulation);
  Simulation resumed = pile().simulation();
  resumed.let_sleep(true);
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(saved_state(simulation), 7, resumed, recorder), "");
  EXPECT_TRUE(resumed.asleep(0));
  EXPECT_EQ(resumed.bodies()[0].report().contacts, simulation.bodies()[0].report().contacts);
  EXPECT_EQ(contact_forces(resumed).size(), contact_forces(simulation).size());
  for (Simulation* s : {&simulation, &resumed}) {
    s->set_gravity({2, -9.81, 0});
    for (int step = 0; step < 20; ++step) ASSERT_FALSE(s->step());
  }
  EXPECT_EQ(hash_of(simulation), hash_of(resumed));
}

}  // namespace bodies_sleep_test
}  // namespace pliant
