// SPDX-License-Identifier: Apache-2.0
// Flesh on a loaded skeleton: a rod clamped at one end carries the flesh around it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace meshless_rod_test {

constexpr double length = 2, width = 0.2, density = 1000, gravity = 0.2, thickness = 0.04;

Result<Scene> make(double rod, double flesh, double timestep = 1.0 / 60) {
  ParsedScene parsed = parse_scene(
      fmt::format(
          R"({{"timestep": {}, "gravity": [0, {}, 0], "bodies": [{{"name": "bar", "damping": {{"mass": 0, "stiffness": 0}}, "density": {}, "method": "meshless",
            "shape": {{"box": {{"size": [2, 0.2, 0.2], "nodes": [41, 5, 5], "corner": [0, -0.1, -0.1]}}}},
            "meshless": {{"stiffness": {}, "poisson": 0.3, "support": 1.5, "skeleton": {{
              "elastic": true, "loaded": true, "joint_softness": 1, "radius": 0.06,
              "rod_stiffness": {}, "rod_thickness": {},
              "joints": [{{"name": "root", "position": [0, 0, 0]}},
                         {{"name": "tip", "parent": "root", "position": [2, 0, 0]}}]}}}}}}]}})",
          timestep, -gravity, density, flesh, rod, thickness),
      "rod.json", {});
  return build_scene(parsed);
}

/// Mean way down of the end face, m.
double sag(const Body& body) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < body.surface().size(); ++i)
    if (body.rest_surface()[i].x() > length - 0.001)
      sum += body.rest_surface()[i].y() - body.surface()[i].y(), ++count;
  return sum / count;
}

/// Euler-Bernoulli: q L^4 / (8 EI), with the bending stiffnesses of rod and flesh added.
double theory(double rod, double flesh) {
  const double of_rod = rod * std::numbers::pi * std::pow(thickness, 4) / 64;
  const double of_flesh = flesh * std::pow(width, 4) / 12;
  return density * width * width * gravity * std::pow(length, 4) / 8 / (of_rod + of_flesh);
}

double posed(double rod, double flesh) {
  Result<Scene> scene = make(rod, flesh);
  EXPECT_TRUE(scene) << scene.error().text();
  const PoseResult result = scene->simulation.pose(0, 0, {.tolerance = 1e-6});
  EXPECT_TRUE(result.ok()) << result.trouble;
  const double measured = sag(scene->simulation.bodies()[0]);
  fmt::print("rod {:g} Pa, flesh {:g} Pa: {:.3f} mm, theory {:.3f} mm, {} solves\n", rod, flesh,
             1000 * measured, 1000 * theory(rod, flesh), result.iterations);
  return measured;
}

TEST(MeshlessRod, a_stiff_rod_sags_under_the_weight_of_its_flesh_as_a_beam_does) {
  EXPECT_NEAR(posed(2e10, 1e4) / theory(2e10, 1e4), 1, 0.02);
}

TEST(MeshlessRod, rod_and_flesh_carry_the_weight_together) {
  EXPECT_NEAR(posed(1e10, 1e6) / theory(1e10, 1e6), 1, 0.03);
}

/// The first mode of a cantilever, omega = 1.8751^2 sqrt(EI / (q L^4)): the mass is the flesh's, the stiffness the rod's.
TEST(MeshlessRod, rod_and_flesh_swing_as_one_beam) {
  constexpr double rod = 2e9, flesh = 1e4;
  const double sag_at_rest = theory(rod, flesh),
               period = 2 * std::numbers::pi / (1.8751 * 1.8751) * std::sqrt(8 * sag_at_rest / gravity);
  const double h = period / 60;
  Result<Scene> scene = make(rod, flesh, h);
  ASSERT_TRUE(scene) << scene.error().text();
  // Let go, it falls as far beyond its place of rest as it began above: after half a swing.
  std::vector<double> way{0};
  for (int k = 0; k < 36; ++k) {
    ASSERT_FALSE(scene->simulation.step());
    way.push_back(sag(scene->simulation.bodies()[0]));
  }
  const auto lowest = std::max_element(way.begin(), way.end());
  const double half = h * double(lowest - way.begin());
  fmt::print("swing: half a period {:.3f} s, theory {:.3f} s; lowest {:.3f} of the sag at rest\n", half,
             period / 2, *lowest / sag_at_rest);
  EXPECT_NEAR(2 * half / period, 1, 0.05);  // a step is a thirtieth
  EXPECT_NEAR(*lowest / sag_at_rest, 2, 0.06);
}

/// A bar clamped at one end, and a block that is laid on it near the other.
Result<Scene> make_loaded(double rod, double flesh, double weight) {
  ParsedScene parsed = parse_scene(
      fmt::format(
          R"({{"gravity": [0, {}, 0], "bodies": [{{"name": "bar", "damping": {{"mass": 6, "stiffness": 0}}, "density": {}, "method": "meshless",
            "contact": {{"bodies": true}},
            "shape": {{"box": {{"size": [2, 0.2, 0.2], "nodes": [41, 5, 5], "corner": [0, -0.1, -0.1]}}}},
            "meshless": {{"stiffness": {}, "poisson": 0.3, "support": 1.5, "skeleton": {{
              "elastic": true, "loaded": true, "joint_softness": 1, "radius": 0.06,
              "rod_stiffness": {}, "rod_thickness": {},
              "joints": [{{"name": "root", "position": [0, 0, 0]}},
                         {{"name": "tip", "parent": "root", "position": [2, 0, 0]}}]}}}}}},
            {{"name": "block", "damping": {{"mass": 6, "stiffness": 0.01}}, "density": {}, "contact": {{"bodies": true}},
              "shape": {{"box": {{"size": [0.2, 0.1, 0.2], "nodes": [4, 2, 4], "corner": [1.607, 0.102, -0.103]}}}},
              "geometric": {{"stiffness": 1e6}}}}]}})",
          -gravity, density, flesh, rod, thickness, weight / gravity / (0.2 * 0.1 * 0.2)),
      "rod.json", {});
  return build_scene(parsed);
}

TEST(MeshlessRod, carries_another_body_as_a_beam_does) {
  constexpr double rod = 1e10, flesh = 1e6, weight = 8, at = 1.707, time = 3.2;
  const double unloaded = posed(rod, flesh);
  Result<Scene> scene = make_loaded(rod, flesh, weight);
  ASSERT_TRUE(scene) << scene.error().text();
  Simulation& world = scene->simulation;
  ASSERT_TRUE(world.meets_others(0) && world.meets_others(1));
  while (world.time() < time) {
    const auto failure = world.step();
    ASSERT_FALSE(failure) << failure->text();
    ASSERT_EQ(world.bodies()[0].report().shortened, 0);
  }
  const double stiffness = density * width * width * gravity * std::pow(length, 4) / 8 / theory(rod, flesh),
               expected = weight * at * at * (3 * length - at) / (6 * stiffness),
               more = sag(world.bodies()[0]) - unloaded;
  fmt::print("a block of {} N: {:.3f} mm lower, theory {:.3f} mm\n", weight, 1000 * more, 1000 * expected);
  EXPECT_NEAR(world.bodies()[1].report().contact_impulse.y() * 60, weight, 0.02 * weight);
  EXPECT_NEAR(more / expected, 1, 0.1);
}

}  // namespace meshless_rod_test
}  // namespace pliant
