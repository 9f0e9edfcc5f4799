// SPDX-License-Identifier: Apache-2.0
// One time step. With h', x^, v^ of the integrator (physics/implicit_scheme.hpp) and outer forces f, the new
// positions X0 + D solve G = 0,
//   X0 = x^ + h' v^, the predicted positions
//   G(D) = (1 + h' alpha) M D + h'^2 (alpha M v^ - f + g(X0 + D) + beta K' v),   v = v^ + D/h'
// Bones (rig.hpp) hold nodes as pins do. Rotations that they give make G linear in D: one Newton step solves it.
// Symbols: M lumped masses, kg; g = dV/dx, N, and K' (energy.hpp); alpha 1/s, beta s: Rayleigh damping.
// A Newton step is
//   D <- D - A^-1 G(D),   A = (1 + h' alpha) M + (h'^2 + h' beta) K'
// solved by conjugate gradients with the inverse diagonal blocks of A as preconditioner: on the bar of
// geometric/bar-stiff they took half the time of factoring A anew (docs/methods/fem.md). One Newton step with
// Euler is the scheme of [Mueller04, Eq. 4, 13], except that it starts from X0, not from x_n: a body that
// turns fast is then corrected within the step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/fem/body.hpp"
#include "pliant/methods/fem/momentum.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/first_step.hpp"

namespace pliant::fem {
namespace {

constexpr double converged = 1e-10;  // a Newton step that moves nothing by more than this share of the size
// In exact arithmetic conjugate gradients end after as many iterations as there are unknowns; small bodies
// get more for round-off.
constexpr int fewest_allowed = 1000;

double sum_of(const Points& points, std::size_t count) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < count; ++k) sum += points[k].cwiseAbs();
  return sum.sum();
}

}  // namespace

StepReport Body::advance(const StepInput& given) {
  PLIANT_CHECK(given.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(given, model_.nodes());
  if (report.ok() && !given.colliders.empty())
    report.trouble =
        "a body of finite elements has no triangles that could meet colliders: give it a surface, or set its "
        "method to "
        "geometric";
  if (!report.ok()) return report;
  const StepInput input = rig_.empty() ? given : rig_.with_bones(given, scratch_.rig);
  const Scheme now(options_.integrator, input.h, damping_);
  const Context step{input, now, *input.pool, watch, report};

  arrange(input.held);
  const Past from = past(step);
  predict(step, from);
  solve(step);
  if (!report.ok()) return report;
  keep_free_momentum(step, from);
  accept(step);
  if (model_.corotational) report.active_rotations = model_.elements();
  report.ms = watch.total();
  report.bytes = equation_.traffic(report.iterations);
  return report;
}

/// Linear strain has torques of its own; Euler's step is the paper's.
void Body::keep_free_momentum(const Context& step, Past from) {
  const bool flies = step.input.held.empty() && step.input.grabs.empty();
  if (!flies || !model_.corotational || options_.integrator != Integrator::bdf2 || !step.report.ok()) return;
  keep_momentum(model_, step, carried_forces(step.input), from, state_, scratch_);
}

void Body::arrange(std::span<const Index> nodes) {
  std::fill(scratch_.held.begin(), scratch_.held.end(), 0);
  for (Index i : nodes) scratch_.held[i] = 1;
  equation_.arrange(nodes, scratch_.held);
}

Past Body::past(const Context& step) {
  if (options_.integrator == Integrator::euler) return Past::unknown;
  if (state_.continues(step.input)) return Past::known;
  find_acceleration(step);
  return Past::curved;
}

void Body::find_acceleration(const Context& step) {
  const NodeState& now = state_.nodes;
  StepInput input = step.input;
  scratch_.trial_targets.clear();
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Vec3& from = now.x[input.held[n]];
    scratch_.trial_targets.push_back(from + trial_share * (input.targets[n] - from));
  }
  input.targets = scratch_.trial_targets;
  input.time -= (1 - trial_share) * input.h;
  StepReport report;
  const Context trial{input, step.scheme, step.pool, step.watch, report};
  predict(trial, Past::unknown);
  solve(trial);
  keep_free_momentum(trial, Past::unknown);
  step.report.iterations += report.iterations;
  set_velocities(step.scheme);
  for (Index i = 0; i < model_.carriers(); ++i)
    scratch_.acceleration[i] = (scratch_.v[i] - now.v[i]) / step.scheme.h;
  input.forces = carried_forces(step.input);
  choose_acceleration(now, input, step.scheme.drag, step.scheme.h, elastic_energy(), report.ok(),
                      has_followers() ? scratch_.none_held : scratch_.held, scratch_.acceleration);
}

std::span<const Vec3> Body::carried_forces(const StepInput& input) {
  if (!has_followers() || input.forces.empty()) return input.forces;
  Points& out = scratch_.carried;
  out.assign(input.forces.size(), Vec3::Zero());
  for (Index node = 0; node < model_.nodes(); ++node)
    each_carrier(model_, node,
                 [&](Index i, double weight) { out[std::size_t(i)] += weight * input.forces[node]; });
  return out;
}

void Body::solve(const Context& step) {
  double moved = model_.size;
  if (model_.has_given_rotations())
    step.report.kept_rotations =
        rig_.turn(model_, step.input.time, scratch_.rig, scratch_.rotations, step.pool);
  for (int k = 0; k < options_.iterations && moved > converged * model_.size; ++k) {
    set_velocities(step.scheme);
    equation_.linearise(step, scratch_);
    equation_.assemble(step.scheme, step.input.grabs, step.pool);
    step.watch.add_to(&StageTimes::rhs);
    moved = descend(step);
    step.watch.add_to(&StageTimes::solve);
    if (!step.report.ok()) return;
  }
}

/// The first guess is X0, with held nodes at their targets.
void Body::predict(const Context& step, Past past) {
  const StepInput& input = step.input;
  const NodeState& now = state_.nodes;
  Scratch& end = scratch_;
  const Extrapolation by(past, input.h);
  for (Index i = 0; i < model_.carriers(); ++i) {
    end.hat_x[i] = now.x[i] + by.history * (now.x[i] - state_.x_before[i]) + by.line * now.v[i];
    end.hat_v[i] = now.v[i] + by.history * (now.v[i] - state_.v_before[i]);
    if (past == Past::curved) {
      end.hat_x[i] += by.bend * end.acceleration[i];
      end.hat_v[i] += by.line * end.acceleration[i];
    }
    end.x[i] = end.hat_x[i] + step.scheme.h * end.hat_v[i];
  }
  if (!has_followers())
    for (std::size_t n = 0; n < input.held.size(); ++n) end.x[input.held[n]] = input.targets[n];
  std::copy(state_.rotations.begin(), state_.rotations.end(), end.rotations.begin());
}

void Body::set_velocities(const Scheme& s) {
  for (Index i = 0; i < model_.carriers(); ++i) scratch_.v[i] = (scratch_.x[i] - scratch_.hat_x[i]) / s.h;
}

double Body::descend(const Context& step) {
  StepReport& report = step.report;
  Points& p = scratch_.p;
  const std::vector<Index>& free = equation_.free();
  if (free.empty()) return 0;
  const int allowed = std::max(fewest_allowed, 3 * int(free.size()));
  const BlockGradients::Outcome solved =
      equation_.solve(scratch_.g, p, options_.tolerance, allowed, step.pool);
  report.iterations += solved.iterations;
  double most = 0;
  for (std::size_t k = 0; k < free.size(); ++k) {
    scratch_.x[free[k]] -= p[k];
    most = std::max(most, p[k].norm());
  }
  if (!std::isfinite(solved.residual) || !std::isfinite(sum_of(p, free.size())))
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
  else if (solved.residual > options_.tolerance)
    report.trouble = fmt::format(
        "the linear solve did not converge in {} iterations (residual {:.1e} of its start): take smaller "
        "steps or a larger fem.tolerance",
        solved.iterations, solved.residual);
  return most;
}

void Body::accept(const Context& step) {
  set_velocities(step.scheme);
  move_followers(scratch_.x);
  move_followers(scratch_.v);
  // Written as swaps: nothing is lost and nothing allocated.
  state_.x_before.swap(state_.nodes.x);
  state_.v_before.swap(state_.nodes.v);
  state_.nodes.x.swap(scratch_.x);
  state_.nodes.v.swap(scratch_.v);
  state_.rotations.swap(scratch_.rotations);
  state_.remember(step.input, Past::known);
}

}  // namespace pliant::fem
