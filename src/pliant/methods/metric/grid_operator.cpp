// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "pliant/methods/metric/operator.hpp"
#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

// Of the mean diagonal over the mean mass: by sums the error of a smooth field is below 1e-5 of it.
constexpr double exact_diagonal_over_mass = 100;
constexpr double rounding = 1e-6;  // of ratios in single precision

class GridOperator final : public Operator {
 public:
  GridOperator(const Model& model, Integrator integrator)
      : Operator(model, model.grid.points), ratio_(std::size_t(model.grid.points), 0.0f) {
    begin_ = model.grid.begin, end_ = model.grid.end;
    places_ = model.grid.place;
    const std::size_t n = std::size_t(points_);
    weights_.assign(model.sets.size() * n, 0.0f);
    if (integrator != Integrator::accurate) diagonal_.assign(n, 0.0f);
    sums_of_.resize(partial_.size());
    if (integrator == Integrator::accurate) {
      stretch_.assign(model.sets.size() * n, 0.0f);
      at_.assign(3 * n, 0.0f);
    }
    if (integrator == Integrator::accurate || integrator == Integrator::paper)
      angle_weights_.assign(model.angles.size() * n, 0.0f);
    sets_.resize(model.sets.size());
    angles_.resize(model.angles.size());
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      const ConstraintSet& set = model.sets[k];
      sets_[k].offset = set.offset, sets_[k].squared = set.squared;
      sets_[k].share = model.shares.data() + k * n;
      sets_[k].inverse_h2 = set.inverse_h2;
      sets_[k].a = weights_.data() + k * n;
      sets_[k].c = stretch_.empty() ? nullptr : stretch_.data() + k * n;
    }
    for (std::size_t k = 0; k < angles_.size(); ++k) {
      const AngleSet& set = model.angles[k];
      angles_[k].first = model.grid.step[set.first], angles_[k].second = model.grid.step[set.second];
      angles_[k].bit = set.bit, angles_[k].inverse_hh = set.inverse_hh;
      angles_[k].a_first = weights_.data() + std::size_t(set.first) * n;
      angles_[k].a_second = weights_.data() + std::size_t(set.second) * n;
      float* own = angle_weights_.empty() ? nullptr : angle_weights_.data() + k * n;
      angles_[k].w = integrator == Integrator::paper ? own : nullptr;
      angles_[k].c = integrator == Integrator::accurate ? own : nullptr;
    }
  }

  double apply(const float* in, float* out, Pool& pool) const override {
    const ApplySweep s = sweep_of(in, out);
    const StencilKernels& kernels = stencil_kernels();
    const auto kernel = form_.integrator == Integrator::accurate ? kernels.apply_blocks
                        : has_angle_terms()                      ? kernels.apply_angles
                        : by_sums_                               ? kernels.apply_sums
                                                                 : kernels.apply;
    return sum(pool, [&](int begin, int end) { return kernel(s, begin, end); });
  }

  double start(const float* x_in, const float* b, const float* d, float* r, float* p,
               Pool& pool) const override {
    if (blocks() || has_angle_terms()) return Operator::start(x_in, b, d, r, p, pool);
    const std::size_t n = std::size_t(points_);
    ApplySweep s = sweep_of(x_in, r);
    for (std::size_t c = 0; c < 3; ++c) s.right[c] = b + c * n, s.scaled[c] = p + c * n;
    s.smoothing = d;
    const auto kernel = by_sums_ ? stencil_kernels().start_sums : stencil_kernels().start;
    return sum(pool, [&](int begin, int end) { return kernel(s, begin, end); });
  }

  double invert_diagonal(std::span<Floats> out, Pool& pool) override {
    DiagonalSweep s{};
    const ApplySweep fields = sweep_of(nullptr, nullptr);
    s.mass = mass.data(), s.free = fields.free, s.sets = fields.sets, s.set_count = fields.set_count;
    s.angles = fields.angles, s.angle_count = fields.angle_count;
    for (int c = 0; c < 3; ++c) s.at[c] = fields.at[c];
    const StencilKernels& kernels = stencil_kernels();
    if (blocks()) {
      for (std::size_t k = 0; k < 6; ++k) s.block[k] = out[k].data();
      sweep(pool, [&](int begin, int end) { kernels.diagonal_blocks(s, begin, end); });
      return 0;
    }
    s.scalar = out[0].data(), s.plain = diagonal_.data();
    sweep(pool, [&](int begin, int end) {
      sums_of_[std::size_t((begin - begin_) / block)] = kernels.diagonal(s, begin, end);
    });
    DiagonalSums total;
    for (int k = 0; k * block < end_ - begin_; ++k)
      total.mass += sums_of_[std::size_t(k)].mass, total.diagonal += sums_of_[std::size_t(k)].diagonal;
    const double over_mass = total.mass > 0 ? total.diagonal / total.mass : 0;
    by_sums_ = form_.integrator != Integrator::paper && over_mass < exact_diagonal_over_mass;
    return over_mass;
  }

  std::span<const StencilSet> stencils() override {
    if (!angle_weights_.empty()) return {};
    if (stretch_.empty()) return sets_;
    if (bounds_.empty()) {
      bounds_.assign(weights_.size(), 0.0f);
      bound_sets_ = sets_;
      for (std::size_t k = 0; k < sets_.size(); ++k)
        bound_sets_[k].a = bounds_.data() + k * std::size_t(points_);
    }
    return bound_sets_;
  }

  void bound_weights(Pool& pool) override {
    if (stretch_.empty()) return;
    const ApplySweep s = sweep_of(nullptr, nullptr);
    sweep(pool, [&](int begin, int end) {
      for (std::size_t k = 0; k < sets_.size(); ++k)
        stencil_kernels().bound(s, sets_[k], bound_sets_[k].a, begin, end);
    });
  }

  std::size_t matrix_bytes() const override {
    const std::size_t fields = weights_.size() + stretch_.size() + angle_weights_.size() + at_.size();
    return 4 * (fields / std::size_t(points_) + 2) * std::size_t(end_ - begin_);
  }

 protected:
  void evaluate_constraints(const double* metrics, Pool& pool) override {
    const std::size_t n = std::size_t(points_);
    const bool accurate = form_.integrator == Integrator::accurate;
    by_sums_ = false;
    const double kappa = form_.integrator == Integrator::stable ? form_.kappa : 0;
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      StencilSet& set = sets_[k];
      set.eta = form_.factor * model_.sets[k].eta * set.inverse_h2;
      set.rest = metrics ? metrics + k * n : nullptr;
      const double scaled = form_.scale * set.eta;
      set.add = (set.squared ? 1 : 2) * kappa * scaled;
      set.stretch = accurate && !set.squared ? 2 * scaled * set.inverse_h2 : 0;
      set.stretch_slope = accurate && set.squared ? 4 * scaled * set.inverse_h2 : 0;
    }
    for (std::size_t k = 0; k < angles_.size(); ++k) angles_[k].eta = form_.factor * model_.angles[k].eta;
    EvaluateSweep s{};
    s.x = x.data(), s.y = x.data() + n, s.z = x.data() + 2 * n;
    s.bits = model_.bits.data();
    s.sets = sets_.data(), s.set_count = int(sets_.size());
    s.angles = angles_.data(), s.angle_count = int(angles_.size());
    for (std::size_t c = 0; c < 3; ++c) s.force[c] = force.data() + c * n;
    s.floor = form_.integrator == Integrator::paper ? -std::numeric_limits<double>::max() : 0;
    s.angle_clamp = form_.integrator != Integrator::paper;
    s.angle_bound = 2 * kappa;
    s.scale = form_.scale;
    const StencilKernels& kernels = stencil_kernels();
    if (accurate) set_positions(pool);
    sweep(pool, [&](int begin, int end) { kernels.evaluate(s, begin, end); });
  }

  bool measure_cells(Pool& pool) override {
    const std::size_t n = std::size_t(points_);
    CellSweep s{};
    s.bits = model_.bits.data(), s.bit = cell_bit;
    s.x = x.data(), s.y = x.data() + n, s.z = x.data() + 2 * n;
    for (int c = 0; c < 3; ++c) s.step[c] = model_.grid.step[c];
    s.inverse_volume = 1 / model_.grid.spacing.prod();
    s.ratio = ratio_.data();
    const StencilKernels& kernels = stencil_kernels();
    sweep(pool, [&](int begin, int end) {
      partial_[std::size_t((begin - begin_) / block)] = kernels.cells(s, begin, end);
    });
    double least = partial_[0];
    for (int k = 1; k * block < end_ - begin_; ++k) least = std::min(least, partial_[std::size_t(k)]);
    if (!(least < model_.threshold + rounding)) return false;
    for (std::size_t k = 0; k < ratios_.size(); ++k)
      ratios_[k] = ratio_[std::size_t(place(model_.cells[k][0]))];
    return true;
  }

  void stiffen_cell(std::size_t cell, float weight) override {
    for (int axis = 0; axis < 3; ++axis)
      for (int c = 0; c < 8; ++c)
        if ((c >> axis & 1) == 0) sets_[std::size_t(axis)].a[place(model_.cells[cell][c])] += weight;
  }

 private:
  bool has_angle_terms() const { return form_.integrator == Integrator::paper && !angles_.empty(); }

  /// In single precision about the first node: differences are what counts.
  void set_positions(Pool& pool) {
    const std::size_t n = std::size_t(points_);
    const std::size_t first = std::size_t(place(0));
    sweep(pool, [&](int begin, int end) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double origin = x[c * n + first];
        for (std::size_t p = std::size_t(begin); p < std::size_t(end); ++p)
          at_[c * n + p] = float(x[c * n + p] - origin);
      }
    });
  }

  ApplySweep sweep_of(const float* in, float* out) const {
    const std::size_t n = std::size_t(points_);
    ApplySweep s{};
    for (std::size_t c = 0; c < 3; ++c) {
      s.in[c] = in ? in + c * n : nullptr, s.out[c] = out ? out + c * n : nullptr;
      s.at[c] = at_.empty() ? nullptr : at_.data() + c * n;
    }
    s.mass = by_sums_ ? diagonal_.data() : mass.data(), s.free = free.data();
    s.sets = sets_.data(), s.set_count = int(sets_.size());
    s.angles = angles_.data(), s.angle_count = angle_weights_.empty() ? 0 : int(angles_.size());
    return s;
  }

  std::vector<StencilSet> sets_, bound_sets_;
  Floats bounds_;
  std::vector<StencilAngle> angles_;
  Floats weights_, stretch_, angle_weights_, at_, ratio_, diagonal_;
  std::vector<DiagonalSums> sums_of_;
  bool by_sums_ = false;
};

}  // namespace

std::unique_ptr<Operator> make_grid_operator(const Model& model, Integrator integrator) {
  return std::make_unique<GridOperator>(model, integrator);
}

}  // namespace pliant::metric
