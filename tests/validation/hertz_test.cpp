// SPDX-License-Identifier: Apache-2.0
// A ball that lies on a plane under its own weight. After Hertz the radius of its contact is a, a^3 = 3 F R/(4
// E*), E* = E/(1 - nu^2), F its weight, and points far from the contact of a half space sink by a^2/R. A ball is
// none: at a/R = 0.19 its centre of mass sinks by 0.88 to 0.98 of that, by Poisson's ratio and by the law of its
// material at strains of 10 %. tests/support/ball_on_plane.hpp solves the ball; methods are compared with that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/methods/cage/note_dents.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"
#include "tests/support/ball_on_plane.hpp"

namespace pliant {
namespace hertz_test {

constexpr double radius = 0.25, young = 1e6, density = 1000, gravity = 9.81;

struct Ball {
  std::string method, settings;
  int nodes;
  Law law;
  double poisson;
};

/// How far the centre of mass sinks over a^2/R.
double sinks(const Ball& b) {
  const std::string text = fmt::format(
      R"({{"gravity": [0, -{}, 0], "colliders": [{{"plane": {{"friction": 0}}}}], "bodies": [{{"name": "ball",
        "shape": {{"sphere": {{"radius": {}, "nodes": {}, "center": [0, {}, 0]}}}}, "density": {},
        "method": "{}", "{}": {{"stiffness": {}{}}}, "damping": {{"mass": 4, "stiffness": 0.01}}}}]}})",
      gravity, radius, b.nodes, radius, density, b.method, b.method, young, b.settings);
  ParsedScene parsed = parse_scene(text, "ball.json", {});
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(scene) << scene.error().text();
  Simulation& world = scene->simulation;
  const Method& ball = world.bodies()[0].method();
  double weight = 0;
  for (const double m : ball.nodes().mass) weight += gravity * m;
  for (int k = 0; k < 120; ++k) EXPECT_FALSE(world.step());
  EXPECT_LT(kinetic_energy(ball.nodes()), 1e-5);
  const double a = std::cbrt(3 * weight * radius * (1 - b.poisson * b.poisson) / (4 * young));
  return (radius - centre_of_mass(ball.nodes()).y()) / (a * a / radius);
}

/// Of the ball in `sinks`, E times `stiffer`.
BallOnPlane reference_of(const Ball& b, double stiffer = 1) {
  return {.law = b.law, .poisson = b.poisson, .load = density * gravity * radius / (young * stiffer)};
}

void expect_within_a_tenth(const Ball& b, double reference) {
  const double sunk = sinks(b);
  fmt::print("{}{}, {} nodes across: sinks by {:.3f} a^2/R, {:.3f} expected: {:.3f} of it\n", b.method,
             b.settings, b.nodes, sunk, reference, sunk / reference);
  EXPECT_NEAR(sunk / reference, 1, 0.1);
}

TEST(Hertz, the_reference_tends_to_hertz_under_light_loads_and_hardly_changes_with_finer_elements) {
  const auto sinking = [](double load, int fineness) {
    const double got = sinking_over_hertz({Law::corotated, 0.3, load, fineness});
    fmt::print("load {}, fineness {}: {:.4f} of a^2/R\n", load, fineness, got);
    return got;
  };
  EXPECT_NEAR(sinking(2.5e-3, 1), sinking(2.5e-3, 2), 0.008);
  EXPECT_NEAR(sinking(2.5e-5, 1), 1, 0.03);
}

TEST(Hertz, a_metric_ball_sinks_under_its_own_weight_as_deep_as_theory_says) {
  const Ball ball{"metric", "", 19, Law::green, 0.25};
  expect_within_a_tenth(ball, sinking_over_hertz(reference_of(ball)));
}

TEST(Hertz, a_meshless_ball_sinks_under_its_own_weight_as_deep_as_theory_says) {
  const Ball ball{"meshless", "", 19, Law::corotated, 0.3};
  expect_within_a_tenth(ball, sinking_over_hertz(reference_of(ball)));
}

TEST(Hertz, a_geometric_ball_sinks_under_its_own_weight_as_deep_as_theory_says) {
  const Ball ball{"geometric", "", 19, Law::corotated, 0};
  expect_within_a_tenth(ball, sinking_over_hertz(reference_of(ball)));
}

// All its dents are `dent_bias` times as stiff, as if E* were, and a^2/R goes with its power -2/3.
TEST(Hertz, a_caged_ball_sinks_as_deep_as_harmonic_displacements_let_it) {
  const Ball ball{"cage", R"(, "cells": [6, 6, 6])", 27, Law::corotated, 0.3};
  const double stiffer = cage::dent_bias(ball.poisson);
  expect_within_a_tenth(ball, std::pow(stiffer, -2.0 / 3) * sinking_over_hertz(reference_of(ball, stiffer)));
}

}  // namespace hertz_test
}  // namespace pliant
