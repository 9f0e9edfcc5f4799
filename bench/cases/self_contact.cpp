// SPDX-License-Identifier: Apache-2.0
// What it costs that a body may meet itself: a stiff one that never does, beside the same body that may not, and a mat
// twisted by its ends, in folds all over. Times are of the processor: a busy machine stretches them less.
#include <stdexcept>

#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant::bench {
namespace {

Body make_body(const Shape& shape, const geometric::Options& options, const ContactOptions& contact,
               std::vector<Hold> holds = {}) {
  Result<std::unique_ptr<Method>> method = build_method(shape, 1000, {.mass = 0, .stiffness = 0}, options);
  if (!method) throw std::runtime_error(method.error().text());
  Body body("body", shape, std::move(*method), std::move(holds), {}, contact);
  return body;
}

Simulation body_alone(Body body, const SimulationOptions& options) {
  std::vector<Body> bodies;
  bodies.push_back(std::move(body));
  return Simulation(std::move(bodies), options);
}

double one_step_ms(Simulation& simulation) {
  const CpuStopwatch watch;
  if (const auto failure = simulation.step()) throw std::runtime_error(failure->text());
  return watch.ms();
}

/// A ring that turns over in the air; steps with and without the test alternate, so that both see the same machine.
Row measure_stiff(const Context& context) {
  const Shape shape = make_shape(TorusShape{.ring_radius = 0.1, .tube_radius = 0.03, .nodes = {7, 48}});
  const auto make = [&](bool self) {
    return body_alone(make_body(shape, {.stiffness = 1e7}, {.bodies = true, .self = self}),
                      {.h = 1.0 / 60, .gravity = {0, -9.81, 0}, .threads = context.pool.threads()});
  };
  Simulation meets = make(true), passes = make(false);
  std::vector<double> with, without;
  for (int k = 0; k < 10; ++k) one_step_ms(meets), one_step_ms(passes);
  const Stopwatch whole;
  while (with.size() < 100 || whole.seconds() < context.seconds) {
    with.push_back(one_step_ms(meets));
    without.push_back(one_step_ms(passes));
  }
  Row row{.name = "self/stiff-ring", .nodes = Index(shape.graph.positions.size())};
  row.ms_min = minimum(with);
  row.ms_median = median(with);
  row.more["vertices"] = shape.surface.vertices.size();
  row.more["without_ms_median"] = median(without);
  row.more["share"] = median(with) / median(without) - 1;
  return row;
}

/// Ends of a mat of 1 m, E = 2e4 Pa, turned by 72 degrees a second each, at h = 0.04 s [Li20: 14_matTwist].
Row measure_mat(const Context& context, const std::string& name, int nodes, double turns) {
  const Shape shape =
      on_surface(make_shape(SheetShape{.size = {1, 1}, .nodes = {nodes, nodes}, .thickness = 0.01}), 0.01);
  std::vector<Hold> holds(2);
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
    if (const double x = shape.graph.positions[std::size_t(i)].x(); std::abs(x) > 0.499)
      holds[x > 0].nodes.push_back(i);
  const double seconds = 180 * turns / 72;
  for (const int side : {0, 1}) {
    holds[std::size_t(side)].motion.keys = {
        {}, {.time = 2 * seconds, .rotate = {{1, 0, 0}, (side ? -144 : 144) * seconds}}};
    holds[std::size_t(side)].motion.ease = Ease::linear;
  }
  geometric::Options options{.stiffness = 2e4};
  options.op = geometric::Operator::sheet;
  options.integrator = geometric::Integrator::euler;
  Simulation simulation = body_alone(
      make_body(shape, options, {.bodies = true, .thickness = 0.1 / (nodes - 1)}, std::move(holds)),
      {.h = 0.04, .gravity = {0, 0, 0}, .threads = context.pool.threads()});
  while (simulation.time() < seconds - 0.2) one_step_ms(simulation);
  std::vector<double> steps;
  double sweeps = 0, rounds = 0;
  while (simulation.time() < seconds + 0.2) {
    steps.push_back(one_step_ms(simulation));
    sweeps += simulation.bodies()[0].report().contact_sweeps;
    rounds += simulation.bodies()[0].report().rounds;
  }
  Row row{.name = name, .nodes = Index(shape.graph.positions.size())};
  row.ms_min = minimum(steps);
  row.ms_median = median(steps);
  row.more["turns"] = turns;
  row.more["contacts"] = simulation.bodies()[0].report().contacts;
  row.more["sweeps"] = sweeps / double(steps.size());
  row.more["rounds"] = rounds / double(steps.size());
  return row;
}

}  // namespace

std::vector<Case> self_contact_cases() {
  return {{"self/stiff-ring", measure_stiff},
          {"self/mat-20", [](const Context& c) { return measure_mat(c, "self/mat-20", 20, 2.4); }},
          {"self/mat-40", [](const Context& c) { return measure_mat(c, "self/mat-40", 40, 2.4); }, true},
          {"self/mat-45k", [](const Context& c) { return measure_mat(c, "self/mat-45k", 212, 1); }, true}};
}

}  // namespace pliant::bench
