// SPDX-License-Identifier: Apache-2.0
// Whole frames: one time step of a body and its surface.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "bench/cases/solid.hpp"
#include "bench/harness/arithmetic.hpp"
#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant::bench {
namespace {

/// How often things are repeated.
struct Effort {
  int setups = 3;  // the fastest counts: a set-up cannot be repeated as often as a step
  int warm_up = 10;
  int frames_at_least = 30;
};
constexpr Effort less{.setups = 1, .warm_up = 2, .frames_at_least = 5};  // for what takes minutes

/// Gather of the surface: a place in and out and a row's begin for every vertex, weight and column for every
/// weight. A vertex of a box is one node, one of a fine surface leans on dozens.
std::size_t embed_bytes(std::size_t vertices, std::size_t weights) {
  return vertices * (2 * sizeof(Vec3) + sizeof(Index)) +
         std::max(vertices, weights) * (sizeof(double) + sizeof(Index));
}

/// One frame, measured.
struct Frame {
  double ms = 0, cpu_ms = 0;
  Stages stages;
  StepTraffic bytes;
  int iterations = 0;
  bool violent = false, refactored = false;
};

const Body& only_body(const Simulation& simulation) { return simulation.bodies().front(); }

Frame measure_frame(const std::string& name, Simulation& simulation) {
  const CpuStopwatch cpu;
  const Stopwatch step;
  const std::optional<StepFailure> failure = simulation.step();
  const double step_ms = step.ms();
  if (failure) throw std::runtime_error(fmt::format("{}: {}", name, failure->text()));
  const Body& body = only_body(simulation);
  const Stopwatch embed;
  const std::size_t vertices = body.surface().size();
  const double embed_ms = embed.ms();
  const double cpu_ms = cpu.ms();

  const StepReport& report = body.report();
  Frame frame;
  frame.ms = step_ms + embed_ms;
  frame.cpu_ms = cpu_ms;
  frame.stages = {report.ms.rotation, report.ms.rhs, report.ms.solve, embed_ms};
  const std::size_t embedded = embed_bytes(vertices, body.method().describe().weights);
  frame.bytes = {report.bytes.moved + embedded, report.bytes.working_set + embedded,
                 report.bytes.multiply_adds};
  frame.iterations = report.iterations;
  frame.violent = report.violent;
  frame.refactored = report.refactored;
  return frame;
}

std::vector<double> each(const std::vector<Frame>& frames, const std::function<double(const Frame&)>& get) {
  std::vector<double> values;
  for (const Frame& frame : frames) values.push_back(get(frame));
  return values;
}

Stages median_stages(const std::vector<Frame>& frames) {
  return {median(each(frames, [](const Frame& f) { return f.stages.rotation; })),
          median(each(frames, [](const Frame& f) { return f.stages.rhs; })),
          median(each(frames, [](const Frame& f) { return f.stages.solve; })),
          median(each(frames, [](const Frame& f) { return f.stages.embed; }))};
}

template <class Test>
int count(const std::vector<Frame>& frames, Test&& test) {
  return int(std::count_if(frames.begin(), frames.end(), test));
}

/// Sweeps and solves read, a factor between them computes: in double precision, at half the rate.
Limit limit_of(const StepTraffic& traffic, double bandwidth, Pool& pool) {
  Limit limit{traffic.moved, traffic.working_set, bandwidth};
  if (traffic.multiply_adds > 0) {
    limit.operations = 4 * traffic.multiply_adds;
    limit.arithmetic = arithmetic_rate(pool);
    limit.in_turn = true;
  }
  return limit;
}

void set_frames(const std::vector<Frame>& frames, double bandwidth, Pool& pool, Row& row) {
  const Frame& fastest = *std::min_element(frames.begin(), frames.end(),
                                           [](const Frame& a, const Frame& b) { return a.ms < b.ms; });
  double iterations = 0;
  for (const Frame& frame : frames) iterations += frame.iterations;
  row.ms_min = fastest.ms;
  row.ms_median = median(each(frames, [](const Frame& f) { return f.ms; }));
  row.stages = fastest.stages;
  row.stages_median = median_stages(frames);
  row.limit = limit_of(fastest.bytes, bandwidth, pool);
  row.iterations = iterations / double(frames.size());
  const std::vector<double> cpu_ms = each(frames, [](const Frame& f) { return f.cpu_ms; });
  row.more["cpu_ms_min"] = minimum(cpu_ms);
  row.more["cpu_ms_median"] = median(cpu_ms);
  row.more["frames"] = frames.size();
  row.more["violent"] = count(frames, [](const Frame& f) { return f.violent; });
  row.more["refactored"] = count(frames, [](const Frame& f) { return f.refactored; });
  row.more["fastest_iterations"] = fastest.iterations;
}

using MakeSimulation = std::function<Simulation()>;

/// Set-up is everything make does and the first step, which factors.
Row measure(const Context& context, const std::string& name, const MakeSimulation& make,
            const Effort& effort = {}) {
  reset_peak_memory();
  std::vector<double> setup_ms;
  std::optional<Simulation> simulation;
  for (int i = 0; i < effort.setups; ++i) {
    simulation.reset();
    const Stopwatch setup;
    simulation.emplace(make());
    measure_frame(name, *simulation);
    setup_ms.push_back(setup.ms());
  }
  for (int i = 0; i < effort.warm_up; ++i) measure_frame(name, *simulation);
  const std::size_t working_set = measure_frame(name, *simulation).bytes.working_set;

  // The machine may be busier before than after: the better of both is the limit.
  BandwidthMeter meter(context.pool);
  double bandwidth = meter.measure(working_set);
  for (int i = 0; i < effort.warm_up; ++i) measure_frame(name, *simulation);
  std::vector<Frame> frames;
  const Stopwatch whole;
  while (int(frames.size()) < effort.frames_at_least || whole.seconds() < context.seconds)
    frames.push_back(measure_frame(name, *simulation));
  bandwidth = std::max(bandwidth, meter.measure(working_set));

  const MethodDescription description = only_body(*simulation).method().describe();
  Row row{.name = name, .nodes = description.nodes, .threads = simulation->threads()};
  set_frames(frames, bandwidth, context.pool, row);
  row.setup_ms = minimum(setup_ms);
  row.peak_bytes = peak_memory();
  row.more["solver"] = description.solver;
  return row;
}

using Sets = std::vector<std::string>;

Simulation scene_simulation(const Context& context, const std::string& name, const Sets& sets) {
  Result<Scene> scene =
      load_scene(name, {.sets = sets, .threads = context.pool.threads(), .libraries = context.libraries});
  if (!scene) throw std::runtime_error(scene.error().text());
  return std::move(scene->simulation);
}

// 0.1 m to and fro along x once a second, for as long as any bench runs.
Motion patch_motion() {
  Motion motion;
  for (int half = 0; half < 20000; ++half)
    motion.keys.push_back({.time = 0.5 * half,
                           .translate = Vec3(half == 0  ? 0
                                             : half % 2 ? 0.1
                                                        : -0.1,
                                             0, 0),
                           .rotate = {}});
  return motion;
}

Simulation solid_simulation(const Context& context, const Solid& solid) {
  Result<std::unique_ptr<Method>> method = build_method(solid.shape, density, {.mass = 0, .stiffness = 0},
                                                        geometric::Options{.stiffness = stiffness});
  if (!method) throw std::runtime_error(method.error().text());
  std::vector<Index> bottom;
  std::set_difference(solid.held.begin(), solid.held.end(), solid.patch.begin(), solid.patch.end(),
                      std::back_inserter(bottom));
  const Points& rest = solid.shape.graph.positions;
  std::vector<Hold> holds{{.nodes = bottom, .motion = {}}, {.nodes = solid.patch, .motion = patch_motion()}};
  std::vector<Body> bodies;
  bodies.emplace_back("solid", solid.shape, std::move(*method), std::move(holds),
                      Start{rest, Points(rest.size(), Vec3::Zero())});
  return Simulation(std::move(bodies),
                    {.h = time_step, .gravity = {0, -9.81, 0}, .threads = context.pool.threads()});
}

Case scene_case(const std::string& name, const std::string& scene, const Sets& sets) {
  return {name, [=](const Context& context) {
            return measure(context, name, [&] { return scene_simulation(context, scene, sets); });
          }};
}
Case scene_case(const std::string& name) { return scene_case(name, name, {}); }

/// The stiff bar by finite elements: the geometric method's material has Poisson's ratio 0.
Case fem_case() {
  return scene_case("fem/bar-stiff", "geometric/bar-stiff",
                    {"bodies.bar.method=fem", "bodies.bar.fem.stiffness=5e6", "bodies.bar.fem.poisson=0"});
}

Case solid_case(const std::string& name, const Nodes& nodes) {
  return {name, [=](const Context& context) {
            const Solid solid = make_solid(nodes);
            return measure(context, name, [&] { return solid_simulation(context, solid); });
          }};
}

Case large_solid_case(const std::string& name, const Nodes& nodes) {
  return {name,
          [=](const Context& context) {
            const Solid solid = make_solid(nodes);
            return measure(
                context, name, [&] { return solid_simulation(context, solid); }, less);
          },
          true};
}

/// The stiff bar, kept at its volume, and flowing: it sags so far that its upper edges yield all the time.
Case volume_case() {
  return scene_case("geometric/volume-bar", "geometric/bar-stiff", {"bodies.bar.geometric.volume=4"});
}
Case plastic_case() {
  return scene_case(
      "geometric/plastic-bar", "geometric/bar-stiff",
      {"bodies.bar.geometric.plasticity.yield=0.02", "bodies.bar.geometric.plasticity.creep=1"});
}

/// The bar with 26 neighbours a node, and with the Laplacian rows of the paper; alone these leave rotations
/// open, and the bar comes apart.
Case dense_bar_case() {
  return scene_case("geometric/bar-26", "geometric/bar", {"bodies.bar.shape.box.neighbourhood=all_pairs"});
}
Case laplacian_bar_case() {
  return scene_case("geometric/bar-laplacian", "geometric/bar", {"bodies.bar.geometric.laplacian=10"});
}

/// A body that is no lattice, held by its paws, under its weight.
Case graph_case() {
  return scene_case("geometric/graph-14k", "geometric/poses-creature",
                    {"bodies.creature.initial.velocity=[0,0,0]"});
}

/// A steel strip, which factors H, and a square metre of rubber, which does not: as sheets, and as the paper's
/// shells of edges, which bend too stiffly.
const std::vector<std::string> as_rubber{
    "bodies.strip.shape.sheet.size=[1,1]", "bodies.strip.shape.sheet.nodes=[41,41]",
    "bodies.strip.geometric.stiffness=1e6", "bodies.strip.density=1000", "gravity=[0,-9.81,0]"};
std::vector<std::string> by_edges(std::vector<std::string> sets) {
  sets.push_back("bodies.strip.geometric.preset=none");
  sets.push_back("bodies.strip.geometric.operator=edge");
  return sets;
}

}  // namespace

std::vector<Case> step_cases() {
  return {scene_case("geometric/bar"),
          dense_bar_case(),
          laplacian_bar_case(),
          graph_case(),
          scene_case("geometric/bar-stiff"),
          volume_case(),
          plastic_case(),
          scene_case("geometric/plastic"),
          scene_case("geometric/shell"),
          scene_case("geometric/surface-solid"),
          scene_case("geometric/plant"),
          scene_case("geometric/plate"),
          scene_case("geometric/plate-of-edges", "geometric/plate", by_edges({})),
          scene_case("geometric/rubber-sheet", "geometric/plate", as_rubber),
          scene_case("geometric/rubber-sheet-of-edges", "geometric/plate", by_edges(as_rubber)),
          scene_case("geometric/cloth"),
          solid_case("geometric/solid-14k", solid_14k_nodes),
          solid_case("geometric/solid-20k", solid_20k_nodes),
          solid_case("geometric/solid-100k", solid_100k_nodes),
          large_solid_case("geometric/solid-1m", solid_1m_nodes),
          fem_case()};
}

}  // namespace pliant::bench
