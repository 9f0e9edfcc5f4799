// SPDX-License-Identifier: Apache-2.0
// Steps in reduced space, without the surface: it is made when a frame is wanted, not in a step. The bodies
// are the solids of solid.hpp, clamped at the bottom; their space is made of cosines along the axes times the
// affine functions, the same for every size, so that rows of different sizes compare.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/cases/solid.hpp"
#include "bench/harness/arithmetic.hpp"
#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"

namespace pliant::bench {
namespace {

constexpr int reduced_warm_up = 30;
constexpr int reduced_steps = 200;

struct ReducedSolid {
  std::unique_ptr<Method> body;
  std::vector<Index> held;
  Points targets;
  double setup_ms = 0, error = 0;  ///< of the cubature
  std::size_t cubature = 0;
};

/// `count` columns: products of low cosines along the axes and of the distance from the clamped layer, times
/// 1, x, y, z.
Eigen::MatrixXd columns_of(const geometric::Model& model, int count) {
  Vec3 low = model.rest[0], high = low;
  for (const Vec3& p : model.rest) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Eigen::MatrixXd affine = geometric::affine_functions(model);
  const int waves[][3] = {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {1, 1, 0}, {0, 1, 1},
                          {1, 2, 0}, {0, 2, 1}, {1, 1, 1}, {0, 4, 0}, {2, 1, 0}};
  Eigen::MatrixXd out(model.nodes(), count);
  for (Index i = 0; i < model.nodes(); ++i) {
    const Vec3 s = (model.rest[i] - low).cwiseQuotient(high - low);
    for (int c = 0; c < count; ++c) {
      const int* wave = waves[c / 4];
      const double along = std::sin((wave[1] - 0.5) * M_PI * s.y());
      out(i, c) =
          along * std::cos(wave[0] * M_PI * s.x()) * std::cos(wave[2] * M_PI * s.z()) * affine(i, c % 4);
    }
  }
  return out;
}

ReducedSolid make_reduced(const Nodes& nodes, int columns, int cubature) {
  const Stopwatch setup;
  const Solid solid = make_solid(nodes);
  ReducedSolid out;
  for (Index i = 0; i < Index(solid.shape.graph.positions.size()); ++i)
    if (solid.shape.graph.positions[i].y() < spacing / 2) {
      out.held.push_back(i);
      out.targets.push_back(solid.shape.graph.positions[i]);
    }
  geometric::Options options;
  options.stiffness = stiffness;
  Result<geometric::Rows> rows = geometric::make_rows(solid.shape.graph, density, options);
  if (!rows) throw std::runtime_error(rows.error().text());
  Result<geometric::Model> model = geometric::reducible_model(std::move(*rows), options);
  if (!model) throw std::runtime_error(model.error().text());
  // The columns are zero at the clamped layer already: no factor is needed to make them so.
  geometric::Basis basis;
  const Eigen::MatrixXd given = columns_of(*model, columns);
  basis.columns = given;
  basis.own = Index(given.cols());
  basis.pieces.push_back({out.held, Index(given.cols()), 0});
  geometric::Cubature points = geometric::every_node(*model);
  if (cubature > 0) {
    geometric::TrainedCubature trained = geometric::train_cubature(*model, basis, cubature);
    out.error = trained.error;
    out.cubature = trained.points.nodes.size();
    points = std::move(trained.points);
  }
  out.body = geometric::build_reduced(std::move(*model), {}, {.mass = 0, .stiffness = 0}, options,
                                      std::move(basis), std::move(points));
  out.setup_ms = setup.ms();
  return out;
}

/// What a step of so many nodes and iterations computes at least. A sweep: Z^T C and the sums, 9k
/// multiply-adds each; the gradient finds a rotation (two Newton steps of some 180 operations, scaling, the
/// test), a product turns it (its matrix, R^T dA, J, R [w]x).
double operations_of(double nodes, int columns, int iterations) {
  const double sweep = 2 * 18.0 * columns, rotation = 480, turn = 105;
  return nodes * ((1 + iterations) * sweep + rotation + iterations * turn);
}

Row measure_reduced(const Context& context, const std::string& name, const Nodes& nodes, int columns,
                    int cubature) {
  reset_peak_memory();
  const ReducedSolid solid = make_reduced(nodes, columns, cubature);
  StepInput input;
  input.h = time_step;
  input.held = solid.held;
  input.targets = solid.targets;
  input.pool = &context.pool;
  // A load that swings sideways keeps the body moving for as long as the bench runs.
  int count = 0;
  StepReport report;
  const auto step = [&] {
    input.gravity = {20 * std::sin(0.05 * ++count), -9.81, 0};
    report = solid.body->advance(input);
    if (!report.ok()) throw std::runtime_error(fmt::format("{}: {}", name, report.trouble));
  };
  for (int i = 0; i < reduced_warm_up; ++i) step();
  BandwidthMeter meter(context.pool);
  double bandwidth = meter.measure(report.bytes.working_set), iterations = 0;
  std::vector<double> samples;
  double best = 0;
  StepReport fastest;
  int violent = 0;
  const Stopwatch whole;
  while (int(samples.size()) < reduced_steps || whole.seconds() < context.seconds) {
    const Stopwatch watch;
    step();
    samples.push_back(watch.ms());
    iterations += report.iterations;
    violent += report.violent;
    if (samples.size() == 1 || samples.back() < best) best = samples.back(), fastest = report;
  }
  bandwidth = std::max(bandwidth, meter.measure(report.bytes.working_set));
  const double arithmetic = arithmetic_rate(context.pool);
  Row row{.name = name, .nodes = Index(solid.body->describe().nodes), .threads = context.pool.threads()};
  row.ms_min = best;
  row.ms_median = median(samples);
  row.stages = {fastest.ms.rotation, fastest.ms.rhs, fastest.ms.solve, 0};
  const double swept = cubature > 0 ? double(solid.cubature) : double(row.nodes);
  row.limit = Limit{fastest.bytes.moved, fastest.bytes.working_set, bandwidth,
                    operations_of(swept, columns, fastest.iterations), arithmetic};
  row.iterations = iterations / double(samples.size());
  row.setup_ms = solid.setup_ms;
  row.peak_bytes = peak_memory();
  row.more["columns"] = columns;
  row.more["frames"] = samples.size();
  row.more["violent"] = violent;
  row.more["fastest_iterations"] = fastest.iterations;
  if (cubature > 0) {
    row.more["cubature_nodes"] = solid.cubature;
    row.more["cubature_error"] = solid.error;
  }
  return row;
}

}  // namespace

std::vector<Case> reduced_cases() {
  std::vector<Case> out;
  const auto add = [&](const std::string& name, const Nodes& nodes, int columns, int cubature) {
    const std::string full = "geometric/" + name;
    out.push_back({full, [=](const Context& context) {
                     return measure_reduced(context, full, nodes, columns, cubature);
                   }});
  };
  add("reduced-12/bar", bar_nodes, 12, 0);
  add("reduced-40/bar", bar_nodes, 40, 0);
  add("reduced-12/solid-14k", solid_14k_nodes, 12, 0);
  add("reduced-40/solid-14k", solid_14k_nodes, 40, 0);
  add("reduced-12/solid-100k", solid_100k_nodes, 12, 0);
  // The error/speed curve of the cubature, and the same number of nodes at two sizes.
  for (const int count : {25, 50, 100, 200, 400})
    add(fmt::format("cubature-{}/bar", count), bar_nodes, 12, count);
  add("cubature-200/solid-100k", solid_100k_nodes, 12, 200);
  return out;
}

}  // namespace pliant::bench
