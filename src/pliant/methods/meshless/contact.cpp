// SPDX-License-Identifier: Apache-2.0
// Contact within the step (contact/contact_stage.hpp), with impulses r = h (contact force) on the surface:
//   1. find      which points would touch at the end of the free motion
//   2. answer    r of the contact problem about that motion
//   3. respond   the motion that these forces cause, by the matrix of the step: K and not only S
//   4. correct   the contact problem about the new motion changes r by dr; the motion by S^-1 J^T dr / h.
//                The end is feasible.
//   5. positions what still is deeper than the slop is moved out, velocities unchanged
#include <algorithm>

#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {

void Body::meet_colliders(const Context& step) {
  const StepInput& input = step.input;
  Points& x = scratch_.x;
  stage_.find(input, {.begin = state_.nodes.x, .end = x}, state_.contact);
  if (equation_.is_free(input))
    response_.set_free(input.h, x, step.scheme.mass, momentum_.runs_ahead(), step.pool);
  else
    response_.hold(input.h);
  if (!stage_.empty()) answer_contacts(step);
  set_velocities(input.h);
  stage_.position_pass(1, input, response_, x, step.report);
  stage_.tell(step.report);
  stage_.remember(input.h, state_.contact);
}

void Body::answer_contacts(const Context& step) {
  const StepInput& input = step.input;
  const ContactRows& rows = stage_.rows();
  Points& x = scratch_.x;
  const auto velocity = [&](const Contact& contact) -> Vec3 {
    return (rows.observe(contact, x) - rows.observe(contact, state_.nodes.x)) / input.h;
  };
  const int sweeps = input.contact.sweeps;
  const double tolerance = input.contact.tolerance;
  stage_.couple(response_, step.pool);
  stage_.set_targets(input, state_.nodes.v,
                     [&](const Contact& contact) { return std::max(contact.gap, 0.0) / input.h; });
  stage_.warm_start(state_.contact, input.h);
  stage_.answer(sweeps, tolerance, step.report, velocity);

  rows.collect(stage_.contacts(), stage_.impulses(), 1 / input.h, scratch_.r);
  step.report.iterations +=
      solver_.correct(equation_, step, scratch_.r, options_.tolerance, options_.iterations, x);
  if (equation_.is_free(input)) momentum_.keep(step, state_.nodes, scratch_.r, x);

  stage_.correct(sweeps, tolerance, step.report, velocity);
  response_.push(stage_.contacts(), stage_.changes(), x, step.pool);
}

}  // namespace pliant::meshless
