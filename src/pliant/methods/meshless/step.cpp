// SPDX-License-Identifier: Apache-2.0
// One time step, implicit Euler [ZJU06, Eq. 15] in positions. With rotations R given before the solve the
// step is linear (equation.hpp): no iteration between rotations and positions.
//
//   1. pose         where the bones are at the end of the step
//   2. rotations    diffused from the bones (one product), or polar from x_n
//   3. matrix       factored anew only when the held set or h changes
//   4. solve        from x_n + h v_n
//   5. refinements  (optional) polar rotations of the new positions, and another solve
//   6. contact      (contact.hpp) with colliders
//   7. flow         (optional) plastic strain of the cells
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/momentum.hpp"
#include "pliant/methods/meshless/plastic_flow.hpp"
#include "pliant/methods/meshless/solver.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::meshless {
namespace {

bool all_finite(const Points& points) {
  double sum = 0;
  for (const Vec3& p : points) sum += p.cwiseAbs().sum();
  return std::isfinite(sum);
}

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (report.ok() && !input.colliders.empty() && options_.warping == Warping::node)
    report.trouble = "flesh warped at nodes does not meet colliders: set meshless.warping to cell";
  if (!report.ok()) return report;
  const bool ahead = runs_ahead(rig_, options_);
  // Rotations that follow the flesh leave no spin free, and holding it would brake the turning flesh.
  const Scheme now(input.h, damping_, ahead ? 0 : model_.kappa);
  const Context step{input, now, *input.pool, watch, report};
  Equation e{model_, rig_, options_, state_, cache_, scratch_, step};
  report.trouble = e.prepare();
  if (!report.ok()) return report;
  e.aim();
  watch.add_to(&StageTimes::rhs);

  scratch_.turned = state_.turned;
  scratch_.node_turned = state_.node_turned;
  const int kept = turn(state_.nodes.x, options_.rotations == Rotations::polar, step.pool);
  if (options_.rotations == Rotations::diffused && options_.warping != Warping::none)
    report.kept_rotations = kept;
  if (ahead) run_ahead(model_, input.h, state_, scratch_);
  watch.add_to(&StageTimes::rotation);
  move_freely(e);
  if (!all_finite(scratch_.x)) {
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
  } else if (input.colliders.empty()) {
    e.set_velocities();
    state_.contact.clear();
  } else {
    scratch_.contact = state_.contact;
    contact_.meet(e);
    watch.add_to(&StageTimes::contact);
    if (!all_finite(scratch_.x) || !all_finite(scratch_.v)) {
      report.trouble = "contact has no finite answer: a collider moves the body beyond what numbers can hold";
      state_.contact = scratch_.contact;
    }
  }
  if (!report.ok()) {
    state_.turned = scratch_.turned;
    state_.node_turned = scratch_.node_turned;
    return report;
  }
  state_.nodes.v.swap(scratch_.v);
  state_.nodes.x.swap(scratch_.x);
  if (!state_.flow.empty()) report.yields = flow(model_, options_, input.h, state_);
  report.active_rotations = options_.warping == Warping::none ? 0 : model_.cells.count();
  report.ms = watch.total();
  report.bytes = e.traffic(report.iterations);
  return report;
}

void Body::move_freely(Equation& e) {
  const StepInput& input = e.input();
  StageWatch& watch = e.context.watch;
  Points& x = scratch_.x;
  const int most = options_.iterations + 2 * int(input.grabs.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = state_.nodes.x[i] + input.h * state_.nodes.v[i];
  for (int k = 0; k <= options_.refinements; ++k) {
    if (k > 0) {
      turn(x, true, e.pool());
      watch.add_to(&StageTimes::rotation);
    }
    e.residual(x, scratch_.r);
    watch.add_to(&StageTimes::rhs);
    e.report().iterations += correct(e, scratch_.r, options_.tolerance, most, x);
    if (e.is_free()) keep_momentum(e, {}, x);
    watch.add_to(&StageTimes::solve);
  }
}

}  // namespace pliant::meshless
