// SPDX-License-Identifier: Apache-2.0
// One time step: the equation G(D) = 0 (equation.hpp), its solution, the exact momentum, the new state.
//   newton (default)  one Newton step (newton.hpp), under contact contact_newton.hpp
//   local-global      the paper's iterations (local_global.hpp)
// Where this is not the paper, besides the equation: angular momentum (momentum.hpp), and a loosely solved step
// still gives the body the exact linear momentum.
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/contact_newton.hpp"
#include "pliant/methods/geometric/kept_volume_step.hpp"
#include "pliant/methods/geometric/local_global.hpp"
#include "pliant/methods/geometric/momentum.hpp"
#include "pliant/methods/geometric/newton.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::geometric {
namespace {

bool finite(const Points& x, const Points& v) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i].squaredNorm() + v[i].squaredNorm();
  return std::isfinite(sum);
}

}  // namespace

std::span<const Vec3> Body::forces_after_contact(const StepInput& input, double h) {
  if (state_.carried.empty() || !state_.continues(input)) return input.forces;
  const double share = Extrapolation(Past::known, input.h).history / h;
  scratch_.forces.assign(state_.carried.size(), Vec3::Zero());
  for (std::size_t i = 0; i < scratch_.forces.size(); ++i) {
    scratch_.forces[i] = -share * state_.carried[i];
    if (!input.forces.empty()) scratch_.forces[i] += input.forces[i];
  }
  return scratch_.forces;
}

StepReport Body::advance(const StepInput& given) {
  PLIANT_CHECK(given.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(given, model_.nodes());
  if (!report.ok()) return report;
  if (!kept_.empty() && !given.colliders.empty()) {
    report.trouble =
        "a body that keeps its volume has no triangles that could meet colliders: give it a surface, or set "
        "geometric.keep_volume to false";
    return report;
  }
  const Scheme scheme(options_.integrator, given.h, damping_, options_.damping_frame);
  StepInput input = given;
  input.forces = forces_after_contact(given, scheme.h);
  const Context context{input, scheme, *input.pool, watch, report};
  if (!prepare(context)) return report;

  Equation equation{model_, options_, state_, cache_, kept_, scratch_, context};
  report.trouble = equation.set_grabs();
  if (!report.ok()) return report;
  predict(equation);
  solve(equation);
  if (!std::isfinite(equation.dot(scratch_.vectors.d, scratch_.vectors.d))) {
    cache_.load_rotations(state_);
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
    return report;
  }
  end_with_momentum(equation, contact_.any());
  watch.add_to(&StageTimes::rhs);
  contact_.resist_rolling(equation);
  contact_.last_answer(equation);
  contact_.position_pass(equation);
  watch.add_to(&StageTimes::contact);
  if (contact_.any() && !finite(scratch_.new_x, scratch_.new_v)) {
    cache_.load_rotations(state_);
    report.trouble = "contact has no finite answer: the collider moves the body beyond what numbers can hold";
    return report;
  }
  contact_.rebound(equation, state_.contact.impacts);
  accept(equation);
  report.active_rotations = model_.sheet ? model_.owners() : cache_.sweeps.active();
  if (options_.plasticity) flow(context);
  cache_.store_rotations(state_, *input.pool);
  watch.add_to(&StageTimes::rotation);
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

bool Body::prepare(const Context& context) {
  std::vector<unsigned char>& held = scratch_.held;
  std::fill(held.begin(), held.end(), 0);
  for (Index i : context.input.held) held[i] = 1;
  if (cache_.has_matrix(context.scheme, held)) return true;
  const auto start = Clock::now();
  const bool first = !cache_.factored, rearranged = held != cache_.held;
  if (rearranged) {
    cache_.arrange(model_, state_, held);
    scratch_.clear();
    kept_.clear();
  }
  const bool may_factor_hessian =
      options_.step_solver == StepSolver::newton && !has_soft_rows(model_, options_) && kept_.empty();
  StepReport& report = context.report;
  report.refactored = true;
  report.trouble =
      cache_.factor(model_, context.scheme, first || rearranged, may_factor_hessian, context.pool);
  scratch_.exact.resize(cache_.factors_hessian && !model_.sheet ? model_.rest.size() : 0);
  if (first) setup_ms_ += milliseconds_since(start);
  return report.ok();
}

void Body::solve(Equation& e) {
  SolverVectors& v = scratch_.vectors;
  if (options_.step_solver == StepSolver::newton) {
    double rho = begin_newton(e, v);
    if (contact_.meet(e, v)) return contact_newton(e, v, contact_);
    // An impact changed v^ and so g and z, but nothing touches any more.
    if (contact_.jump()) rho = e.dot(v.g, v.z);
    newton(e, v, rho);
  } else {
    begin_local_global(e, v);
    if (contact_.meet(e, v)) return contact_local_global(e, v, contact_, options_.iterations);
    local_global(e, v);
  }
}

void Body::solve_free(Equation& e) {
  SolverVectors& v = scratch_.vectors;
  contact_.forget();
  if (options_.step_solver == StepSolver::newton) {
    newton(e, v, begin_newton(e, v));
  } else {
    begin_local_global(e, v);
    local_global(e, v);
  }
}

void Body::end_with_momentum(Equation& e, bool touches) {
  const EndArrays ends{cache_.arrangement.node.data(), scratch_.hat_x[0].data(), scratch_.hat_v[0].data(),
                       model_.mass.data(), e.scheme.h};
  for_blocks(e.context.pool, model_.nodes(), 1024, [&](int begin, int end) {
    step_kernels().accept(ends, scratch_.vectors.d.data(), scratch_.new_x[0].data(), scratch_.new_v[0].data(),
                          begin, end);
  });
  const OuterMotion outer{contact_.outer_forces(e), contact_.jump(),
                          !contact_.any() && !e.input.forces.empty(), touches};
  if (kept_.empty())
    keep_momentum(e, outer);
  else
    end_at_volume(e, outer);
}

void Body::accept(const Equation& e) {
  // Written as swaps: nothing is lost and nothing allocated.
  state_.x_before.swap(state_.nodes.x);
  state_.v_before.swap(state_.nodes.v);
  state_.nodes.x.swap(scratch_.new_x);
  state_.nodes.v.swap(scratch_.new_v);
  // Under contact a part that turns far does not follow the line through its last two positions, and its
  // acceleration is that of the blow: BDF2 would feed it energy. Start it anew, straight.
  state_.remember(e.input, e.report().violent && contact_.any() ? Past::straight : Past::known);
  state_.carried.clear();
  contact_.remember(e, state_);
}

/// Rows flow by themselves: neither order nor threads matter.
void Body::flow(const Context& context) {
  const Plasticity& plasticity = *options_.plasticity;
  const Points& x = state_.nodes.x;
  double* const places = scratch_.trial.data();
  for_blocks(context.pool, model_.nodes(), 1024, [&](int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (int c = 0; c < 3; ++c) places[4 * std::size_t(k) + c] = x[cache_.arrangement.node[k]][c];
  });
  if (!cache_.sweeps.flows_by_stars(plasticity)) {
    context.report.yields = cache_.sweeps.flow(model_, cache_.arrangement, plasticity, context.input.h,
                                               places, true, state_.rest_vectors, context.pool);
    return;
  }
  context.report.yields = cache_.sweeps.flow_stars(model_, cache_.arrangement, plasticity, context.input.h,
                                                   places, x, state_.rest_vectors, context.pool);
}

}  // namespace pliant::geometric
