// SPDX-License-Identifier: Apache-2.0
// One time step in reduced space: the equation (equation.hpp) by one Newton step (newton.hpp) or by
// local/global iterations (local_global.hpp), then the exact momentum (momentum.hpp), then plastic flow.
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/local_global.hpp"
#include "pliant/methods/geometric/reduced/momentum.hpp"
#include "pliant/methods/geometric/reduced/newton.hpp"

namespace pliant::geometric {
namespace {

StepTraffic traffic(const ReducedEquation& e) {
  const StepReport& report = e.report();
  const std::size_t padded = std::size_t(e.model.batches) * reduced_lanes, k = std::size_t(e.model.columns()),
                    count = std::size_t(report.iterations);
  const std::size_t pull = 3 * k * sizeof(float) * padded;
  const std::size_t gradient = pull + padded * (6 + 2 * 4) * sizeof(float);
  const std::size_t product = pull + padded * (6 + 4) * sizeof(float);
  const std::size_t dense = 2 * k * k * sizeof(double);
  const bool drag = e.scheme().inner_drag > 0 && e.options.damping_frame == DampingFrame::corotated;
  const std::size_t gradients = gradient + (drag ? product : 0) + dense;
  const bool one_gradient = e.options.step_solver == StepSolver::newton && !report.violent;
  StepTraffic out;
  out.moved = one_gradient ? gradients + count * (product + dense) : count * (gradients + dense);
  out.moved += padded * 4 * 2 * sizeof(float);  // the warm starts are kept
  // Covariances are read apart from the sums: C twice, and 9 numbers a node out and in.
  const std::size_t spread = pull + padded * 3 * 9 * sizeof(float);
  if (e.cache.sweeps.adapts()) out.moved += (one_gradient ? 1 : count) * spread;
  // Rotations and places of the new state, and every row's rest vector.
  if (e.cache.flow.on())
    out.moved += gradient + e.model.full.rest.size() * (k * sizeof(double) + 6 * sizeof(Vec3)) +
                 e.state.rest_vectors.size() * (sizeof(Vec3) + sizeof(Index));
  out.working_set = pull + padded * (12 + 8) * sizeof(float) + 4 * k * k * sizeof(double);
  return out;
}

}  // namespace

StepReport ReducedBody::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = cache_.holds.take(model_, input);
  if (report.ok() && !input.colliders.empty())
    report.trouble =
        "a reduced body has no triangles that could meet colliders: give it a surface, or remove "
        "`geometric.reduction`";
  if (!report.ok()) return report;
  const Scheme scheme(options_.integrator, input.h, damping_, options_.damping_frame);
  const Context context{input, scheme, *input.pool, watch, report};
  ReducedEquation equation{model_, options_, state_, cache_, scratch_, context};
  report.trouble = equation.set_matrix();
  if (!report.ok()) return report;
  scratch_.quaternions_before = state_.quaternions;
  predict(equation);
  solve(equation);
  finish(equation);
  if (!std::isfinite(dot(scratch_.new_z, scratch_.new_z) + dot(scratch_.new_v, scratch_.new_v))) {
    state_.quaternions = scratch_.quaternions_before;
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
    return report;
  }
  accept(input);
  if (options_.plasticity) report.yields = flow(input);
  report.active_rotations = cache_.sweeps.active();
  report.ms = watch.total();
  report.bytes = traffic(equation);
  return report;
}

void ReducedBody::solve(ReducedEquation& equation) {
  if (options_.step_solver == StepSolver::newton)
    newton(equation, scratch_.vectors);
  else
    local_global(equation, scratch_.vectors);
}

void ReducedBody::finish(ReducedEquation& equation) {
  const Scheme& s = equation.scheme();
  Coordinates &new_z = scratch_.new_z, &new_v = scratch_.new_v;
  new_z = scratch_.start + scratch_.vectors.d;
  new_v = (new_z - scratch_.hat_z) / s.h;
  keep_momentum(equation);
  cache_.holds.each_prescribed(model_, [&](Index c, const auto&) {
    new_z.row(c) = scratch_.start.row(c);
    new_v.row(c) = (scratch_.start.row(c) - scratch_.hat_z.row(c)) / s.h;
  });
}

void ReducedBody::accept(const StepInput& input) {
  state_.z_before.swap(state_.z);
  state_.v_before.swap(state_.v);
  state_.z.swap(scratch_.new_z);
  state_.v.swap(scratch_.new_v);
  state_.active = cache_.holds.active();
  state_.h = input.h;
  state_.past = Past::known;
  nodes_.drop();
}

int ReducedBody::flow(const StepInput& input) {
  cache_.sweeps.renew_rotations(swept_arrays(model_, cache_.flow, state_), state_.z, *input.pool);
  const Points& x = nodes_.at(model_, state_, *input.pool).x;
  return let_flow(model_, *options_.plasticity, input.h, x, state_, cache_.flow, *input.pool);
}

}  // namespace pliant::geometric
