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
    for (const std::string& cells : {"[6, 1, 1]", "[6, 2, 2]", "[8, 3, 3]", "[12, 3, 3]"})
      EXPECT_NEAR(measured_poisson(square, "\"cells\": " + cells, nu), nu, 0.02) << cells;
    EXPECT_NEAR(measured_poisson(flat, "\"cells\": [8, 2, 2]", nu), nu, 0.02);
    EXPECT_NEAR(measured_poisson(square, "\"budget\": 300", nu), nu, 0.02);
    measured_poisson(square, "\"cells\": [6, 2, 2], \"normal_scale\": \"conformal\"", nu);  // for the docs
  }
}

struct Readings {
  double slopes = 0;   ///< of all vertices in the middle 0.3 m
  double section = 0;  ///< outermost vertices of the middle section
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
  double low = 1, high = -1;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double from_middle = std::abs(rest[i].x() - 0.5);
    if (from_middle > 0.151) continue;
    along.add(rest[i].x(), now[i].x() - rest[i].x());
    across.add(rest[i].y(), now[i].y() - rest[i].y());
    if (from_middle < 0.02) low = std::min(low, now[i].y()), high = std::max(high, now[i].y());
  }
  const Readings out{-across.slope() / along.slope(), (1 - (high - low) / 0.2) / along.slope()};
  fmt::print("{}: poisson {} is {:.3f} by slopes, {:.3f} by the outermost of the middle section\n", cage,
             poisson, out.slopes, out.section);
  return out;
}

}  // namespace cage_pascals_test
}  // namespace pliant
