// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/operator.hpp"

#include "pliant/methods/metric/cell_volume.hpp"

namespace pliant::metric {

Operator::Operator(const Model& model, int points)
    : x(3 * std::size_t(points), 0.0),
      mass(std::size_t(points), 0.0f),
      free(std::size_t(points), 0.0f),
      force(3 * std::size_t(points), 0.0),
      model_(model),
      points_(points),
      end_(points),
      ratios_(model.orientation > 0 ? model.cells.size() : 0),
      partial_(std::size_t(points / block + 2), 0.0) {}

void Operator::evaluate(const MatrixForm& form, const double* metrics, Pool& pool) {
  form_ = form;
  evaluate_constraints(metrics, pool);
  pushed_ = 0;
  if (model_.orientation > 0 && form.factor > 0) {
    if (measure_cells(pool)) push_cells();
  }
}

double Operator::start(const float* x_in, const float* b, const float* d, float* r, float* p,
                       Pool& pool) const {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(points_);
  apply(x_in, r, pool);
  return sum(pool, [&](int begin, int end) {
    double total = 0;
    for (std::size_t k = 0; k < 3 * n; k += n)
      total += kernels.start_scaled(d, b + k, r + k, r + k, p + k, begin, end);
    return total;
  });
}

/// Few cells at a time are below the threshold: one after the other, in their order.
void Operator::push_cells() {
  std::array<Vec3, 8> corners, gradient;
  constexpr std::array<Index, 8> all{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t k = 0; k < model_.cells.size(); ++k) {
    if (!(ratios_[k] < model_.threshold)) continue;
    std::array<std::size_t, 8> at;
    for (int c = 0; c < 8; ++c) {
      at[c] = std::size_t(place(model_.cells[k][c]));
      for (int axis = 0; axis < 3; ++axis)
        corners[c][axis] = x[std::size_t(axis) * std::size_t(points_) + at[c]];
    }
    const double rest = model_.cell_volume[k];
    const double missing = model_.threshold - signed_volume(all, corners, gradient) / rest;
    if (!(missing > 0)) continue;
    ++pushed_;
    const double eta = form_.factor * model_.orientation;
    double square = 0;
    for (int c = 0; c < 8; ++c) {
      square += gradient[c].squaredNorm();
      for (int axis = 0; axis < 3; ++axis)
        force[std::size_t(axis) * std::size_t(points_) + at[c]] += eta * missing / rest * gradient[c][axis];
    }
    if (form_.integrator != Integrator::paper)
      stiffen_cell(k, float(form_.scale * eta * square / (4 * rest * rest)));
  }
}

}  // namespace pliant::metric
