// SPDX-License-Identifier: Apache-2.0
// The Newton direction of the static problem: the same matrix, Hessian and conjugate gradients as a time step
// (step.cpp), for a force that the caller has in double. (M/h^2 + H) d = f is solved as
// (M + h^2 H) d = h^2 f.
#include <algorithm>
#include <limits>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/factored_newton.hpp"
#include "pliant/methods/geometric/local_global.hpp"
#include "pliant/methods/geometric/newton.hpp"
#include "pliant/methods/geometric/tense_stars.hpp"
#include "pliant/methods/node_statics.hpp"

namespace pliant::geometric {
namespace {

constexpr double reduction = 0.03;  // of the residual: the caller repeats with the true forces
constexpr int most_iterations = 60;

/// Conjugate gradients for D = -H^-1 g from D = 0.
void static_gradients(Equation& e, SolverVectors& v) {
  e.solve(v.g, v.z);
  double rho = e.dot(v.g, v.z);
  const double enough = reduction * reduction * rho;
  e.redirect(0, v.p, v.z);
  for (int k = 0; k < most_iterations && rho > enough; ++k) {
    const double curvature = e.hessian(v.p, v.hp);
    if (!(curvature > 0)) break;
    e.add(rho / curvature, v.p, v.d);
    e.add(rho / curvature, v.hp, v.g);
    e.solve(v.g, v.z);
    const double before = rho;
    rho = e.dot(v.g, v.z);
    e.redirect(rho / before, v.p, v.z);
  }
  e.add(-1, v.z, v.d);
}

/// The straight Newton step stretches a sheet that it turns, by the square of the angle times the membrane's
/// stiffness: the line search would cut it to nothing. Local/global steps at its end take the stretching out.
/// g0 = G(0), D = the Newton step.
void unstretch(Equation& e, SolverVectors& v, const Floats& g0) {
  constexpr int steps = 2;
  // G without its elastic part, which is that of the start: the residual adds the one at x + D.
  std::fill(e.scratch.base.begin(), e.scratch.base.end(), 0.0f);
  e.residual(nullptr, true, v.hp);
  for (std::size_t k = 0; k < 4 * std::size_t(e.cache.arrangement.free); ++k)
    e.scratch.base[k] = g0[k] - v.hp[k];
  for (int k = 0; k < steps; ++k) local_global_step(e, v);
}

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  return relax_nodes(*this, input, tolerance, memory, std::bind_front(&Body::static_direction, this));
}

std::string Body::static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d) {
  PLIANT_CHECK(input.pool && f.size() == model_.rest.size() && d.size() == f.size());
  if (!kept_.empty()) return "a static solve does not keep the volume of a surface: set keep_volume to false";
  const FlushTinyNumbers in_here;
  const Scheme scheme(Integrator::euler, input.h, {.mass = 0, .stiffness = 0}, DampingFrame::corotated);
  StageWatch watch;
  StepReport report;
  const Context context{input, scheme, *input.pool, watch, report};
  if (!prepare(context)) return report.trouble;
  Equation e{model_, options_, state_, cache_, kept_, scratch_, context};
  if (std::string trouble = e.clear_grabs(); !trouble.empty()) return trouble;

  const Arrangement& arrangement = cache_.arrangement;
  SolverVectors& v = scratch_.vectors;
  for (Index k = 0; k < model_.nodes(); ++k) {
    const Index i = arrangement.node[k];
    for (int c = 0; c < 3; ++c) {
      scratch_.start[4 * std::size_t(k) + c] = state_.nodes.x[i][c];
      v.g[4 * std::size_t(k) + c] = k < arrangement.free ? float(-scheme.elastic * f[i][c]) : 0.0f;
    }
  }
  e.start_from(scratch_.start.data());
  cache_.store_rotations(state_, *input.pool);
  std::optional<TenseStars> tension;
  if (!model_.sheet && model_.covariance == Covariance::consistent) tension.emplace(e, state_.nodes.x);

  std::fill(v.d.begin(), v.d.end(), 0.0f);
  // The caller finds how far to go; a sheet's step is bent, as far as the model holds.
  const double most = model_.sheet ? violent_turn : std::numeric_limits<double>::infinity();
  Floats& force = scratch_.contact.load;
  if (model_.sheet) std::copy(v.g.begin(), v.g.end(), force.begin());
  if (!cache_.factors_hessian || !add_newton_step(e, v, most)) static_gradients(e, v);
  if (model_.sheet) {
    Floats& straight = scratch_.contact.step;
    std::copy(v.d.begin(), v.d.end(), straight.begin());
    unstretch(e, v, force);
    if (!(e.dot(v.d, force) < 0)) std::copy(straight.begin(), straight.end(), v.d.begin());
  }
  for (Index k = 0; k < model_.nodes(); ++k) {
    Vec3& out = d[arrangement.node[k]];
    for (int c = 0; c < 3; ++c) out[c] = k < arrangement.free ? v.d[4 * std::size_t(k) + c] : 0;
  }
  return {};
}

}  // namespace pliant::geometric
