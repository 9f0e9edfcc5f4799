// SPDX-License-Identifier: Apache-2.0
// Boxes of lattice nodes by the metric method with a strength in J: spacing 1 m, about 1 kg a node, steps
// of 0.01 s, held at the bottom, under a load that swings sideways. soft: lengths of 2 kJ;
// stiff: ten thousand times, where a Jacobi preconditioner needs more iterations the larger the box is;
// accurate, bdf2: so by that integrator.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/metric/build.hpp"

namespace pliant::bench {
namespace {

constexpr double metric_h = 0.01;  // s
constexpr int metric_warm_up = 10, metric_steps = 20;

// What a step must move, in bytes a node. An application of the matrix: 16 weights of 4 bytes, each used at
// both its ends, with what the caches do not keep in between and its vectors 100; it is made once an
// iteration and for the first residual, and forces with weights are another such pass. The other vectors of
// an iteration: r -= alpha q with its norm reads and writes 3 and a scale, x and the next direction 5 and a
// scale. The state: positions and velocities in and out.
constexpr std::size_t pass_bytes = 100, vector_bytes = 8 * 12 + 2 * 4, state_bytes = 4 * 24;

std::size_t least_bytes(int iterations) {
  return (std::size_t(iterations) + 2) * pass_bytes + std::size_t(iterations) * vector_bytes + state_bytes;
}

struct Box {
  std::string name;
  int nodes = 20;  ///< along every axis
  double strength = 1000;
  metric::Preconditioning preconditioner = metric::Preconditioning::automatic;
  metric::Integrator integrator = metric::Integrator::stable;
};

Shape shape_of(const Box& box) {
  BoxShape shape;
  shape.nodes = {box.nodes, box.nodes, box.nodes};
  shape.size = Vec3::Constant(box.nodes - 1);
  return make_shape(shape);
}

Row measure_metric(const Context& context, const Box& box) {
  reset_peak_memory();
  const Shape shape = shape_of(box);
  metric::Options options;
  options.strength = box.strength;
  options.area = 1;  // rows stay comparable with those of earlier versions
  options.volume = 2;
  options.iterations = 1000;
  options.preconditioner = box.preconditioner;
  options.integrator = box.integrator;
  const Stopwatch setup;
  Result<std::unique_ptr<Method>> method = metric::build(shape, 1, {.mass = 0, .stiffness = 0}, options);
  if (!method) throw std::runtime_error(method.error().text());
  const double setup_ms = setup.ms();
  std::vector<Index> held;
  Points targets;
  for (std::size_t i = 0; i < shape.graph.positions.size(); ++i)
    if (shape.graph.positions[i].y() < 0.5)
      held.push_back(Index(i)), targets.push_back(shape.graph.positions[i]);
  StepInput input;
  input.h = metric_h;
  input.held = held;
  input.targets = targets;
  input.pool = &context.pool;
  int count = 0;
  StepReport report;
  const auto step = [&] {
    input.gravity = {20 * std::sin(0.05 * ++count), -9.81, 0};
    report = (*method)->advance(input);
    if (!report.ok()) throw std::runtime_error(fmt::format("{}: {}", box.name, report.trouble));
  };
  for (int i = 0; i < metric_warm_up; ++i) step();
  BandwidthMeter meter(context.pool);
  double bandwidth = meter.measure(report.bytes.working_set), iterations = 0;
  std::vector<double> samples;
  StepReport fastest;
  double best = 0;
  int most = 0;
  const Stopwatch whole;
  while (int(samples.size()) < metric_steps || whole.seconds() < context.seconds) {
    const Stopwatch watch;
    step();
    samples.push_back(watch.ms());
    iterations += report.iterations;
    most = std::max(most, report.iterations);
    if (samples.size() == 1 || samples.back() < best) best = samples.back(), fastest = report;
  }
  bandwidth = std::max(bandwidth, meter.measure(report.bytes.working_set));
  const std::size_t nodes = shape.graph.positions.size();
  Row row{.name = box.name, .nodes = Index(nodes), .threads = context.pool.threads()};
  row.ms_min = best;
  row.ms_median = median(samples);
  row.stages = {fastest.ms.rotation, fastest.ms.rhs, fastest.ms.solve, 0};
  // of the others what the step moves, by its own count
  const bool cycles = box.name.find("soft") == std::string::npos;
  row.limit = Limit{cycles ? fastest.bytes.moved : least_bytes(fastest.iterations) * nodes,
                    fastest.bytes.working_set, bandwidth};
  row.iterations = iterations / double(samples.size());
  row.setup_ms = setup_ms;
  row.peak_bytes = peak_memory();
  row.more["ns_per_node"] = 1e6 * best / double(nodes);
  row.more["moved_bytes"] = fastest.bytes.moved;
  row.more["fastest_iterations"] = fastest.iterations;
  row.more["most_iterations"] = most;
  row.more["frames"] = samples.size();
  row.more["solver"] = (*method)->describe().solver;
  return row;
}

}  // namespace

std::vector<Case> metric_cases() {
  using metric::Integrator, metric::Preconditioning;
  std::vector<Case> out;
  const auto add = [&](const std::string& kind, double strength, Preconditioning preconditioner,
                       Integrator integrator) {
    for (const int nodes : {20, 40, 64}) {
      if (nodes == 64 && kind == "accurate-jacobi") continue;  // seconds a step
      const Box box{fmt::format("metric/{}-{}", kind, nodes), nodes, strength, preconditioner, integrator};
      out.push_back({box.name, [=](const Context& context) { return measure_metric(context, box); }});
    }
  };
  add("soft", 1e3, Preconditioning::automatic, Integrator::stable);
  add("stiff", 1e7, Preconditioning::multigrid, Integrator::stable);
  add("stiff-jacobi", 1e7, Preconditioning::jacobi, Integrator::stable);
  add("accurate", 1e7, Preconditioning::multigrid, Integrator::accurate);
  add("bdf2", 1e7, Preconditioning::multigrid, Integrator::bdf2);
  add("accurate-jacobi", 1e7, Preconditioning::jacobi, Integrator::accurate);
  return out;
}

}  // namespace pliant::bench
