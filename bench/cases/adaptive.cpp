// SPDX-License-Identifier: Apache-2.0
// Adaptive rotations [Huang06, Sec. 5]: one pass over covariances and rotations of the bent solid, with all
// rotations computed, and visited breadth first with all, none and some taken over.
#include <cmath>
#include <stdexcept>

#include "bench/cases/solid.hpp"
#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::bench {
namespace {

using geometric::Sweeps;

constexpr int adaptive_warm_up = 10;
constexpr int adaptive_calls = 30;

/// Bent to a quarter circle along x.
Points bent(const Points& rest) {
  double length = 0;
  for (const Vec3& p : rest) length = std::max(length, p.x());
  const double radius = length / std::acos(0.0);
  Points out;
  for (const Vec3& p : rest) {
    const double angle = p.x() / radius;
    out.emplace_back((radius + p.y()) * std::sin(angle), (radius + p.y()) * std::cos(angle) - radius, p.z());
  }
  return out;
}

Row rotations_with(const Context& context, const std::string& name, double threshold) {
  const Solid solid = make_solid(solid_14k_nodes);
  geometric::Options options;
  options.stiffness = stiffness;
  Result<geometric::Rows> rows = geometric::make_rows(solid.shape.graph, density, options);
  if (!rows) throw std::runtime_error(rows.error().text());
  Result<geometric::Model> model = geometric::make_model(std::move(*rows));
  if (!model) throw std::runtime_error(model.error().text());
  const geometric::Arrangement arrangement = geometric::arrange(
      geometric::breadth_first_order(model->adjacency), std::vector<unsigned char>(model->rest.size(), 0));
  Sweeps sweeps;
  if (threshold >= 0) sweeps.adapt(*model, {.threshold = threshold});
  sweeps.arrange(*model, arrangement);
  const Points x = bent(model->rest);
  AlignedVector<double> places(4 * std::size_t(sweeps.padded()), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) places[4 * std::size_t(arrangement.place[i]) + c] = x[i][c];

  Row row{.name = name, .nodes = Index(x.size()), .threads = context.pool.threads()};
  const std::vector<double> ms = time_calls(context.seconds, adaptive_warm_up, adaptive_calls,
                                            [&] { sweeps.rotate(places.data(), context.pool); });
  row.ms_min = minimum(ms);
  row.ms_median = median(ms);
  const std::size_t bytes = sweeps.gradient_bytes();
  row.limit = Limit{bytes, bytes, BandwidthMeter(context.pool).measure(bytes)};
  row.more["active"] = sweeps.active();
  return row;
}

Case adaptive_case(const std::string& name, double threshold) {
  return {name, [=](const Context& context) { return rotations_with(context, name, threshold); }};
}

}  // namespace

std::vector<Case> adaptive_cases() {
  // The largest threshold takes everything over but the seed, the smallest nothing.
  return {adaptive_case("kernel/rotations/all-polar", -1), adaptive_case("kernel/rotations/all-accepted", 3),
          adaptive_case("kernel/rotations/none-accepted", 1e-20),
          adaptive_case("kernel/rotations/angle-0.03", 0.03)};
}

}  // namespace pliant::bench
