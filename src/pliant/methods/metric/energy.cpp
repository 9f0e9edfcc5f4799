// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/energy.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/metric/cell_volume.hpp"

namespace pliant::metric {

double energy(const Model& model, const Strengths& now, std::span<const Vec3> x) {
  double sum = 0;
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t k) {
    const double s = (x[b] - x[a]).squaredNorm() * ih2 - (now.metrics.empty() ? 1 : now.metrics[k]);
    sum += squared ? eta * s * s * std::abs(s) / 6 : eta * s * s / 4;
  });
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    const double g = (x[a] - x[o]).dot(x[b] - x[o]) * ihh;
    sum += eta * g * g / 2;
  });
  if (model.orientation > 0)
    for (std::size_t k = 0; k < model.cells.size(); ++k) {
      const double missing = model.threshold - signed_volume(model.cells[k], x) / model.cell_volume[k];
      if (missing > 0) sum += model.orientation * missing * missing / 2;
    }
  return now.factor * sum;
}

void forces(const Model& model, const Strengths& now, std::span<const Vec3> x, std::span<Vec3> out) {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t k) {
    const Vec3 d = x[b] - x[a];
    const double s = d.squaredNorm() * ih2 - (now.metrics.empty() ? 1 : now.metrics[k]);
    const Vec3 f = now.factor * ih2 * eta * (squared ? s * std::abs(s) : s) * d;
    out[a] += f;
    out[b] -= f;
  });
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    const Vec3 u = x[a] - x[o], v = x[b] - x[o];
    const double w = now.factor * eta * u.dot(v) * ihh * ihh;
    out[a] -= w * v;
    out[b] -= w * u;
    out[o] += w * (u + v);
  });
  if (model.orientation > 0)
    for (std::size_t k = 0; k < model.cells.size(); ++k) {
      std::array<Vec3, 8> gradient;
      const double missing =
          model.threshold - signed_volume(model.cells[k], x, gradient) / model.cell_volume[k];
      if (missing <= 0) continue;
      const double push = now.factor * model.orientation * missing / model.cell_volume[k];
      for (int c = 0; c < 8; ++c) out[model.cells[k][c]] += push * gradient[c];
    }
}

CellState cell_state(const Model& model, std::span<const Vec3> x) {
  CellState out;
  double sum = 0, rest = 0;
  for (std::size_t k = 0; k < model.cells.size(); ++k) {
    const double volume = signed_volume(model.cells[k], x);
    out.inverted += !(volume > 0);
    sum += volume;
    rest += model.cell_volume[k];
  }
  if (rest > 0) out.volume_ratio = sum / rest;
  return out;
}

}  // namespace pliant::metric
