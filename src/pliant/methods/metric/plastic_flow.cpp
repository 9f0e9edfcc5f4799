// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/plastic_flow.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/metric/cell_volume.hpp"

namespace pliant::metric {
namespace {

constexpr double no_change = 1e-9;     // of a rest length
constexpr double least_volume = 0.05;  // J of cells that are flat or inside out

/// J^(-2/3) of every node in scratch.volume.
void measure_volumes(const Model& model, const Points& x, FlowScratch& scratch) {
  std::vector<double>&now = scratch.volume, &rest = scratch.rest_volume;
  now.assign(x.size(), 0.0);
  rest.assign(x.size(), 0.0);
  for (std::size_t k = 0; k < model.cells.size(); ++k) {
    const double volume = signed_volume(model.cells[k], x);
    for (const Index i : model.cells[k]) now[i] += volume, rest[i] += model.cell_volume[k];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double ratio = rest[i] > 0 ? std::max(now[i] / rest[i], least_volume) : 1;
    now[i] = 1 / std::cbrt(ratio * ratio);
  }
}

}  // namespace

int flow(const Model& model, const PlasticLaw& law, double h, const Points& x, std::vector<double>& metrics,
         FlowScratch& scratch) {
  measure_volumes(model, x, scratch);
  const std::vector<double>& scale = scratch.volume;
  const auto shape_metric = [&](Index a, Index b, double ih2) {
    return (x[b] - x[a]).squaredNorm() * ih2 * (scale[a] + scale[b]) / 2;
  };
  std::vector<double>& share = scratch.share;
  share.assign(x.size(), 0.0);
  model.each_length([&](Index a, Index b, double ih2, double, bool squared, std::size_t k) {
    if (squared) return;
    const double rho = std::abs(std::sqrt(shape_metric(a, b, ih2) / metrics[k]) - 1);
    share[a] = std::max(share[a], rho);
    share[b] = std::max(share[b], rho);
  });
  bool some = false;
  for (double& s : share) s = flow_share(law, s, h), some |= s > 0;
  if (!some) return 0;
  int flowed = 0;
  model.each_length([&](Index a, Index b, double ih2, double, bool, std::size_t k) {
    const double kappa = (share[a] + share[b]) / 2;
    if (!(kappa > 0)) return;
    const double g = metrics[k] + kappa * (shape_metric(a, b, ih2) - metrics[k]);
    const double next = capped_length(law, std::sqrt(g), 1);
    if (!(std::abs(next - std::sqrt(metrics[k])) > no_change) || !(next > 0)) return;
    metrics[k] = next * next;
    ++flowed;
  });
  return flowed;
}

}  // namespace pliant::metric
