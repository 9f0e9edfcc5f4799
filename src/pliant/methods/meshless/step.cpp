// SPDX-License-Identifier: Apache-2.0
// One time step, BDF2 or implicit Euler [ZJU06, Eq. 15] in positions. With rotations R given before the solve
// the step is linear (equation.hpp): no iteration between rotations and positions. A step that touches a
// collider is Euler's: contact has velocities jump, which BDF2 would read as a force and go on with.
//
//   1. pose         where the bones are at the end of the step
//   2. rotations    diffused from the bones (one product), or polar from x_n
//   3. matrix       factored anew only when the held set or h changes
//   4. solve        from x^ + h' v^
//   5. refinements  (optional) polar rotations of the new positions, and another solve
//   6. contact      (contact.hpp) with colliders
//   7. flow         (optional) plastic strain of the cells
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/momentum.hpp"
#include "pliant/methods/meshless/plastic_flow.hpp"
#include "pliant/methods/meshless/rod_coupling.hpp"
#include "pliant/methods/meshless/solver.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/first_step.hpp"

namespace pliant::meshless {
namespace {

/// At four iterations a step the swing of a loaded rod dies at 60 steps a period, and a pulled rod gains energy from
/// step to step. The tolerance ends most solves earlier.
constexpr int iterations_with_rod = 64;

bool all_finite(const Points& points) {
  double sum = 0;
  for (const Vec3& p : points) sum += p.cwiseAbs().sum();
  return std::isfinite(sum);
}

bool all_finite(const RodState& rod) {
  double sum = 0;
  for (const Quat& q : rod.rotation) sum += q.coeffs().cwiseAbs().sum();
  return std::isfinite(sum) && all_finite(rod.x);
}

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (report.ok() && !input.colliders.empty() && options_.warping == Warping::node)
    report.trouble =
        "flesh warped at nodes has no triangles that could meet colliders: give it a surface, or set "
        "meshless.warping to cell";
  if (!report.ok()) return report;
  const Integrator by = state_.touches ? Integrator::euler : options_.integrator;
  if (!advance_by(by, input, watch, report)) advance_by(Integrator::euler, input, watch, report);
  report.ms = watch.total();
  return report;
}

bool Body::advance_by(Integrator by, const StepInput& input, StageWatch& watch, StepReport& report) {
  // Rotations that follow the flesh leave no spin free, and holding it would brake the turning flesh.
  const Scheme now(by, input.h, damping_, own_rotations(rig_, options_) ? 0 : model_.kappa);
  const Context step{input, now, *input.pool, watch, report};
  Equation e{model_, rig_, options_, state_, cache_, scratch_, step};
  report.trouble = e.prepare();
  if (!report.ok()) return true;
  scratch_.turned = state_.turned;
  scratch_.node_turned = state_.node_turned;
  const auto turn_back = [&] {
    state_.turned = scratch_.turned;
    state_.node_turned = scratch_.node_turned;
  };
  e.predict(by == Integrator::euler ? Past::unknown : past(e));
  watch.add_to(&StageTimes::rhs);
  const int kept = aim(e, input.h);
  if (options_.rotations == Rotations::diffused && options_.warping != Warping::none)
    report.kept_rotations = kept;
  watch.add_to(&StageTimes::rotation);
  move_freely(e);
  if (report.ok() && !(all_finite(scratch_.x) && all_finite(scratch_.rod)))
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
  if (!report.ok()) {
    turn_back();
    return true;
  }
  bool touches = false, jumps = false;
  if (input.colliders.empty()) {
    e.set_velocities();
    state_.contact.clear();
  } else if (by == Integrator::bdf2) {
    touches = contact_.touches(e);
    watch.add_to(&StageTimes::contact);
    if (touches) {
      turn_back();
      return false;
    }
    jumps = contact_.pass(e);
  } else {
    scratch_.contact = state_.contact;
    touches = contact_.meet(e);
    watch.add_to(&StageTimes::contact);
    if (!all_finite(scratch_.x) || !all_finite(scratch_.v)) {
      report.trouble = "contact has no finite answer: a collider moves the body beyond what numbers can hold";
      state_.contact = scratch_.contact;
    }
  }
  if (!report.ok()) {
    turn_back();
    return true;
  }
  accept(e);
  if (jumps) state_.past = Past::unknown;
  state_.touches = touches;
  if (!state_.flow.empty()) report.yields = flow(model_, options_, input.h, state_);
  report.active_rotations = options_.warping == Warping::none ? 0 : model_.cells.count();
  report.bytes = e.traffic(report.iterations);
  return true;
}

int Body::aim(Equation& e, double h) {
  if (rig_.rod()) {
    scratch_.rod = state_.rod;
    lead_rod(rig_, e.input().time, scratch_.rod_work, scratch_.rod);
  }
  e.aim();
  const int kept = turn(state_.nodes.x, options_.rotations == Rotations::polar, e.pool());
  if (runs_ahead(rig_, e.options)) run_ahead(model_, h, state_, scratch_);
  return kept;
}

Past Body::past(const Equation& e) {
  if (state_.continues(e.input())) return Past::known;
  find_acceleration(e);
  return Past::curved;
}

void Body::find_acceleration(const Equation& e) {
  const NodeState& now = state_.nodes;
  StepInput input = e.input();
  scratch_.trial_targets.clear();
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Vec3 from = model_.field_at(input.held[n], now.x);
    scratch_.trial_targets.push_back(from + trial_share * (input.targets[n] - from));
  }
  input.targets = scratch_.trial_targets;
  input.time -= (1 - trial_share) * input.h;
  StepReport report;  // a trial that fails is not trusted; the step itself may have an answer
  const Context step{input, e.scheme(), e.pool(), e.context.watch, report};
  Equation trial{model_, rig_, options_, state_, cache_, scratch_, step};
  trial.predict(Past::unknown);
  aim(trial, trial.scheme().h);
  move_freely(trial);
  e.report().iterations += report.iterations;
  trial.set_velocities();
  state_.turned = scratch_.turned;
  state_.node_turned = scratch_.node_turned;
  for (std::size_t i = 0; i < now.x.size(); ++i)
    scratch_.acceleration[i] = (scratch_.v[i] - now.v[i]) / trial.scheme().h;
  choose_acceleration(now, e.input(), e.scheme().drag, e.scheme().h, elastic_energy(),
                      report.ok() && all_finite(scratch_.acceleration), scratch_.none_held,
                      scratch_.acceleration);
}

void Body::accept(const Equation& e) {
  // Written as swaps: nothing is lost and nothing allocated.
  state_.x_before.swap(state_.nodes.x);
  state_.v_before.swap(state_.nodes.v);
  state_.nodes.x.swap(scratch_.x);
  state_.nodes.v.swap(scratch_.v);
  if (rig_.rod()) std::swap(state_.rod, scratch_.rod);
  state_.remember(e.input(), e.scheme().integrator == Integrator::bdf2 ? Past::known : Past::unknown);
}

void Body::move_freely(Equation& e) {
  const StepInput& input = e.input();
  StageWatch& watch = e.context.watch;
  Points& x = scratch_.x;
  const int most =
      std::max(options_.iterations, rig_.rod() ? iterations_with_rod : 0) + 2 * int(input.grabs.size());
  const Scheme& s = e.scheme();
  // What nothing holds falls: without weight in what is left to solve, flight strains nothing.
  const Vec3 fall = e.is_free() ? Vec3(s.h * input.gravity) : Vec3::Zero();
  const double grown = e.is_free() ? 1 + s.h * s.drag : 1;  // s.mass is that over h^2
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = scratch_.hat_x[i] + s.h / grown * (scratch_.hat_v[i] + fall);
  const int solves = 1 + options_.refinements + (rig_.rod() ? 1 : 0);  // a rod is not linear
  for (int k = 0; k < solves; ++k) {
    if (k > 0) {
      turn(x, true, e.pool());
      watch.add_to(&StageTimes::rotation);
    }
    e.residual(x, scratch_.r);
    watch.add_to(&StageTimes::rhs);
    const auto solve = rig_.rod() ? correct_with_rod : correct;
    e.report().iterations += solve(e, scratch_.r, options_.tolerance, most, x);
    if (!e.report().ok()) return;
    if (e.is_free())
      keep_momentum(e, {}, x);
    else if (runs_ahead(rig_, options_))
      balance_rigid_motion(e, x);
    watch.add_to(&StageTimes::solve);
  }
}

}  // namespace pliant::meshless
