// SPDX-License-Identifier: Apache-2.0
// The direction of the static problem by the accurate matrix (operator.hpp), whatever the body steps with: a
// scalar bound of the Hessian would need thousands of directions where bending is soft.
#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/node_statics.hpp"

namespace pliant::metric {
namespace {

constexpr double reduction = 1e-3;  // of the residual: the caller repeats with the true forces
constexpr int allowed = 2000;       // fewer than it takes: a worse direction, but downhill

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  return relax_nodes(*this, input, tolerance, memory, std::bind_front(&Body::static_direction, this));
}

std::string Body::static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d) {
  PLIANT_CHECK(input.pool && f.size() == model_.rest.size() && d.size() == f.size());
  const FlushTinyNumbers in_here;
  if (!statics_) {
    Options options = options_;
    options.integrator = Integrator::accurate;
    if (options.preconditioner == Preconditioning::multigrid)
      options.preconditioner = Preconditioning::automatic;
    statics_ = std::make_unique<Equation>(model_, options);
  }
  Equation& equation = *statics_;
  equation.hold(input.held);
  const MatrixForm form{.integrator = Integrator::accurate,
                        .kappa = 1,
                        .factor = factor_at(options_.keys, state_.time),
                        .scale = input.h * input.h / equation.unit()};
  equation.start(state_.nodes.x, state_.nodes.v, 0, *input.pool);
  equation.evaluate(form, state_.metrics, *input.pool);
  equation.set_matrix({.h = input.h}, {}, *input.pool);
  // The solve has a floor in m^2 (conjugate_gradients.cpp), so that forces of any size are scaled to one: the
  // direction is linear in them.
  double most = 0;
  for (const Vec3& force : f) most = std::max(most, force.cwiseAbs().maxCoeff());
  if (!(most > 0)) {
    std::fill(d.begin(), d.end(), Vec3::Zero());
    return {};
  }
  equation.set_right_side(f, 1 / most);
  const ConjugateGradients::Outcome solved = equation.solve(reduction, allowed, *input.pool);
  for (Index i = 0; i < model_.nodes(); ++i)
    d[i] = equation.is_held(i) ? Vec3(Vec3::Zero()) : Vec3(most * form.scale * equation.displacement(i));
  if (solved.broke && solved.iterations <= 1) return "the linear solve met a direction without stiffness";
  return {};
}

}  // namespace pliant::metric
