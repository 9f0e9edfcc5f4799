// SPDX-License-Identifier: Apache-2.0
// The engine room by itself: rotations, direct solves, V-cycles.
#include <fmt/format.h>

#include <random>
#include <stdexcept>

#include "bench/cases/solid.hpp"
#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "pliant/math/direct_solver.hpp"
#include "pliant/math/graph_multigrid.hpp"
#include "pliant/math/rotation.hpp"

namespace pliant::bench {
namespace {

constexpr int kernel_warm_up = 20;
constexpr int calls_at_least = 20;
constexpr int setups = 3;  // the fastest counts: a set-up cannot be repeated as often as a solve

std::vector<Float4> random_vectors(Index count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<Float4> vectors(std::size_t(count), Float4{});
  for (Float4& v : vectors) v = {number(random), number(random), number(random), 0};
  return vectors;
}

// Every lane a different rotation and stretch, warm start 0.1 rad away, as from one step to the next.
std::vector<RotationBatch> random_batches(int count) {
  std::mt19937 random(1);
  std::normal_distribution<double> number;
  std::vector<RotationBatch> batches(std::size_t(count), RotationBatch{});
  for (RotationBatch& batch : batches) {
    for (int lane = 0; lane < 16; ++lane) {
      const auto vec = [&] { return Vec3(number(random), number(random), number(random)); };
      const Eigen::Quaterniond q(Eigen::AngleAxisd(3 * number(random), vec().normalized()));
      const Vec3 stretch = Vec3::Ones() + 0.1 * vec();
      const Mat3 a = q.toRotationMatrix() * stretch.asDiagonal();
      const Eigen::Quaterniond warm = q * Eigen::Quaterniond(Eigen::AngleAxisd(0.1, vec().normalized()));
      for (int k = 0; k < 9; ++k) batch.a[k][lane] = float(a(k / 3, k % 3));
      const double parts[4] = {warm.w(), warm.x(), warm.y(), warm.z()};
      for (int k = 0; k < 4; ++k) batch.q[k][lane] = float(parts[k]);
    }
  }
  return batches;
}

void measure_limit(Pool& pool, std::size_t bytes, std::size_t working_set, Row& row) {
  row.limit = Limit{bytes, working_set, BandwidthMeter(pool).measure(working_set)};
}

void set_times(const std::vector<double>& samples, Row& row) {
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
}

Row rotations(const Context& context, const std::string& name, int batches) {
  const std::vector<RotationBatch> start = random_batches(batches);
  std::vector<RotationBatch> work = start;
  int finished_by_scalar = 0;
  std::vector<double> samples;
  const Stopwatch whole;
  // The warm start is put back before every call, else all calls but the first would find it converged.
  while (int(samples.size()) < calls_at_least || whole.seconds() < context.seconds) {
    work = start;
    const Stopwatch watch;
    finished_by_scalar = nearest_rotations(work.data(), batches, 2);
    samples.push_back(watch.ms());
  }
  Row row{.name = name, .nodes = Index(batches * 16), .threads = 1};
  set_times(samples, row);
  const RotationBatch* one = nullptr;
  const std::size_t in = sizeof(one->a) + sizeof(one->q), out = sizeof(one->q) + sizeof(one->r);
  Pool alone(1);  // this kernel knows no threads
  measure_limit(alone, std::size_t(batches) * (in + out), std::size_t(batches) * sizeof(RotationBatch), row);
  row.more["ns_per_node"] = row.ms_min * 1e6 / row.nodes;
  row.more["finished_by_scalar"] = finished_by_scalar;
  return row;
}

Row direct_solve(const Context& context, const std::string& name, const Solid& solid) {
  const SymmetricMatrix matrix = step_matrix(solid);
  reset_peak_memory();
  DirectSolver solver;
  DirectSolver::Report best;
  for (int i = 0; i < setups; ++i) {
    DirectSolver fresh;
    const DirectSolver::Report report = fresh.factor(matrix);
    if (!report.ok()) throw std::runtime_error(fmt::format("{}: {}", name, report.trouble));
    if (i == 0 || report.analyse_ms + report.factor_ms < best.analyse_ms + best.factor_ms) best = report;
    solver = std::move(fresh);
  }
  const std::vector<Float4> b = random_vectors(matrix.rows());
  std::vector<Float4> z = b;
  Row row{.name = name, .nodes = matrix.rows(), .threads = context.pool.threads()};
  set_times(time_calls(context.seconds, kernel_warm_up, calls_at_least,
                       [&] { solver.solve(b.data(), z.data(), context.pool); }),
            row);
  row.setup_ms = best.analyse_ms + best.factor_ms;
  row.peak_bytes = peak_memory();
  const std::size_t working_set = best.panel_floats * sizeof(float) + 3 * b.size() * sizeof(Float4);
  measure_limit(context.pool, solver.bytes_per_solve(), working_set, row);
  row.more["analyse_ms"] = best.analyse_ms;
  row.more["factor_ms"] = best.factor_ms;
  row.more["factor_entries"] = best.factor_entries;
  row.more["supernodes"] = best.supernodes;
  return row;
}

Row v_cycle(const Context& context, const std::string& name, const Nodes& nodes) {
  const GraphOperator fine = step_operator(make_solid(nodes));
  reset_peak_memory();
  GraphMultigrid multigrid;
  GraphMultigrid::Report best;
  for (int i = 0; i < setups; ++i) {
    GraphMultigrid fresh;
    const GraphMultigrid::Report report = fresh.build(fine);
    if (!report.ok()) throw std::runtime_error(fmt::format("{}: {}", name, report.trouble));
    if (i == 0 || report.setup_ms < best.setup_ms) best = report;
    multigrid = std::move(fresh);
  }
  const std::vector<Float4> r = random_vectors(Index(fine.mass.size()));
  std::vector<Float4> z = r;
  Row row{.name = name, .nodes = Index(r.size()), .threads = context.pool.threads()};
  set_times(time_calls(context.seconds, kernel_warm_up, calls_at_least,
                       [&] { multigrid.apply(r.data(), z.data(), context.pool); }),
            row);
  row.setup_ms = best.setup_ms;
  row.peak_bytes = peak_memory();
  measure_limit(context.pool, multigrid.bytes_per_apply(),
                multigrid.memory_bytes() + 2 * r.size() * sizeof(Float4), row);
  row.more["levels"] = best.levels;
  row.more["complexity"] = best.complexity;
  return row;
}

}  // namespace

std::vector<Case> kernel_cases() {
  const auto rotation_case = [](const std::string& name, int batches) {
    return Case{name, [=](const Context& context) { return rotations(context, name, batches); }};
  };
  const auto direct_case = [](const std::string& name, auto&& make) {
    return Case{name, [=](const Context& context) { return direct_solve(context, name, make()); }};
  };
  const auto cycle_case = [](const std::string& name, const Nodes& nodes) {
    return Case{name, [=](const Context& context) { return v_cycle(context, name, nodes); }};
  };
  return {
      rotation_case("kernel/rotation/3k", 208),
      rotation_case("kernel/rotation/100k", 6250),
      direct_case("kernel/direct-solve/bar", [] { return make_bar(); }),
      direct_case("kernel/direct-solve/solid-14k", [] { return make_solid(solid_14k_nodes); }),
      cycle_case("kernel/v-cycle/solid-14k", solid_14k_nodes),
      cycle_case("kernel/v-cycle/solid-100k", solid_100k_nodes),
  };
}

}  // namespace pliant::bench
