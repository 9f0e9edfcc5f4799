// SPDX-License-Identifier: Apache-2.0
// Forces of the world and of the user on bodies in a simulation.
#include <gtest/gtest.h>

#include <numeric>

#include "free_fall.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/simulation.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace outer_forces_test {

const Shape& block() {
  static const Shape shape = make_shape(BoxShape{Vec3(1, 1, 1), {3, 3, 3}, Vec3(0, 0, 0)});
  return shape;
}

Simulation simulation_of(std::vector<std::string> names, const Vec3& gravity = Vec3::Zero(),
                         int threads = 1) {
  std::vector<Body> bodies;
  for (std::string& name : names) {
    const Points& X = block().graph.positions;
    bodies.emplace_back(std::move(name), block(), std::make_unique<FreeFall>(block(), 1000),
                        std::vector<Hold>{}, Start{X, Points(X.size(), Vec3::Zero())});
  }
  return Simulation(std::move(bodies), {0.01, gravity, threads});
}

const NodeState& nodes(const Simulation& s, int body = 0) {
  return s.bodies()[std::size_t(body)].method().nodes();
}
Vec3 momentum(const Simulation& s, int body = 0) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < nodes(s, body).v.size(); ++i)
    sum += nodes(s, body).mass[i] * nodes(s, body).v[i];
  return sum;
}

TEST(OuterForces, a_constant_force_is_gravity_bit_for_bit) {
  Simulation falls = simulation_of({"a"}, Vec3(0.25, -9.75, 0.5)), pulled = simulation_of({"a"});
  pulled.set_forces({{.is = ConstantForce{Vec3(0.25, -9.75, 0.5)}}});
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(falls.step());
    ASSERT_FALSE(pulled.step());
  }
  EXPECT_EQ(nodes(falls).x, nodes(pulled).x);
}

TEST(OuterForces, act_on_the_bodies_they_name) {
  Simulation both = simulation_of({"a", "b"});
  both.set_forces({{.is = ConstantForce{Vec3(1, 0, 0)}, .bodies = {"b"}},
                   {.is = WindForce{.velocity = {0, 5, 0}}, .bodies = {"a"}}});
  ASSERT_FALSE(both.step());
  EXPECT_EQ(momentum(both, 0).x(), 0);
  EXPECT_GT(momentum(both, 0).y(), 0);
  EXPECT_EQ(momentum(both, 1).y(), 0);
  EXPECT_GT(momentum(both, 1).x(), 0);
}

TEST(OuterForces, of_the_user_last_until_they_are_set_again) {
  Simulation simulation = simulation_of({"a"});
  const Points push(nodes(simulation).x.size(), Vec3(0, 0, 3));
  simulation.body(0).set_forces(push);
  for (int i = 0; i < 2; ++i) ASSERT_FALSE(simulation.step());
  const double all = 2 * 0.01 * 3 * double(push.size());
  EXPECT_NEAR(momentum(simulation).z(), all, 1e-12 * all);
  simulation.body(0).set_forces({});
  ASSERT_FALSE(simulation.step());
  EXPECT_NEAR(momentum(simulation).z(), all, 1e-12 * all);
}

TEST(OuterForces, of_the_user_add_to_those_of_the_world) {
  Simulation simulation = simulation_of({"a"});
  const Points push(nodes(simulation).x.size(), Vec3(0, 0, 3));
  simulation.body(0).set_forces(push);
  simulation.set_forces({{.is = PointForce{{.strength = 2, .radius = 1, .falloff = 0}, Vec3(1e5, 0, 0)}}});
  ASSERT_FALSE(simulation.step());
  const double mass = 1000;
  EXPECT_NEAR(momentum(simulation).z(), 0.01 * 3 * double(push.size()), 1e-3);
  EXPECT_NEAR(momentum(simulation).x(), 0.01 * 2 * mass, 1e-3);
}

TEST(OuterForces, wind_gives_the_momentum_that_its_forces_sum_up_to) {
  Simulation simulation = simulation_of({"a"});
  simulation.set_forces({{.is = WindForce{.velocity = {0, 6, 0}, .density = 2, .drag = 1.5, .lift = 0.5}}});
  ASSERT_FALSE(simulation.step());
  // The face below is square to the wind; those beside it are along it, the one above is in the lee.
  const double force = 0.5 * 2 * 1.5 * 1 * 36;
  EXPECT_NEAR((momentum(simulation) - Vec3(0, 0.01 * force, 0)).norm(), 0, 1e-12 * force);
}

TEST(OuterForces, of_the_user_are_in_the_checkpoint_and_those_of_the_world_are_functions_of_time) {
  std::vector<WorldForce> world{{.is = WindForce{.velocity = {0, 6, 1}}},
                                {.is = VortexForce{{.strength = 5}, Vec3(0.5, 0, 0.5)}}};
  world[0].motion.keys = {{0, Vec3(0, 0, 0), {}}, {0.2, Vec3(0, 0, 0), {Vec3(1, 0, 0), 50}}};
  world[0].factors = {1, 3};
  Simulation whole = simulation_of({"a"}), resumed = simulation_of({"a"});
  whole.set_forces(world);
  resumed.set_forces(world);
  Points push(nodes(whole).x.size(), Vec3::Zero());
  push[5] = Vec3(1, 2, 3);
  whole.body(0).set_forces(push);
  for (int i = 0; i < 7; ++i) ASSERT_FALSE(whole.step());
  Recorder recorder(whole, {}), other(resumed, {});
  ASSERT_EQ(load_checkpoint(save_checkpoint(whole, recorder, 1), 1, resumed, other), "");
  for (int i = 0; i < 9; ++i) {
    ASSERT_FALSE(whole.step());
    ASSERT_FALSE(resumed.step());
  }
  EXPECT_EQ(nodes(whole).x, nodes(resumed).x);
  EXPECT_EQ(nodes(whole).v, nodes(resumed).v);
}

/// Wind, point and vortex at once on a body of the catalogue.
Simulation sheet_in_a_storm(int threads) {
  const Shape shape = on_surface(make_shape(SheetShape{.size = {1, 1}, .nodes = {41, 41}}), 0.01);
  const MethodEntry& entry = method_entry("geometric");
  auto method = entry.build(entry.defaults, BodyPlan{shape, 100, {}});
  EXPECT_TRUE(method) << method.error().text();
  std::vector<Body> bodies;
  bodies.emplace_back("sheet", shape, std::move(*method), std::vector<Hold>{});
  Simulation out(std::move(bodies), {1.0 / 60, Vec3(0, -9.81, 0), threads});
  out.set_forces({{.is = WindForce{.velocity = {3, 8, 1}}},
                  {.is = PointForce{{.strength = 5, .radius = 0.3}, Vec3(0.2, 0.5, 0)}},
                  {.is = VortexForce{{.strength = 5, .radius = 0.3}, Vec3(0, 0, 0)}}});
  return out;
}

TEST(OuterForces, are_the_same_bits_with_one_and_three_threads) {
  Simulation one = sheet_in_a_storm(1), three = sheet_in_a_storm(3);
  for (int i = 0; i < 5; ++i) {
    ASSERT_FALSE(one.step());
    ASSERT_FALSE(three.step());
  }
  EXPECT_EQ(nodes(one).x, nodes(three).x);
}

TEST(OuterForces, allocate_nothing_after_warm_up) {
  Simulation simulation = sheet_in_a_storm(1);
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(simulation.step());
  const std::size_t before = allocations();
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(allocations(), before);
}

}  // namespace outer_forces_test
}  // namespace pliant
