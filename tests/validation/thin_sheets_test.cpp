// SPDX-License-Identifier: Apache-2.0
// Thin and slender bodies at 60 steps a second bend as fast as with many short steps: by a factor of their
// Hessian where they are narrow, by as many conjugate gradients as it takes where they are wide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/scene/library.hpp"

namespace pliant {
namespace {

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
  options.libraries = {PLIANT_SOURCE_DIR "/scenes"};
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
  options.preset = geometric::Preset::shell;
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

TEST(ThinSheets, a_slender_beam_swings_with_its_period_by_a_factor) {
  const Shape shape = make_shape(BoxShape{.size = {0.02, 0.02, 2.6}, .nodes = {3, 3, 61}});
  geometric::Options options;
  options.stiffness = 1e9;
  const auto at = [&](int frequency) {
    return swing(shape, 1000, {.mass = 0, .stiffness = 0}, options, 1e-6, 2, 1.0 / frequency);
  };
  const Swing coarse = at(60), fine = at(480);
  RecordProperty("period", fmt::format("{:.4f} s, {:.4f} s", coarse.period, fine.period));
  EXPECT_NEAR(coarse.period / fine.period, 1, 0.02);
  EXPECT_EQ(coarse.factored, coarse.steps);
}

}  // namespace
}  // namespace pliant
