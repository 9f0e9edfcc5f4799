// SPDX-License-Identifier: Apache-2.0
// Contact within the step (docs/methods/contact.md), with impulses r = h (contact force) on the surface:
//   1. meet      which points would touch at the end of the free motion new_x_ (detection.hpp)
//   2. answer    r of the contact problem about that motion
//   3. respond   the motion that these forces cause, by the matrix of the step: K and not only S
//   4. again     the contact problem about the new motion changes r by dr; the motion by S^-1 J^T dr / h.
//                The end is feasible.
//   5. positions what still is deeper than the slop is moved out, velocities unchanged
#include <algorithm>

#include "pliant/contact/contact_memory.hpp"
#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {

Detection::Step Body::detection_step(const StepInput& input) const {
  return {.colliders = input.colliders,
          .options = input.contact,
          .h = input.h,
          .begin = state_.nodes.x,
          .end = new_x_,
          .last = state_.contacts};
}

/// After the free motion: new_x_ and new_v_ with contact.
void Body::contact(const StepInput& input, const Scheme& s, StepReport& report) {
  sides_ = state_.sides;
  contact_.detection().find(detection_step(input), sides_);
  contacts_.assign(contact_.detection().contacts().begin(), contact_.detection().contacts().end());
  impulses_.assign(contacts_.size(), Vec3::Zero());
  if (is_free(input)) turning_.about(new_x_, s.mass, runs_ahead(), system_, *input.pool);
  if (!contacts_.empty()) {
    answer(input, report);
    respond(input, s, report);
  }
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_v_[i] = (new_x_[i] - state_.nodes.x[i]) / input.h;
  lift(input, report);
  remember(contacts_, impulses_, input.h, state_.contacts);
  state_.sides = sides_;
}

/// Steps 1 and 2.
void Body::answer(const StepInput& input, StepReport& report) {
  contact_.fill(contacts_, input.h, system_, is_free(input) ? &turning_ : nullptr, problem_, *input.pool);
  for (Index c = 0; c < problem_.size(); ++c) {
    const Contact& contact = contacts_[std::size_t(c)];
    ContactProblem::Row& row = problem_.row(c);
    row.free = velocity(contact, input.h);
    const double approach = contact.normal.dot(contact_.observe(contact, state_.nodes.v) - contact.velocity);
    row.bias = with_restitution(contact, approach, input.gravity.norm() * input.h,
                                std::max(contact.gap, 0.0) / input.h);
    if (const ContactMemory* known = recall(state_.contacts, contact.key))
      problem_.set_impulse(c, input.h * known->force);
  }
  const ContactProblem::Outcome outcome = problem_.solve(input.contact.sweeps, input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
}

/// Of the contact point relative to the collider, when the nodes end at new_x_.
Vec3 Body::velocity(const Contact& contact, double h) const {
  return (contact_.observe(contact, new_x_) - contact_.observe(contact, state_.nodes.x)) / h -
         contact.velocity;
}

/// Steps 3 and 4.
void Body::respond(const StepInput& input, const Scheme& s, StepReport& report) {
  for (Index c = 0; c < problem_.size(); ++c) impulses_[std::size_t(c)] = problem_.impulse(c);
  contact_.collect(contacts_, impulses_, 1 / input.h, r_);
  on_nodes_ = r_;
  report.iterations += solve(input, s, options_.tolerance, options_.iterations);
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_x_[i] += Vec3(d_[i].x, d_[i].y, d_[i].z);
  keep_momentum(input, s, on_nodes_);

  problem_.rebase([&](Index c) -> Vec3 { return velocity(contacts_[std::size_t(c)], input.h); });
  const ContactProblem::Outcome outcome = problem_.solve(input.contact.sweeps, input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  for (Index c = 0; c < problem_.size(); ++c)
    impulses_[std::size_t(c)] = problem_.impulse(c) - impulses_[std::size_t(c)];
  move(1 / input.h, contacts_, impulses_, input);
  for (Index c = 0; c < problem_.size(); ++c) {
    impulses_[std::size_t(c)] = problem_.impulse(c);
    report.contact_impulse += impulses_[std::size_t(c)];
    report.contacts += !impulses_[std::size_t(c)].isZero(0);
  }
}

/// new_x_ += factor B J^T impulses, B = S^-1 but for the rigid motion of what is free (free_turning.hpp).
void Body::move(double factor, std::span<const Contact> contacts, std::span<const Vec3> impulses,
                const StepInput& input) {
  contact_.collect(contacts, impulses, factor, r_);
  for (std::size_t i = 0; i < r_.size(); ++i)
    f_[i] = {float(r_[i].x()), float(r_[i].y()), float(r_[i].z()), 0};
  system_.solve(f_.data(), d_.data(), *input.pool);
  for (std::size_t i = 0; i < new_x_.size(); ++i) elastic_[i] = Vec3(d_[i].x, d_[i].y, d_[i].z);
  if (is_free(input)) turning_.complete(r_, elastic_);
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_x_[i] += elastic_[i];
}

/// Step 5.
void Body::lift(const StepInput& input, StepReport& report) {
  const double size = contact_.detection().size(), slop = input.contact.slop * size;
  const Detection::Step step = detection_step(input);
  double least = contact_.detection().touches(step, new_x_, slop, touches_);
  if (least < -slop) {
    contact_.fill(touches_, input.h, system_, is_free(input) ? &turning_ : nullptr, position_problem_,
                  *input.pool);
    move(1 / (input.h * input.h), touches_, position_pass_.solve(touches_, slop, size, position_problem_),
         input);
    least = contact_.detection().touches(step, new_x_, slop, touches_);
  }
  report.penetration = -least;
}

}  // namespace pliant::meshless
