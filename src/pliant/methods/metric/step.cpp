// SPDX-License-Identifier: Apache-2.0
// One time step [Terzopoulos87, Eq. 26; Kelager05, Eq. 8]; integrator bdf2 comes here only with what touches a
// collider or with what it cannot solve (bdf2.cpp). With the displacement d of the step, the velocity
// v at its beginning, forces F at its beginning, outer forces f and drag C = alpha M:
//   [M/h^2 + C/(2h) + A] d = f + F(r) + (M/h - C/2) v,   r' = r + d,   v' = d/h                        (1)
// The papers' A is K(r), F = -K r: explicit for the stiffness 2 eta/H^2 of a constraint at rest, where K = 0,
// and indefinite where constraints are compressed. operator.hpp lists what takes its place; a matrix of at
// least half the Hessian is stable at any h. Damping of the deformation, beta, adds beta/h A on the left.
// Around it:
//   1. a free body is moved by its rigid motion first (momentum.hpp), (1) is solved for the rest of the
//      motion in the moved frame, with that frame's centrifugal term, and its momenta are set to what the
//      outer forces give: exact
//   2. contact forces of the last step are outer forces; the contact problem corrects them (contact.hpp)
//   3. lively: several steps of at most Model::lively_step, one after the other
// Everything in (1) is divided by unit/h^2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/contact/contact_log.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/metric/plastic_flow.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::metric {
namespace {

constexpr int most_substeps = 2000;
constexpr double no_way = 1e-8;  // of a cell's edge: residuals of a free fall are rounding, not to be solved
constexpr int most_halves = 64;  // substeps of an impact
constexpr int contact_passes = 3;  // solves of (1) a step under contact

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (!report.ok()) return report;
  report.breakdowns = 0;
  if (integrator_of(options_) == Integrator::bdf2) {
    if (second_order_step(input, report, watch)) {
      report.ms = watch.total();
      report.bytes = equation_.traffic(report.iterations, scratch_.right_sides);
      return report;
    }
    // the acceleration of a violent step says nothing of the next
    state_.past = report.violent ? Past::straight : Past::unknown;
  }
  double parts = 1;
  if (options_.integrator == Integrator::lively) {
    double factor = factor_at(options_.keys, state_.time);
    factor = std::max(factor, factor_at(options_.keys, state_.time + input.h));
    parts = std::ceil(input.h * std::sqrt(factor) / model_.lively_step);
  }
  if (!(parts <= most_substeps)) {
    report.trouble = fmt::format(
        "integrator lively would need {:.0f} substeps in a step: set metric.integrator to stable or accurate",
        parts);
    return report;
  }
  // A step that tore the body (contact.hpp) was too long for the impact: it is done again in halves.
  int count = std::max(1, int(parts));
  const StepReport fresh = report;
  // One substep without contact changes nothing before it is accepted.
  const bool changes = count > 1 || !input.colliders.empty();
  if (changes) scratch_.before = state_;
  for (;; count *= 2) {
    const bool torn = substeps(count, input, report, watch);
    const bool again = report.ok() && torn && 2 * count <= most_halves;
    if (changes && (!report.ok() || again)) state_ = scratch_.before;
    if (!again) break;
    report = fresh;
    if (input.contact_log) input.contact_log->clear();
  }
  report.ms = watch.total();
  report.bytes = equation_.traffic(report.iterations);
  return report;
}

/// Held nodes go to their targets in a straight line.
bool Body::substeps(int count, const StepInput& input, StepReport& report, StageWatch& watch) {
  bool torn = false;
  StepInput part = input;
  part.h = input.h / count;
  Points& targets = scratch_.targets;
  for (int k = 1; k <= count && report.ok() && !(torn && 2 * count <= most_halves); ++k) {
    targets.resize(input.held.size());
    for (std::size_t n = 0; n < input.held.size(); ++n) {
      const Vec3& from = scratch_.before.nodes.x[input.held[n]];
      targets[n] = k == count ? input.targets[n] : Vec3(from + double(k) / count * (input.targets[n] - from));
    }
    part.targets = targets;
    // bdf2 leaves only steps that touch, or that it cannot solve
    const bool flies = integrator_of(options_) != Integrator::bdf2 && !state_.touches;
    torn = substep(part, flies, report, watch) || torn;
  }
  return torn;
}

bool Body::substep(const StepInput& input, bool flies, StepReport& report, StageWatch& watch) {
  const Scheme now = scheme(input);
  const Context step{input, now, *input.pool, watch, report};
  const bool meets = !input.colliders.empty();
  start(step, flies);
  scratch_.enough = 0;
  const std::span<Vec3> outer = outer_forces(input);
  contact_.recall(state_, meets, outer);
  equation_.set_right_side(now, input.gravity, outer, input.grabs, step.pool);
  const int passes = meets ? contact_passes : 1;
  for (int pass = 0; pass < passes; ++pass) {
    if (!solve(step, outer)) {
      report.trouble =
          "the step has no finite answer: take smaller steps, or set metric.integrator to stable";
      return false;
    }
    if (!meets) break;
    if (pass == 0 || !contact_.touched())
      contact_.meet(step, equation_, state_, scratch_,
                    now.split ? momentum_.answers() : std::span<const RigidAnswer>{});
    else
      contact_.measure_share(scratch_);
    if (flies && contact_.touched()) return substep(input, false, report, watch);
    if (contact_.is_idle()) break;
    const bool last = pass + 1 == passes;
    const bool changed = contact_.answer(last, step, state_, scratch_);
    if (last || !changed) {
      contact_.move(input.h, scratch_);
      break;
    }
    for (std::size_t i = 0; i < outer.size(); ++i) outer[i] += contact_.on_nodes()[i] / now.h;
    equation_.add_forces(contact_.on_nodes(), now.h / equation_.unit(), step.pool);
    watch.add_to(&StageTimes::contact);
  }
  bool torn = false;
  if (meets) {
    contact_.lift(step, scratch_);
    torn = contact_.tears(step, state_, strengths(), scratch_);
    contact_.rebound(step, strengths(), state_, scratch_);
    contact_.finish(step, state_, scratch_);
    watch.add_to(&StageTimes::contact);
    if (!equation_.finite(scratch_.x, scratch_.v, step.pool)) {
      report.trouble = "contact has no finite answer: take smaller steps";
      return false;
    }
  }
  accept(input);
  state_.touches = meets && contact_.touched();
  if (options_.plasticity)
    report.yields = std::max(report.yields, 0) + flow(model_, *options_.plasticity, input.h, state_.nodes.x,
                                                      state_.metrics, scratch_.flow);
  return torn;
}

Scheme Body::scheme(const StepInput& input) const {
  return {.h = input.h,
          .drag = damping_.mass,
          .inner_drag = damping_.stiffness,
          .factor = factor_at(options_.keys, state_.time + input.h),
          .split = options_.keep_momentum && options_.integrator != Integrator::paper && input.held.empty()};
}

void Body::start(const Context& step, bool flies) {
  const StepInput& input = step.input;
  const Scheme& s = step.scheme;
  const Points &x = state_.nodes.x, &v = state_.nodes.v;
  equation_.hold(input.held);
  if (s.split) {
    momentum_.measure_start(step, state_.nodes, flies);
    equation_.start_at([&](Index i) { return momentum_.moved(i, x[i], v[i], s.h); }, step.pool);
  } else {
    equation_.start(x, v, s.h, step.pool);
  }
  for (std::size_t k = 0; k < input.held.size(); ++k)
    equation_.guess(input.held[k], input.targets[k] - x[input.held[k]]);
  const MatrixForm form{.integrator = matrix_of(options_),
                        .kappa = options_.kappa,
                        .factor = s.factor,
                        .scale = (s.h * s.h + s.h * s.inner_drag) / equation_.unit()};
  equation_.evaluate(form, state_.metrics, step.pool);
  equation_.set_matrix(s, input.grabs, step.pool);
}

std::span<Vec3> Body::outer_forces(const StepInput& input) {
  if (input.forces.empty() && input.colliders.empty()) return {};
  if (input.forces.empty())
    std::fill(scratch_.outer.begin(), scratch_.outer.end(), Vec3::Zero());
  else
    std::copy(input.forces.begin(), input.forces.end(), scratch_.outer.begin());
  return scratch_.outer;
}

bool Body::solve(const Context& step, std::span<const Vec3> outer) {
  const Scheme& s = step.scheme;
  Points &x = scratch_.x, &v = scratch_.v;
  step.watch.add_to(&StageTimes::rhs);
  const ConjugateGradients::Outcome solved = equation_.solve(
      options_.tolerance, options_.iterations, step.pool, no_way * model_.edge, scratch_.enough);
  // A sheet gives way across itself as its nodes do, however stiff it is along itself. Where a solve ends before it has
  // begun, contact takes it for rigid and answers the next impact too strongly: a sheet on the ground was torn to pieces.
  const bool may_end_early = integrator_of(options_) == Integrator::bdf2 && !model_.cells.empty();
  if (may_end_early && scratch_.enough == 0)
    scratch_.enough = options_.tolerance * options_.tolerance * solved.first;
  step.report.iterations += solved.iterations;
  step.report.breakdowns += solved.broke;
  step.watch.add_to(&StageTimes::solve);
  const bool finite = equation_.end(s.h, x, v, step.pool, [&](Index begin, Index end) {
    if (s.split)
      for (Index i = begin; i < end; ++i) v[i] += momentum_.velocity(i, x[i]);
  });
  for (std::size_t k = 0; k < step.input.held.size(); ++k) {
    const Index i = step.input.held[k];
    x[i] = step.input.targets[k];
    v[i] = (step.input.targets[k] - state_.nodes.x[i]) / s.h;
  }
  if (finite && s.split) momentum_.keep(step, outer, x, v);
  return finite;
}

void Body::accept(const StepInput& input) {
  state_.nodes.x.swap(scratch_.x);
  state_.nodes.v.swap(scratch_.v);
  state_.time += input.h;
  if (input.colliders.empty()) state_.contact.memories.clear(), state_.contact.impacts.clear();
}

}  // namespace pliant::metric
