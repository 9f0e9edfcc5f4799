// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/fem/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant::fem {
namespace step_test {

Shape block() { return make_shape(BoxShape{.size = {0.3, 0.3, 0.9}, .nodes = {3, 3, 7}}); }

std::unique_ptr<Method> body_of(const Shape& shape, const Options& options, Damping damping = {0, 0}) {
  auto body = build(shape, 1000, damping, options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

struct FemStep : testing::Test {
  const Shape shape = block();
  const Points& rest = shape.graph.positions;
  Pool pool{1};
  StepInput input;
  FemStep() { input.pool = &pool; }

  void run(Method& body, int steps) {
    for (int i = 0; i < steps; ++i) {
      const StepReport report = body.advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
  }
  Points stretched(double by) const {
    Points x = rest;
    for (Vec3& p : x) p.z() *= by;
    return x;
  }
  Points still() const { return Points(rest.size(), Vec3::Zero()); }
};

TEST_F(FemStep, many_newton_steps_solve_the_implicit_equation) {
  const auto body = body_of(shape, {.integrator = Integrator::euler, .iterations = 100, .tolerance = 1e-8});
  const Points x = stretched(1.3);
  body->place(x, still());
  run(*body, 1);
  Points force(x.size());
  body->elastic_forces(force);
  const NodeState& now = body->nodes();
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR((now.mass[i] * (now.x[i] - x[i]) - input.h * input.h * force[i]).norm(), 0, 1e-8);
    EXPECT_NEAR((now.v[i] - (now.x[i] - x[i]) / input.h).norm(), 0, 1e-10);
  }
}

TEST_F(FemStep, outer_forces_give_their_momentum) {
  const auto body = body_of(shape, {.tolerance = 1e-10});
  Points forces = still();
  forces[0] = {3, 0, 0};
  forces.back() = {0, -2, 1};
  input.forces = forces;
  run(*body, 10);
  EXPECT_NEAR((linear_momentum(body->nodes()) - 10 * input.h * Vec3(3, -2, 1)).norm(), 0, 1e-7);
}

TEST_F(FemStep, a_grab_pulls_its_node_to_the_target) {
  const auto body = body_of(shape, {}, {.mass = 5, .stiffness = 0});
  const Grab grab{
      .node = Index(rest.size()) - 1, .target = rest.back() + Vec3(0.2, 0.1, 0), .stiffness = 1e4};
  input.grabs = {&grab, 1};
  run(*body, 1);
  EXPECT_GT((body->nodes().x.back() - rest.back()).norm(), 0.02);
  run(*body, 300);
  EXPECT_LT((body->nodes().x.back() - grab.target).norm(), 1e-3);
}

TEST_F(FemStep, a_stiffer_grab_is_felt_at_once) {
  const auto soft = body_of(shape, {}), stiff = body_of(shape, {});
  Grab grab{.node = 0, .target = rest[0] + Vec3(0.1, 0, 0), .stiffness = 100};
  input.grabs = {&grab, 1};
  run(*soft, 1);
  grab.stiffness = 1e9;
  run(*stiff, 1);
  EXPECT_LT((stiff->nodes().x[0] - grab.target).norm(), 1e-4);
  EXPECT_GT((soft->nodes().x[0] - grab.target).norm(), 0.05);
}

TEST_F(FemStep, stiffness_damping_takes_the_energy_of_deformation_and_leaves_turning_alone) {
  const Options options{.integrator = Integrator::bdf2};
  const auto free = body_of(shape, options), damped = body_of(shape, options, {.mass = 0, .stiffness = 0.05});
  for (const auto& body : {free.get(), damped.get()}) {
    body->place(stretched(1.2), still());
    run(*body, 60);
  }
  const auto total = [](const Method& body) { return kinetic_energy(body.nodes()) + body.elastic_energy(); };
  EXPECT_LT(total(*damped), 0.1 * total(*free));

  Points spin = still();
  for (std::size_t i = 0; i < rest.size(); ++i)
    spin[i] = Vec3(0, 1, 0).cross(rest[i] - Vec3(0.15, 0.15, 0.45));
  damped->place(rest, spin);
  const Vec3 before = angular_momentum(damped->nodes());
  run(*damped, 60);
  EXPECT_LT((angular_momentum(damped->nodes()) - before).norm(), 0.01 * before.norm());
}

TEST_F(FemStep, a_linear_bar_grows_when_it_bends_far_and_a_corotated_one_does_not) {
  std::vector<Index> held;
  Points targets;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].z() < 1e-9) held.push_back(Index(i)), targets.push_back(rest[i]);
  input.held = held;
  input.targets = targets;
  input.gravity = {0, -9.81, 0};
  const auto length = [&](const Method& body) {
    double sum = 0;
    const Index first = 4, layer = 9;  // the middle node of every layer
    for (Index i = first; i + layer < Index(rest.size()); i += layer)
      sum += (body.nodes().x[i + layer] - body.nodes().x[i]).norm();
    return sum;
  };
  ASSERT_NEAR((rest[4] - Vec3(0.15, 0.15, 0)).norm(), 0, 1e-12);
  const auto good = body_of(shape, {.stiffness = 1e5}, {.mass = 5, .stiffness = 0});
  const auto naive =
      body_of(shape, {.model = Material::linear, .stiffness = 1e5}, {.mass = 5, .stiffness = 0});
  run(*good, 300);
  run(*naive, 300);
  EXPECT_LT(good->nodes().x.back().y(), rest.back().y() - 0.4);
  EXPECT_NEAR(length(*good) / 0.9, 1, 0.08);
  EXPECT_GT(length(*naive) / 0.9, 1.3);
}

TEST_F(FemStep, a_body_that_is_held_everywhere_follows) {
  const auto body = body_of(shape, {});
  std::vector<Index> held(rest.size());
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = Index(i);
  const Points targets = stretched(1.1);
  input.held = held;
  input.targets = targets;
  run(*body, 2);
  EXPECT_EQ(body->nodes().x, targets);
}

TEST_F(FemStep, forces_beyond_all_numbers_are_reported_and_leave_the_state_alone) {
  const auto body = body_of(shape, {});
  Points forces = still();
  forces[0] = {1e308, 1e308, 1e308};
  input.forces = forces;
  EXPECT_FALSE(body->advance(input).ok());
  EXPECT_EQ(body->nodes().x, rest);
  input.forces = {};
  EXPECT_TRUE(body->advance(input).ok());
}

TEST_F(FemStep, inverted_cells_are_counted_and_come_back) {
  const auto body = body_of(shape, {}, {.mass = 2, .stiffness = 0});
  EXPECT_EQ(body->inverted_cells(), 0);
  Points x = rest;
  for (Vec3& p : x) p.y() *= -1;
  body->place(x, still());
  EXPECT_EQ(body->inverted_cells(), int(shape.graph.cells.size()));
  Points poked = rest;
  poked[0] = {0.25, 0.25, 0.25};
  body->place(poked, still());
  EXPECT_EQ(body->inverted_cells(), 1);
  run(*body, 60);
  EXPECT_EQ(body->inverted_cells(), 0);
}

}  // namespace step_test
}  // namespace pliant::fem
