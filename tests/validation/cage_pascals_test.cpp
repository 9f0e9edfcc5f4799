// SPDX-License-Identifier: Apache-2.0
// Young's modulus and Poisson's ratio of caged bodies: bars that are pulled, and bars that bend.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace cage_pascals_test {

/// At rest with the handles of the end.
Scene posed(const std::string& text) {
  ParsedScene parsed = parse_scene(text, "bar.json", {});
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(scene) << scene.error().text();
  const PoseResult result = scene->simulation.pose(0, 1, {.tolerance = 1e-6});
  EXPECT_TRUE(result.ok()) << result.trouble;
  return std::move(*scene);
}

struct Line {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  void add(double at, double value) { n += 1, x += at, y += value, xx += at * at, xy += at * value; }
  double slope() const { return (n * xy - x * y) / (n * xx - x * x); }
};

/// Of the middle third of a bar of 1.2 m, `shape` along x, whose ends are held 1 % further apart.
double measured_poisson(const std::string& shape, const std::string& cage, double poisson) {
  const Scene scene = posed(fmt::format(
      R"({{"gravity": [0, 0, 0], "bodies": [{{"name": "bar", "shape": {{{}}}, "method": "cage",
        "cage": {{{}, "poisson": {}, "stiffness": 1e5}}, "handles": [
        {{"select": {{"halfspace": {{"point": [0.06, 0, 0], "normal": [-1, 0, 0]}}}}, "motion": [{{"time": 0}}]}},
        {{"select": {{"halfspace": {{"point": [1.14, 0, 0], "normal": [1, 0, 0]}}}},
          "motion": [{{"time": 0}}, {{"time": 1, "translate": [0.012, 0, 0]}}]}}]}}]}})",
      shape, cage, poisson));
  const Body& body = scene.simulation.bodies()[0];
  const Points &rest = body.rest_surface(), &now = body.surface();
  Line along, across, beside;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (std::abs(rest[i].x() - 0.6) > 0.2) continue;
    along.add(rest[i].x(), now[i].x() - rest[i].x());
    across.add(rest[i].y(), now[i].y() - rest[i].y());
    beside.add(rest[i].z(), now[i].z() - rest[i].z());
  }
  const double got = -(across.slope() + beside.slope()) / (2 * along.slope());
  fmt::print("{}, {}: poisson {} is {:.4f}\n", shape.substr(0, 12), cage, poisson, got);
  return got;
}

const std::string square = R"("box": {"size": [1.2, 0.3, 0.3], "nodes": [25, 7, 7]})",
                  flat = R"("box": {"size": [1.2, 0.15, 0.3], "nodes": [25, 5, 7]})";

TEST(CagePascals, a_pulled_bar_has_the_poisson_ratio_asked_for) {
  for (const double nu : {0.0, 0.3, 0.45}) {
    for (const char* cells : {"[6, 1, 1]", "[6, 2, 2]", "[8, 3, 3]", "[12, 3, 3]"})
      EXPECT_NEAR(measured_poisson(square, std::string("\"cells\": ") + cells, nu), nu, 0.02) << cells;
    EXPECT_NEAR(measured_poisson(flat, "\"cells\": [8, 2, 2]", nu), nu, 0.02);
    EXPECT_NEAR(measured_poisson(square, "\"budget\": 300", nu), nu, 0.02);
    measured_poisson(square, "\"cells\": [6, 2, 2], \"normal_scale\": \"conformal\"", nu);  // for the docs
  }
}

struct Readings {
  double slopes = 0;     ///< of all vertices in the middle 0.3 m
  double width = 0;      ///< of the middle section, from mean to mean of two opposite faces
  double outermost = 0;  ///< the same from the highest vertex to the lowest: two edges of the bar
};

/// Of a bar of 1 x 0.2 x 0.2 m whose end faces are held 2 % further apart.
Readings read_poisson(const std::string& cage, double poisson) {
  const Scene scene = posed(fmt::format(
      R"({{"gravity": [0, 0, 0], "bodies": [{{"name": "bar", "method": "cage",
        "shape": {{"box": {{"size": [1, 0.2, 0.2], "nodes": [31, 7, 7]}}}},
        "cage": {{{}, "poisson": {}, "stiffness": 1e5}}, "handles": [
        {{"select": {{"halfspace": {{"point": [0.001, 0, 0], "normal": [-1, 0, 0]}}}}, "motion": [{{"time": 0}}]}},
        {{"select": {{"halfspace": {{"point": [0.999, 0, 0], "normal": [1, 0, 0]}}}},
          "motion": [{{"time": 0}}, {{"time": 1, "translate": [0.02, 0, 0]}}]}}]}}]}})",
      cage, poisson));
  const Body& body = scene.simulation.bodies()[0];
  const Points &rest = body.rest_surface(), &now = body.surface();
  Line along, across;
  double low = 1, high = -1, width = 0;
  int on_face = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double from_middle = std::abs(rest[i].x() - 0.5), height = rest[i].y() - 0.1;
    if (from_middle > 0.151) continue;
    along.add(rest[i].x(), now[i].x() - rest[i].x());
    across.add(rest[i].y(), now[i].y() - rest[i].y());
    if (from_middle > 0.01) continue;
    low = std::min(low, now[i].y()), high = std::max(high, now[i].y());
    if (std::abs(height) > 0.0999) width += std::copysign(now[i].y(), height), ++on_face;
  }
  width *= 2.0 / on_face;
  const double stretch = along.slope();
  const Readings out{-across.slope() / stretch, (1 - width / 0.2) / stretch,
                     (1 - (high - low) / 0.2) / stretch};
  fmt::print(
      "{}: poisson {} is {:.3f} by slopes, {:.3f} by the width of the middle section, {:.3f} by its "
      "outermost\n",
      cage, poisson, out.slopes, out.width, out.outermost);
  return out;
}

/// The edges of the bar contract less than its faces: there the normals of two faces of the cage meet.
TEST(CagePascals, a_bar_five_times_as_long_as_thick_has_the_ratio_asked_for_but_at_its_edges) {
  for (const double nu : {0.3, 0.45})
    for (const char* cage : {R"("cells": [3, 1, 1])", R"("cells": [5, 1, 1])", R"("cells": [5, 2, 2])",
                             R"("cells": [10, 2, 2])", R"("budget": 120)"}) {
      const Readings got = read_poisson(cage, nu);
      EXPECT_NEAR(got.slopes, nu, 0.022) << cage;
      EXPECT_NEAR(got.width, nu, 0.02) << cage;
      EXPECT_NEAR(got.outermost, nu, 0.07) << cage;
    }
}

}  // namespace cage_pascals_test
}  // namespace pliant
