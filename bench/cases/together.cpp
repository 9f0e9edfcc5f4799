// SPDX-License-Identifier: Apache-2.0
// What bodies cost that meet each other: frames of shipped scenes from their first to their last, and cubes that rest
// on one another. Times are of the processor: a busy machine stretches them less.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant::bench {
namespace {

constexpr double frame_length = 1.0 / 60;  // s

double step_ms(Simulation& simulation) {
  const CpuStopwatch watch;
  if (const auto failure = simulation.step()) throw std::runtime_error(failure->text());
  return watch.ms();
}

double mean(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size());
}

int contacts_of(const Simulation& simulation) {
  int sum = 0;
  for (const Body& body : simulation.bodies()) sum += body.report().contacts;
  return sum;
}

/// Every frame of a shipped scene: bodies fall, hit each other and come to rest.
Row measure_scene(const Context& context, const std::string& name) {
  Result<Scene> scene =
      load_scene(name, {.sets = {}, .threads = context.pool.threads(), .libraries = context.libraries});
  if (!scene) throw std::runtime_error(scene.error().text());
  Row row{.name = name};
  Simulation& simulation = scene->simulation;
  for (const Body& body : simulation.bodies()) row.nodes += body.method().describe().nodes;
  std::vector<double> frames;
  while (int(frames.size()) < scene->spec.frames) {
    double ms = 0;
    for (int k = 0; k < scene->spec.substeps; ++k) ms += step_ms(simulation);
    frames.push_back(ms);
  }
  row.threads = simulation.threads();
  row.ms_min = minimum(frames);
  row.ms_median = median(frames);
  row.more["ms_mean"] = mean(frames);
  row.more["ms_max"] = *std::max_element(frames.begin(), frames.end());
  row.more["real_time_ms"] = 1000 * scene->spec.timestep;
  row.more["over_real_time"] = mean(frames) / (1000 * scene->spec.timestep);
  return row;
}

/// Cubes of 729 nodes and 0.2 m, 1e7 Pa, on one another, each a little askew. Apart: far from each other and without
/// a ground.
Simulation cubes(const Context& context, int count, bool together) {
  std::vector<Body> bodies;
  for (int k = 0; k < count; ++k) {
    const Vec3 shift(0.005 * ((2 * k) % 3 - 1), 0.202 * k + 0.002, 0.005 * ((k + 1) % 3 - 1));
    const Shape shape = make_shape(
        BoxShape{.size = {0.2, 0.2, 0.2}, .nodes = {9, 9, 9}, .corner = Vec3(-0.1, 0, -0.1) + shift});
    Result<std::unique_ptr<Method>> method =
        build_method(shape, 1000, {.mass = 0.5, .stiffness = 0.005}, geometric::Options{.stiffness = 1e7});
    if (!method) throw std::runtime_error(method.error().text());
    bodies.emplace_back(fmt::format("cube-{}", k + 1), shape, std::move(*method), std::vector<Hold>{},
                        Start{}, ContactOptions{.bodies = together});
  }
  std::vector<Collider> ground;
  if (together) ground.push_back(Collider(PlaneCollider{}, {}, 0.5, 0));
  return Simulation(std::move(bodies),
                    {.h = frame_length, .gravity = {0, -9.81, 0}, .threads = context.pool.threads()},
                    std::move(ground));
}

/// A step of cubes that lie on one another over the sum of the steps of the same cubes alone.
Row measure_cubes(const Context& context, const std::string& name, int count) {
  constexpr int settling = 180;
  Simulation rest = cubes(context, count, true), apart = cubes(context, count, false);
  std::vector<double> falling, with, without;
  for (int k = 0; k < settling; ++k) falling.push_back(step_ms(rest)), step_ms(apart);
  double sweeps = 0;
  const Stopwatch whole;
  while (with.size() < 30 || whole.seconds() < context.seconds) {
    with.push_back(step_ms(rest));
    without.push_back(step_ms(apart));
    sweeps += rest.bodies()[0].report().contact_sweeps;
  }
  Row row{.name = name, .nodes = 729 * count, .threads = rest.threads()};
  row.ms_min = minimum(with);
  row.ms_median = median(with);
  row.more["contacts"] = contacts_of(rest);
  row.more["sweeps"] = sweeps / double(with.size());
  row.more["free_ms_median"] = median(without);
  row.more["times_free"] = median(with) / median(without);
  row.more["settling_ms_mean"] = mean(falling);
  row.more["settling_ms_max"] = *std::max_element(falling.begin(), falling.end());
  return row;
}

Case scene_row(const std::string& name, bool large = false) {
  return {name, [=](const Context& c) { return measure_scene(c, name); }, large};
}
Case cubes_row(const std::string& name, int count) {
  return {name, [=](const Context& c) { return measure_cubes(c, name, count); }};
}

}  // namespace

std::vector<Case> together_cases() {
  return {cubes_row("together/cubes-3", 3),  cubes_row("together/cubes-10", 10),
          scene_row("together/chain"),       scene_row("together/dominoes"),
          scene_row("together/ten"),         scene_row("together/hug", true),
          scene_row("together/drape", true), scene_row("together/sack", true),
          scene_row("together/arch", true)};
}

}  // namespace pliant::bench
