// SPDX-License-Identifier: Apache-2.0
// Thin and slender bodies of edge rows at 60 steps a second bend as fast as with many short steps: by a factor of their
// Hessian where they are narrow, by as many conjugate gradients as it takes where they are wide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/scene/parse.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace thin_sheets_test {

/// Time between the first two upward crossings of the middle between the extremes; one value a step of h.
double period(const std::vector<double>& values, double h) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double middle = (*low + *high) / 2;
  double first = -1;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double a = values[k - 1] - middle, b = values[k] - middle;
    if (!(a < 0 && b >= 0)) continue;
    const double at = h * (double(k - 1) + a / (a - b));
    if (first >= 0) return at - first;
    first = at;
  }
  ADD_FAILURE() << "no two crossings in " << h * double(values.size()) << " s";
  return 0;
}

/// What a clamped body does at so many steps a second: where its free end is, and how its steps were solved.
struct Swing {
  double period = 0;
  int factored = 0, steps = 0, most_iterations = 0;
};

/// Nodes of the lowest two layers in z are held, gravity pulls down from rest.
Swing swing(const Shape& shape, double density, const Damping& damping, const geometric::Options& options,
            double held_length, double seconds, double h) {
  auto body = geometric::build(shape, density, damping, options);
  EXPECT_TRUE(body) << body.error().text();
  const Points rest = (*body)->nodes().x;
  double low = rest[0].z();
  std::size_t tip = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    low = std::min(low, rest[i].z());
    if (rest[i].z() > rest[tip].z()) tip = i;
  }
  std::vector<Index> held;
  Points targets;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].z() <= low + held_length) held.push_back(Index(i)), targets.push_back(rest[i]);
  Pool pool(2);
  StepInput in;
  in.h = h;
  in.gravity = {0, -9.81, 0};
  in.held = held;
  in.targets = targets;
  in.pool = &pool;
  std::vector<double> height;
  Swing out;
  for (; out.steps < int(seconds / h); ++out.steps) {
    const StepReport report = (*body)->advance(in);
    EXPECT_TRUE(report.ok()) << report.trouble;
    out.factored += report.factored_hessian;
    out.most_iterations = std::max(out.most_iterations, report.iterations);
    height.push_back((*body)->nodes().x[tip].y());
  }
  out.period = period(height, h);
  return out;
}

double plant_period(int frequency) {
  LoadOptions options;
  options.libraries = {source_folder() + "/scenes"};
  options.sets = {fmt::format("timestep={:.17g}", 1.0 / frequency)};
  Result<Scene> scene = load_scene("geometric/plant", options);
  EXPECT_TRUE(scene) << scene.error().text();
  const NodeState& nodes = scene->simulation.bodies()[0].method().nodes();
  std::vector<Index> top;
  for (std::size_t i = 0; i < nodes.x.size(); ++i)
    if (nodes.x[i].y() > 0.99) top.push_back(Index(i));
  EXPECT_FALSE(top.empty());
  std::vector<double> sway;
  for (int step = 1; step <= 19 * frequency / 8; ++step) {
    const auto failure = scene->simulation.step();
    EXPECT_FALSE(failure) << failure->text();
    double x = 0;
    for (Index i : top) x += nodes.x[i].x() / double(top.size());
    if (2 * step >= frequency) sway.push_back(x);
  }
  return period(sway, 1.0 / frequency);
}

TEST(ThinSheets, the_plant_sways_at_60_steps_a_second_as_it_does_at_480) {
  const double coarse = plant_period(60), fine = plant_period(480);
  RecordProperty("period", fmt::format("{:.4f} s, {:.4f} s", coarse, fine));
  EXPECT_NEAR(coarse / fine, 1, 0.02);
}

TEST(ThinSheets, a_wide_sheet_swings_with_its_period_by_many_conjugate_gradients) {
  const Shape shape = on_surface(
      make_shape(SheetShape{.size = {0.45, 0.45}, .nodes = {46, 46}, .thickness = 0.0005}), 0.0005);
  geometric::Options options;
  options.op = geometric::Operator::edge;
  options.stiffness = 1.5e7;
  const auto at = [&](int frequency) {
    return swing(shape, 500, {.mass = 0.1, .stiffness = 0}, options, 0.0101, 1.5, 1.0 / frequency);
  };
  const Swing coarse = at(60), fine = at(240);
  RecordProperty("period", fmt::format("{:.4f} s, {:.4f} s", coarse.period, fine.period));
  EXPECT_NEAR(coarse.period / fine.period, 1, 0.03);
  EXPECT_EQ(coarse.factored, 0);
  EXPECT_GT(coarse.most_iterations, 20) << coarse.period << " " << fine.period;
}

TEST(ThinSheets, a_slender_beam_swings_with_the_period_of_beam_theory_by_a_factor) {
  constexpr double side = 0.02, length = 2.6, density = 1000;
  const Shape shape = make_shape(BoxShape{.size = {side, side, length}, .nodes = {3, 3, 91}});
  geometric::Options options;
  options.stiffness = 1e10;
  const auto at = [&](int frequency) {
    return swing(shape, density, {.mass = 0, .stiffness = 0}, options, 1e-6, 2, 1.0 / frequency);
  };
  const Swing coarse = at(60), fine = at(480);
  RecordProperty("period", fmt::format("{:.4f} s, {:.4f} s", coarse.period, fine.period));
  EXPECT_NEAR(coarse.period / fine.period, 1, 0.02);
  // Of Euler and Bernoulli, with (beta L) = 1.8751 for the first mode of a cantilever. Two cells through the thickness are
  // too stiff by 3/(4 N^2) (docs/methods/geometric.md).
  const double rigidity = options.stiffness * std::pow(side, 4) / 12 * (1 + 3.0 / 16);
  const double theory = 2 * M_PI * std::pow(length / 1.8751, 2) * std::sqrt(density * side * side / rigidity);
  EXPECT_NEAR(fine.period / theory, 1, 0.02) << "theory " << theory << " s";
  EXPECT_EQ(coarse.factored, coarse.steps);
}

/// The most and the last of what a body without gravity has of its first energy.
struct Course {
  double most = 0, last = 0;
  int violent = 0;
  Points x;
};
Course course(const std::string& scene, const std::vector<std::string>& sets, int steps) {
  ParsedScene parsed = parse_scene(scene, "thin.json", sets);
  Result<Scene> built = build_scene(parsed);
  EXPECT_TRUE(built) << built.error().text();
  Simulation& simulation = built->simulation;
  const Method& body = simulation.bodies()[0].method();
  const auto energy = [&] { return kinetic_energy(body.nodes()) + body.elastic_energy(); };
  const double start = energy();
  Course out;
  for (int k = 0; k < steps; ++k) {
    EXPECT_FALSE(simulation.step());
    out.last = energy() / start;
    out.most = std::max(out.most, out.last);
    out.violent += simulation.bodies()[0].report().violent;
  }
  out.x = body.nodes().x;
  return out;
}

const char* const thrown_plant = R"({"gravity": [0, 0, 0], "bodies": [{"name": "plant",
  "shape": {"plant": {"seed": 1}}, "geometric": {"operator": "edge", "stiffness": 2e8}, "density": 800,
  "damping": {"mass": 0, "stiffness": 0.001}, "initial": {"velocity": [2, 0, 0.5]},
  "pins": [{"select": {"halfspace": {"point": [0, 0.02, 0], "normal": [0, -1, 0]}}}]}]})";

TEST(ThinSheets, a_thrown_plant_gains_no_energy_whatever_solves_it) {
  for (const char* set :
       {"bodies.plant.geometric.tolerance=0.1", "bodies.plant.geometric.linear_solver=multigrid",
        "bodies.plant.geometric.adaptive.threshold=0.05"}) {
    const Course plant = course(thrown_plant, {set}, 90);
    fmt::print("plant, {}: at most {:.3f} of its energy, {:.3f} at last, {} violent\n", set, plant.most,
               plant.last, plant.violent);
    EXPECT_LT(plant.most, 1.01) << set;
    EXPECT_LE(plant.violent, 5) << set;
  }
}

TEST(ThinSheets, adaptive_rotations_that_are_all_active_change_no_bit_of_a_slender_body) {
  const Course full = course(thrown_plant, {}, 20);
  const Course all = course(thrown_plant, {"bodies.plant.geometric.adaptive.threshold=0"}, 20);
  EXPECT_EQ(full.x, all.x);
}

TEST(ThinSheets, a_thrown_sheet_of_ten_thousand_nodes_gains_no_energy) {
  const Course sheet = course(R"({"gravity": [0, 0, 0], "bodies": [{"name": "sheet", "shape": {"sheet": {
    "size": [1, 1], "nodes": [101, 101], "thickness": 0.002}}, "geometric": {"operator": "edge", "stiffness": 1e8},
    "density": 1000, "damping": {"mass": 0, "stiffness": 0}, "initial": {"velocity": [0, 3, 0]},
    "pins": [{"select": {"halfspace": {"point": [0, 0, -0.485], "normal": [0, 0, -1]}}}]}]})",
                              {}, 40);
  fmt::print("sheet: at most {:.3f} of its energy, {} violent\n", sheet.most, sheet.violent);
  EXPECT_LT(sheet.most, 1.2);
  EXPECT_LE(sheet.violent, 4);
}

}  // namespace thin_sheets_test
}  // namespace pliant
