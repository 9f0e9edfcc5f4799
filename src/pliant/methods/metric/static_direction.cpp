// SPDX-License-Identifier: Apache-2.0
// The direction of the static problem by the matrix of a time step (operator.hpp): accurate for a body that
// steps so, else the stable one with kappa = 1, which is no less than the Hessian at rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/node_statics.hpp"

namespace pliant::metric {
namespace {

constexpr double reduction = 1e-3;  // of the residual: the caller repeats with the true forces
constexpr int allowed = 2000;

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  return relax_nodes(
      *this, input, tolerance, memory, [&](double h, std::span<const Vec3> f, std::span<Vec3> d) {
        return static_direction({.h = h, .held = input.held, .contact = {}, .pool = input.pool}, f, d);
      });
}

std::string Body::static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d) {
  PLIANT_CHECK(input.pool && f.size() == model_.rest.size() && d.size() == f.size());
  const FlushTinyNumbers in_here;
  hold(input);
  MatrixForm form;
  form.integrator = options_.integrator == Integrator::accurate ? Integrator::accurate : Integrator::stable;
  form.kappa = 1;
  form.factor = factor_at(options_.keys, state_.time);
  form.scale = input.h * input.h / unit_;
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) operator_->x[at(c, i)] = state_.nodes.x[i][c];
  operator_->evaluate(form, state_.metrics.empty() ? nullptr : state_.metrics.data(), *input.pool);
  Scheme s;
  s.h = input.h;
  s.unit = unit_;
  StepInput loose = input;
  loose.grabs = {};
  set_matrix(loose, s);
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) b_[at(c, i)] = held_[i] ? 0.0f : float(form.scale * f[i][c]);
  std::fill(delta_.begin(), delta_.end(), 0.0f);
  const ConjugateGradients::Outcome solved =
      gradients_.solve(*operator_, *preconditioner_, b_, delta_, reduction, allowed, *input.pool);
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) d[i][c] = held_[i] ? 0 : delta_[at(c, i)];
  if (solved.broke || !(solved.residual <= reduction))
    return fmt::format("the linear solve did not converge in {} iterations (residual {:.1e} of its start)",
                       solved.iterations, solved.residual);
  return {};
}

}  // namespace pliant::metric
