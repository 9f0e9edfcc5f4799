// SPDX-License-Identifier: Apache-2.0
// Steps of caged bars that turn and swing freely, with as many degrees of freedom and quadrature points as
// [Martin09, Table 1] and with about ten times the work. The limit is the operations of a step's dense
// products and factor at the rate at which this machine, now, does a large dense product of that precision.
// The same limit stands for steps that make no matrix of their own (methods/cage/kept_factor.cpp): those can
// be below it; "direct" makes one. The rate is that of OpenBLAS's symmetric product. Consistent normals are
// timed with one solve a step. The surface of 26 000 vertices is a case of its own, against its bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/base/aligned.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/geometry/bumpy_bar.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/cage/build.hpp"

namespace pliant::bench {
namespace {

constexpr double cage_h = 1.0 / 60;
constexpr int cage_warm_up = 10;

/// Operations per second of a symmetric product of 512 columns of 2048 numbers.
template <class T>
double dense_rate(Pool& pool) {
  constexpr int n = 512, k = 2048;
  const AlignedVector<T> a(std::size_t(n) * k, T(0.5));
  AlignedVector<T> c(std::size_t(n) * n);
  const std::vector<double> ms = time_calls(0.1, 2, 5, [&] { gram(n, k, a.data(), c.data(), pool); });
  return double(n) * n * k / minimum(ms) * 1e3;
}

struct CageSize {
  std::array<int, 3> cells;
  int points;
};
const CageSize small_cage{{1, 3, 6}, 200}, large_cage{{1, 4, 19}, 2000}, larger_cage{{1, 4, 39}, 2000};

std::unique_ptr<Method> bar(const CageSize& size, cage::Options options) {
  options.cells = size.cells;
  options.points = size.points;
  options.stiffness = 1e4;
  options.iterations = 1;
  const Shape box =
      make_shape(BoxShape{.size = {0.5, 1.5, 6}, .nodes = {5, 9, 25}, .corner = {-0.25, -0.75, -3}});
  Shape shape = with_quadrature(box, size.points);
  auto body = cage::build(shape, 1, {.mass = 0, .stiffness = 0}, options);
  if (!body) throw std::runtime_error(body.error().text());
  Points v;
  for (const Vec3& p : shape.graph.positions)
    v.push_back(Vec3(0, 1, 0.2).cross(p) + Vec3(0.3 * std::sin(p.z()), 0, 0));
  (*body)->place(shape.graph.positions, v);
  return std::move(*body);
}

Row measure_cage(const Context& context, const std::string& name, const CageSize& size,
                 const cage::Options& options) {
  reset_peak_memory();
  const Stopwatch setup;
  const std::unique_ptr<Method> method = bar(size, options);
  auto& body = static_cast<cage::Body&>(*method);
  StepReport report;
  const auto step = [&] {
    report = body.advance({.h = cage_h, .contact = {}, .pool = &context.pool});
    if (!report.ok()) throw std::runtime_error(fmt::format("{}: {}", name, report.trouble));
  };
  step();
  const double setup_ms = setup.ms();
  for (int i = 0; i < cage_warm_up; ++i) step();
  const bool single = options.precision == cage::Precision::single;
  const auto rate = [&] {
    return single ? dense_rate<float>(context.pool) : dense_rate<double>(context.pool);
  };
  double arithmetic = rate();
  std::vector<double> samples;
  StepReport fastest;
  const Stopwatch whole;
  while (samples.size() < 20 || whole.seconds() < context.seconds) {
    const Stopwatch watch;
    step();
    samples.push_back(watch.ms());
    if (samples.size() == 1 || samples.back() <= minimum(samples)) fastest = report;
  }
  arithmetic = std::max(arithmetic, rate());
  Row row{.name = name, .nodes = body.model().count(), .threads = context.pool.threads()};
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
  row.stages = {fastest.ms.rotation, fastest.ms.rhs, fastest.ms.solve, 0};
  Limit limit;
  limit.bandwidth = 1;
  limit.operations = body.step_flops();
  limit.arithmetic = arithmetic;
  row.limit = limit;
  row.iterations = fastest.iterations;
  row.setup_ms = setup_ms;
  row.peak_bytes = peak_memory();
  row.more["freedoms"] = 3 * body.model().n();
  row.more["points"] = body.model().count();
  row.more["frames"] = samples.size();
  return row;
}

/// A bar of 300 freedoms, as many as an automatic cage has, that fell on the ground and rocks there: steps
/// with contacts. The limit is that of one solve with normals that follow; a step takes several.
Row touching(const Context& context, const std::string& name) {
  reset_peak_memory();
  const Stopwatch setup;
  cage::Options options{.cells = {1, 4, 9}, .stiffness = 1e4, .points = 1400};
  const Shape box =
      make_shape(BoxShape{.size = {0.5, 1.5, 6}, .nodes = {5, 9, 25}, .corner = {-0.25, 0.3, -3}});
  const Shape shape = with_quadrature(box, options.points);
  auto built = cage::build(shape, 1, {.mass = 0.1, .stiffness = 0}, options);
  if (!built) throw std::runtime_error(built.error().text());
  auto& body = static_cast<cage::Body&>(**built);
  Points x;
  const Mat3 tilted = Eigen::AngleAxisd(0.1, Vec3(1, 0, 0.3).normalized()).toRotationMatrix();
  for (const Vec3& p : shape.graph.positions) x.push_back(tilted * p + Vec3(0, 0.1, 0));
  body.place(x, Points(x.size(), Vec3::Zero()));
  std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, 0)};
  const double setup_ms = setup.ms();
  std::vector<double> samples;
  double solves = 0, contacts = 0;
  const double arithmetic = dense_rate<float>(context.pool);
  for (int i = 0; i < 120; ++i) {
    ground[0].aim(i * cage_h, (i + 1) * cage_h);
    const Stopwatch watch;
    const StepReport report = body.advance(
        {.h = cage_h, .gravity = {0, -10, 0}, .colliders = ground, .contact = {}, .pool = &context.pool});
    if (!report.ok()) throw std::runtime_error(fmt::format("{}: {}", name, report.trouble));
    if (report.contacts == 0) continue;
    samples.push_back(watch.ms());
    solves += report.iterations;
    contacts += report.contacts;
  }
  Row row{.name = name, .nodes = body.model().count(), .threads = context.pool.threads()};
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
  const double n3 = 3.0 * body.model().n();
  Limit limit;
  limit.bandwidth = 1;
  limit.operations = n3 * n3 * (6.0 * body.model().count() + n3 / 3);
  limit.arithmetic = std::max(arithmetic, dense_rate<float>(context.pool));
  row.limit = limit;
  row.setup_ms = setup_ms;
  row.peak_bytes = peak_memory();
  row.more["freedoms"] = 3 * body.model().n();
  row.more["points"] = body.model().count();
  row.more["frames"] = samples.size();
  row.more["solves a step"] = solves / double(samples.size());
  row.more["contacts a step"] = contacts / double(samples.size());
  return row;
}

Row embedding(const Context& context, const std::string& name) {
  reset_peak_memory();
  BumpyBar shape;
  shape.resolution = {128, 200};
  const Result<MeshShape> solid =
      make_mesh_shape(bumpy_bar_surface(shape), {.nodes = 2000, .solid = true}, context.pool);
  if (!solid) throw std::runtime_error(solid.error().text());
  cage::Options options{.cells = {1, 3, 6}};
  auto built = cage::build(with_quadrature(solid->shape, 200), 1, {.mass = 0, .stiffness = 0}, options);
  if (!built) throw std::runtime_error(built.error().text());
  const auto& body = static_cast<const cage::Body&>(**built);
  Points out(std::size_t(body.model().embedding.rows()));
  const std::size_t bytes = body.model().skin_value.size() * sizeof(float) + out.size() * 2 * sizeof(Vec3);
  BandwidthMeter meter(context.pool);
  double bandwidth = meter.measure(bytes);
  const std::vector<double> samples =
      time_calls(context.seconds, 3, 20, [&] { body.surface_in_parallel(out, context.pool); });
  bandwidth = std::max(bandwidth, meter.measure(bytes));
  Row row{.name = name, .nodes = Index(out.size()), .threads = context.pool.threads()};
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
  row.limit = Limit{bytes, bytes, bandwidth};
  row.peak_bytes = peak_memory();
  row.more["freedoms"] = 3 * body.model().n();
  return row;
}

}  // namespace

std::vector<Case> cage_cases() {
  std::vector<Case> out;
  const auto add = [&](const std::string& name, const CageSize& size, cage::Normals normals,
                       cage::Precision precision, cage::Solver solver = cage::Solver::automatic) {
    const std::string full = "cage/" + name;
    cage::Options options;
    options.normals = normals;
    options.precision = precision;
    options.solver = solver;
    out.push_back({full, [=](const Context& context) { return measure_cage(context, full, size, options); }});
  };
  using enum cage::Normals;
  for (const auto& [name, size] : {std::pair{"168", small_cage}, {"600", large_cage}}) {
    const std::string at = name;
    add(at, size, rigid_split, cage::Precision::single);
    add(at + "-double", size, rigid_split, cage::Precision::twice);
    add(at + "-direct", size, rigid_split, cage::Precision::single, cage::Solver::direct);
    add(at + "-direct-double", size, rigid_split, cage::Precision::twice, cage::Solver::direct);
    add(at + "-frozen", size, frozen, cage::Precision::single);
    add(at + "-frozen-double", size, frozen, cage::Precision::twice);
    add(at + "-consistent", size, consistent, cage::Precision::single);
    add(at + "-consistent-double", size, consistent, cage::Precision::twice);
  }
  add("1200", larger_cage, rigid_split, cage::Precision::single);
  add("1200-direct", larger_cage, rigid_split, cage::Precision::single, cage::Solver::direct);
  out.push_back(
      {"cage/300-touching", [](const Context& context) { return touching(context, "cage/300-touching"); }});
  out.push_back(
      {"cage/surface-26k", [](const Context& context) { return embedding(context, "cage/surface-26k"); }});
  return out;
}

}  // namespace pliant::bench
