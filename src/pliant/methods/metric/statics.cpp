// SPDX-License-Identifier: Apache-2.0
// The direction of the static problem by the matrix of a time step (operator.hpp): accurate for a body that
// steps so, else the stable one with kappa = 1, which is no less than the Hessian at rest.
#include <fmt/format.h>

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
  return relax_nodes(*this, input, tolerance, memory, std::bind_front(&Body::static_direction, this));
}

std::string Body::static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d) {
  PLIANT_CHECK(input.pool && f.size() == model_.rest.size() && d.size() == f.size());
  const FlushTinyNumbers in_here;
  equation_.hold(input.held);
  const MatrixForm form{
      .integrator = options_.integrator == Integrator::accurate ? Integrator::accurate : Integrator::stable,
      .kappa = 1,
      .factor = factor_at(options_.keys, state_.time),
      .scale = input.h * input.h / equation_.unit()};
  equation_.start(state_.nodes.x, state_.nodes.v, 0, *input.pool);
  equation_.evaluate(form, state_.metrics, *input.pool);
  equation_.set_matrix({.h = input.h}, {}, *input.pool);
  equation_.set_right_side(f, form.scale);
  const ConjugateGradients::Outcome solved = equation_.solve(reduction, allowed, *input.pool);
  for (Index i = 0; i < model_.nodes(); ++i)
    d[i] = equation_.is_held(i) ? Vec3(Vec3::Zero()) : equation_.displacement(i);
  if (solved.broke || !(solved.residual <= reduction))
    return fmt::format("the linear solve did not converge in {} iterations (residual {:.1e} of its start)",
                       solved.iterations, solved.residual);
  return {};
}

}  // namespace pliant::metric
