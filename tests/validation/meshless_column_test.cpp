// SPDX-License-Identifier: Apache-2.0
// The static solve of a meshless column under its own weight, near and beyond the load at which it buckles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace meshless_column_test {

/// How far the top goes aside, m. The column is 1 m high and 0.1 m thick; a 2000th of its weight pulls aside.
/// It buckles at q L^3/(E I) = 7.837, q the weight per length; load: the share of that.
double aside(double load, const std::string& options) {
  const double young = 9810 / (load * 7.8373 * 0.01 / 12);
  const std::string text = fmt::format(
      R"({{"gravity": [0.004905, -9.81, 0], "bodies": [{{"name": "column",
        "shape": {{"box": {{"size": [0.1, 1, 0.1], "nodes": [5, 41, 5], "corner": [-0.05, 0, -0.05]}}}},
        "method": "meshless", "meshless": {{"stiffness": {}, "poisson": 0{}}}, "density": 1000,
        "pins": [{{"select": {{"halfspace": {{"point": [0, 0.001, 0], "normal": [0, -1, 0]}}}}}}]}}]}})",
      young, options);
  ParsedScene parsed = parse_scene(text, "column.json", {});
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(scene) << scene.error().text();
  const PoseResult result = scene->simulation.pose(0, 0, {.tolerance = 1e-7});
  EXPECT_TRUE(result.ok()) << result.trouble;
  const Body& body = scene->simulation.bodies()[0];
  const Points& surface = body.surface();
  double sum = 0;
  int count = 0;
  const Points& rest = body.rest_surface();
  for (std::size_t i = 0; i < surface.size(); ++i)
    if (rest[i].y() > 0.999) sum += surface[i].x() - rest[i].x(), ++count;
  fmt::print("{} of the load: {:.4f} mm after {} solves\n", load, 1000 * sum / count, result.iterations);
  return sum / count;
}

TEST(MeshlessColumn, bends_as_far_as_theory_says_near_its_buckling_load) {
  // A beam with shear whose weight bends it further as it leans: 2.049 mm (1.973 mm without shear).
  EXPECT_NEAR(aside(0.8, "") / 2.049e-3, 1, 0.03);
  EXPECT_NEAR(aside(0.5, "") / 0.4993e-3, 1, 0.03);
}

TEST(MeshlessColumn, does_not_depend_on_what_holds_given_rotations) {
  EXPECT_NEAR(aside(0.8, R"(, "kappa": 1)") / aside(0.8, R"(, "kappa": 0)"), 1, 0.01);
}

TEST(MeshlessColumn, buckles_under_a_greater_load) { EXPECT_GT(aside(1.15, ""), 0.2); }

}  // namespace meshless_column_test
}  // namespace pliant
