// SPDX-License-Identifier: Apache-2.0
// A ball that lies on a plane under its own weight, against Hertz: the radius of the contact is a, a^3 = 3 F R/(4
// E*), E* = E/(1 - nu^2), F its weight, and its centre sinks by a^2/R.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace hertz_test {

constexpr double radius = 0.25, young = 1e6;

/// How far the centre of mass sinks, over Hertz.
double sinks(const std::string& method, const std::string& settings, double poisson, int nodes) {
  const std::string text = fmt::format(
      R"({{"gravity": [0, -9.81, 0], "colliders": [{{"plane": {{"friction": 0}}}}], "bodies": [{{"name": "ball",
        "shape": {{"sphere": {{"radius": {}, "nodes": {}, "center": [0, {}, 0]}}}}, "density": 1000,
        "method": "{}", "{}": {{"stiffness": {}{}}}, "damping": {{"mass": 4, "stiffness": 0.01}}}}]}})",
      radius, nodes, radius, method, method, young, settings);
  ParsedScene parsed = parse_scene(text, "ball.json", {});
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(scene) << scene.error().text();
  Simulation& world = scene->simulation;
  const Method& ball = world.bodies()[0].method();
  double weight = 0;
  for (const double m : ball.nodes().mass) weight += 9.81 * m;
  for (int k = 0; k < 180; ++k) EXPECT_FALSE(world.step());
  EXPECT_LT(kinetic_energy(ball.nodes()), 1e-5);
  const double a = std::cbrt(3 * weight * radius * (1 - poisson * poisson) / (4 * young));
  const double sunk = (radius - centre_of_mass(ball.nodes()).y()) / (a * a / radius);
  fmt::print("{}{}, {} nodes across: sinks by {:.3f} of Hertz (a {:.4f} m)\n", method, settings, nodes, sunk,
             a);
  return sunk;
}

struct Bounds {
  double least, most;
};
constexpr Bounds within_a_tenth{0.9, 1.1};
// Cells of 0.083 m around a patch of 0.048 m radius: docs/methods/cage.md, Limits.
constexpr Bounds coarse_cage{0.7, 1.1};

void expect_between(double value, const Bounds& bounds) {
  EXPECT_GT(value, bounds.least);
  EXPECT_LT(value, bounds.most);
}

TEST(Hertz, a_metric_ball_sinks_under_its_own_weight_as_deep_as_hertz_says) {
  expect_between(sinks("metric", "", 0.25, 19), within_a_tenth);
}

TEST(Hertz, a_meshless_ball_sinks_under_its_own_weight_as_deep_as_hertz_says) {
  expect_between(sinks("meshless", "", 0.3, 19), within_a_tenth);
}

TEST(Hertz, a_geometric_ball_sinks_under_its_own_weight_as_deep_as_hertz_says) {
  expect_between(sinks("geometric", "", 0.25, 19), within_a_tenth);
}

TEST(Hertz, a_caged_ball_sinks_less_where_its_cells_are_larger_than_the_patch) {
  expect_between(sinks("cage", R"(, "cells": [6, 6, 6])", 0.3, 19), coarse_cage);
}

}  // namespace hertz_test
}  // namespace pliant
