// SPDX-License-Identifier: Apache-2.0
// A bar that is held at one end and bends a little under its weight, against beam theory.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {

struct Cantilever {
  std::string method, settings;  ///< settings: of the method, after stiffness and poisson, ", ..."
  double poisson = 0;
  Vec3 size{2, 0.2, 0.2};  ///< m: length, thickness, width
  std::array<int, 3> nodes{41, 5, 5};
  double tolerance = 1e-6;  ///< of the pose
};

/// Its stiffness over that of a beam with shear (Timoshenko's, with Cowper's coefficient of a rectangle).
inline double stiffness_over_beam(const Cantilever& bar) {
  const double young = 1e6, weight = 100;  // Pa, N/m^3
  const ParsedScene parsed = parse_scene(
      fmt::format(R"({{"gravity": [0, -0.1, 0], "bodies": [{{"name": "bar", "method": "{0}", "density": 1000,
        "{0}": {{"stiffness": {1}, "poisson": {2}{3}}},
        "shape": {{"box": {{"size": [{4}, {5}, {6}], "nodes": [{7}, {8}, {9}]}}}},
        "pins": [{{"select": {{"halfspace": {{"point": [1e-4, 0, 0], "normal": [-1, 0, 0]}}}}}}]}}]}})",
                  bar.method, young, bar.poisson, bar.settings, bar.size[0], bar.size[1], bar.size[2],
                  bar.nodes[0], bar.nodes[1], bar.nodes[2]),
      "bar.json", {});
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(scene) << scene.error().text();
  const PoseResult result = scene->simulation.pose(0, 0, {.tolerance = bar.tolerance});
  EXPECT_TRUE(result.ok()) << result.trouble;
  const Body& body = scene->simulation.bodies()[0];
  const double length = bar.size[0], thickness = bar.size[1], nu = bar.poisson;
  double sunk = 0;
  int count = 0;
  for (std::size_t i = 0; i < body.rest_surface().size(); ++i)
    if (body.rest_surface()[i].x() > length - 1e-9)
      sunk += body.rest_surface()[i].y() - body.surface()[i].y(), ++count;
  const double shear = young / (2 * (1 + nu)), area = 10 * (1 + nu) / (12 + 11 * nu);
  const double theory = weight * std::pow(length, 4) * 12 / (8 * young * thickness * thickness) +
                        weight * length * length / (2 * area * shear);
  return theory / (sunk / count);
}

}  // namespace pliant
