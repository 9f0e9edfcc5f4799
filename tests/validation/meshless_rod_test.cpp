// SPDX-License-Identifier: Apache-2.0
// Flesh on a loaded skeleton: a rod clamped at one end carries the flesh around it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace meshless_rod_test {

constexpr double length = 2, width = 0.2, density = 1000, gravity = 0.2, thickness = 0.04;

Result<Scene> make(double rod, double flesh) {
  ParsedScene parsed = parse_scene(
      fmt::format(
          R"({{"gravity": [0, {}, 0], "bodies": [{{"name": "bar", "density": {}, "method": "meshless",
            "shape": {{"box": {{"size": [2, 0.2, 0.2], "nodes": [41, 5, 5], "corner": [0, -0.1, -0.1]}}}},
            "meshless": {{"stiffness": {}, "poisson": 0.3, "support": 1.5, "skeleton": {{
              "elastic": true, "loaded": true, "joint_softness": 1, "radius": 0.06,
              "rod_stiffness": {}, "rod_thickness": {},
              "joints": [{{"name": "root", "position": [0, 0, 0]}},
                         {{"name": "tip", "parent": "root", "position": [2, 0, 0]}}]}}}}}}]}})",
          -gravity, density, flesh, rod, thickness),
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

}  // namespace meshless_rod_test
}  // namespace pliant
