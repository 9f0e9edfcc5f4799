// SPDX-License-Identifier: Apache-2.0
// One time step, implicit Euler [ZJU06, Eq. 15] in positions. With rotations R given before the solve the
// step is linear (equation.hpp): no iteration between rotations and positions.
//
//   1. pose         where the bones are at the end of the step
//   2. rotations    diffused from the bones (one product), or polar from x_n
//   3. matrix       factored anew only when the held set or h changes
//   4. solve        from x_n + h v_n
//   5. refinements  (optional) polar rotations of the new positions, and another solve
//   6. contact      (contact.cpp) with colliders
//   7. flow         (optional) plastic strain of the cells
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/plastic_flow.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::meshless {

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (report.ok() && !input.colliders.empty() && options_.warping == Warping::node)
    report.trouble = "flesh warped at nodes does not meet colliders: set meshless.warping to cell";
  if (!report.ok()) return report;
  // Rotations that follow the flesh leave no spin free, and holding it would brake the turning flesh.
  const Scheme now(input.h, damping_, momentum_.runs_ahead() ? 0 : model_.kappa);
  const Context step{input, now, *input.pool, watch, report};
  report.trouble = prepare(step);
  if (!report.ok()) return report;
  watch.add_to(&StageTimes::rhs);

  rotations_.turn(state_.nodes.x, options_.rotations == Rotations::polar, step.pool);
  if (diffuses()) report.kept_rotations = rotations_.kept();
  if (momentum_.runs_ahead()) momentum_.run_ahead(input.h, state_);
  watch.add_to(&StageTimes::rotation);
  move_freely(step);
  double sum = 0;
  for (const Vec3& x : scratch_.x) sum += x.cwiseAbs().sum();
  if (!std::isfinite(sum)) {
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
    return report;
  }
  if (input.colliders.empty()) {
    set_velocities(input.h);
    state_.contact.clear();
  } else {
    meet_colliders(step);
    watch.add_to(&StageTimes::contact);
  }
  state_.nodes.v.swap(scratch_.v);
  state_.nodes.x.swap(scratch_.x);
  if (!state_.flow.empty()) report.yields = flow(model_, options_, input.h, state_);
  report.active_rotations = options_.warping == Warping::none ? 0 : cells_.cells();
  report.ms = watch.total();
  report.bytes = equation_.traffic(report.iterations);
  return report;
}

std::string Body::prepare(const Context& step) {
  if (std::string trouble = equation_.prepare(step); !trouble.empty()) return trouble;
  if (step.report.refactored) response_.flush();
  equation_.aim(rotations_.pose(step.input.time), step.input.targets);
  return {};
}

void Body::move_freely(const Context& step) {
  const StepInput& input = step.input;
  Points& x = scratch_.x;
  const int most = options_.iterations + 2 * int(input.grabs.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = state_.nodes.x[i] + input.h * state_.nodes.v[i];
  for (int k = 0; k <= options_.refinements; ++k) {
    if (k > 0) {
      rotations_.turn(x, true, step.pool);
      step.watch.add_to(&StageTimes::rotation);
    }
    equation_.residual(step, x, scratch_.r);
    step.watch.add_to(&StageTimes::rhs);
    step.report.iterations += solver_.correct(equation_, step, scratch_.r, options_.tolerance, most, x);
    if (equation_.is_free(input)) momentum_.keep(step, state_.nodes, {}, x);
    step.watch.add_to(&StageTimes::solve);
  }
}

void Body::set_velocities(double h) {
  for (std::size_t i = 0; i < scratch_.x.size(); ++i) scratch_.v[i] = (scratch_.x[i] - state_.nodes.x[i]) / h;
}

}  // namespace pliant::meshless
