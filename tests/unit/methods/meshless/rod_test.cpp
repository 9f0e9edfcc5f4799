// SPDX-License-Identifier: Apache-2.0
// Flesh on a loaded rod. What it weighs and how it swings against theory: tests/validation/meshless_rod_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pliant/physics/metrics.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/meshless_bar.hpp"

namespace pliant::meshless {
namespace rod_test {

/// A bar of 1 x 1 x 4 m on a rod along its axis, clamped at its foot: a swing takes 2 s.
Flesh on_a_rod(double radius, int across = 4) {
  Options options = bar_material();
  options.integrator = Integrator::bdf2;
  Flesh flesh = bar_flesh({.across = across, .radius = radius}, options);
  Bones& bones = *flesh.options.bones;
  bones.skeleton.joints = {bones.skeleton.joints.front(), bones.skeleton.joints.back()};
  bones.skeleton.joints[1].parent = 0;
  bones.skeleton.joints[1].turns = {};
  bones.elastic = bones.loaded = true;
  bones.joint_softness = 1;
  bones.rod_stiffness = 4e7;
  bones.rod_thickness = 0.1;
  return flesh;
}

std::unique_ptr<Method> made(const Flesh& flesh) {
  auto method = build(flesh.shape, 1, {0, 0}, flesh.options);
  EXPECT_TRUE(method) << method.error().text();
  return std::move(*method);
}

const Vec3 gravity(1, 0, 0);

StepReport swing(Method& method, int step, Pool& pool) {
  constexpr double h = 0.02;
  const StepReport report =
      method.advance({.h = h, .time = h * step, .gravity = gravity, .contact = {}, .pool = &pool});
  EXPECT_TRUE(report.ok()) << report.trouble;
  return report;
}

TEST(MeshlessRodBuild, what_a_loaded_skeleton_needs_is_told) {
  const auto refused = [](auto change) {
    Flesh flesh = on_a_rod(0.3);
    change(flesh.options);
    const auto method = build(flesh.shape, 1, {0, 0}, flesh.options);
    return method ? std::string() : method.error().problems[0].place;
  };
  EXPECT_EQ(refused([](Options&) {}), "");
  EXPECT_EQ(refused([](Options& o) { o.bones->elastic = false; }), "meshless.skeleton.loaded");
  EXPECT_EQ(refused([](Options& o) { o.bones->radius = 0; }), "meshless.skeleton.loaded");
  EXPECT_EQ(refused([](Options& o) { o.rotations = Rotations::diffused; }), "meshless.skeleton.loaded");
  EXPECT_EQ(refused([](Options& o) { o.warping = Warping::none; }), "meshless.skeleton.loaded");
}

// Nodes are 1/3 m or 1/4 m apart; the rod runs between them or through a row of them.
TEST(MeshlessRodBuild, a_radius_without_a_node_beside_the_rod_is_refused_with_the_distance_of_nodes) {
  for (const int across : {4, 5}) {
    const Flesh flesh = on_a_rod(0.1, across);
    const auto method = build(flesh.shape, 1, {0, 0}, flesh.options);
    ASSERT_FALSE(method) << across;
    EXPECT_EQ(method.error().problems[0].place, "meshless.skeleton.radius");
    EXPECT_NE(method.error().text().find("distance of nodes, 0."), std::string::npos)
        << method.error().text();
  }
}

TEST(MeshlessRod, an_undamped_swing_keeps_its_energy) {
  const auto method = made(on_a_rod(0.3));
  Pool pool(1);
  const Points rest = method->nodes().x;
  double moving = 0, worst = 0;
  for (int k = 1; k <= 100; ++k) {
    swing(*method, k, pool);
    const NodeState& now = method->nodes();
    double weight = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) weight -= now.mass[i] * gravity.dot(now.x[i] - rest[i]);
    moving = std::max(moving, kinetic_energy(now));
    worst = std::max(worst, std::abs(kinetic_energy(now) + method->elastic_energy() + weight));
  }
  EXPECT_LT(worst, 0.05 * moving);
}

TEST(MeshlessRod, forces_are_the_gradient_of_the_energy_of_flesh_rod_and_holds) {
  const auto method = made(on_a_rod(0.3));
  Pool pool(1);
  for (int k = 1; k <= 20; ++k) swing(*method, k, pool);
  const Points at = method->nodes().x, still(at.size(), Vec3::Zero());
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Points direction(at.size()), force(at.size());
  for (Vec3& d : direction) d = Vec3(normal(random), normal(random), normal(random));
  method->elastic_forces(force);
  const auto energy_at = [&](double t) {
    Points x = at;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * direction[i];
    method->place(x, still);
    return method->elastic_energy();
  };
  double work = 0;
  for (std::size_t i = 0; i < at.size(); ++i) work -= force[i].dot(direction[i]);
  EXPECT_NEAR(work, (energy_at(1e-5) - energy_at(-1e-5)) / 2e-5, 1e-5 * std::abs(work));
}

TEST(MeshlessRod, a_saved_swing_goes_on_bit_for_bit_and_on_two_threads) {
  const Flesh flesh = on_a_rod(0.3);
  const auto method = made(flesh), loaded = made(flesh);
  Pool one(1), two(2);
  for (int k = 1; k <= 5; ++k) swing(*method, k, one);
  Writer writer;
  method->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(loaded->load(reader));
  for (int k = 6; k <= 10; ++k) swing(*method, k, one), swing(*loaded, k, two);
  EXPECT_EQ(method->nodes().x, loaded->nodes().x);
  EXPECT_EQ(method->nodes().v, loaded->nodes().v);
  EXPECT_EQ(method->elastic_energy(), loaded->elastic_energy()) << "the rod is the same, too";
}

TEST(MeshlessRod, a_step_allocates_nothing_after_warm_up) {
  const auto method = made(on_a_rod(0.3));
  Pool pool(1);
  for (int k = 1; k <= 3; ++k) swing(*method, k, pool);
  const std::size_t before = allocations();
  for (int k = 4; k <= 6; ++k) swing(*method, k, pool);
  EXPECT_EQ(allocations(), before);
}

TEST(MeshlessRod, a_solve_without_an_answer_is_reported_and_leaves_flesh_and_rod_as_they_were) {
  const Flesh flesh = on_a_rod(0.3);
  const auto method = made(flesh), other = made(flesh);
  Pool pool(1);
  for (int k = 1; k <= 3; ++k) swing(*method, k, pool), swing(*other, k, pool);
  const Points forces(method->nodes().x.size(), Vec3(1e300, 0, 0));
  const StepReport report =
      method->advance({.h = 0.02, .time = 0.08, .forces = forces, .contact = {}, .pool = &pool});
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(method->elastic_energy(), other->elastic_energy());
  for (int k = 4; k <= 6; ++k) swing(*method, k, pool), swing(*other, k, pool);
  EXPECT_EQ(method->nodes().x, other->nodes().x);
}

}  // namespace rod_test
}  // namespace pliant::meshless
