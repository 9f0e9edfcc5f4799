// SPDX-License-Identifier: Apache-2.0
// Contact within the step (contact/contact_stage.hpp), with impulses r = h (contact force) on the surface:
//   1. find      which points would touch at the end of the free motion new_x_
//   2. answer    r of the contact problem about that motion
//   3. respond   the motion that these forces cause, by the matrix of the step: K and not only S
//   4. correct   the contact problem about the new motion changes r by dr; the motion by S^-1 J^T dr / h.
//                The end is feasible.
//   5. positions what still is deeper than the slop is moved out, velocities unchanged
#include <algorithm>

#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {

/// After the free motion: new_x_ and new_v_ with contact.
void Body::contact(const StepInput& input, const Scheme& s, StepReport& report) {
  stage_.find(input, {.begin = state_.nodes.x, .end = new_x_}, state_.contact);
  if (is_free(input))
    response_.set_free(input.h, new_x_, s.mass, runs_ahead(), *input.pool);
  else
    response_.hold(input.h);
  if (!stage_.empty()) answer_contacts(input, s, report);
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_v_[i] = (new_x_[i] - state_.nodes.x[i]) / input.h;
  stage_.position_pass(1, input, response_, new_x_, report);
  stage_.tell(report);
  stage_.remember(input.h, state_.contact);
}

/// Steps 2 to 4.
void Body::answer_contacts(const StepInput& input, const Scheme& s, StepReport& report) {
  const ContactRows& rows = stage_.rows();
  const auto velocity = [&](const Contact& contact) -> Vec3 {
    return (rows.observe(contact, new_x_) - rows.observe(contact, state_.nodes.x)) / input.h;
  };
  const int sweeps = input.contact.sweeps;
  const double tolerance = input.contact.tolerance;
  stage_.couple(response_, *input.pool);
  stage_.set_targets(input, state_.nodes.v,
                     [&](const Contact& contact) { return std::max(contact.gap, 0.0) / input.h; });
  stage_.warm_start(state_.contact, input.h);
  stage_.answer(sweeps, tolerance, report, velocity);

  rows.collect(stage_.contacts(), stage_.impulses(), 1 / input.h, r_);
  on_nodes_ = r_;
  report.iterations += solve(input, s, options_.tolerance, options_.iterations);
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_x_[i] += Vec3(d_[i].x, d_[i].y, d_[i].z);
  keep_momentum(input, s, on_nodes_);

  stage_.correct(sweeps, tolerance, report, velocity);
  response_.push(stage_.contacts(), stage_.changes(), new_x_, *input.pool);
}

}  // namespace pliant::meshless
