// SPDX-License-Identifier: Apache-2.0
// Contact within the step (docs/methods/contact.md), with impulses r = h (contact force) on the surface:
//   1. meet      which points would touch at the end of the free motion new_x_ (detection.hpp)
//   2. answer    r of the contact problem about that motion
//   3. respond   the motion that these forces cause, by the matrix of the step: K and not only S
//   4. again     the contact problem about the new motion changes r by dr; the motion by S^-1 J^T dr / h.
//                The end is feasible.
//   5. positions what still is deeper than the slop is moved out, velocities unchanged
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/methods/meshless/body.hpp"

namespace pliant::meshless {
namespace {

constexpr double restitution_speed = 2;  // g h: slower approach does not bounce
constexpr int position_sweeps = 30;
constexpr double largest_correction = 0.12;  // of the body's size, in one step

}  // namespace

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
  remember(input);
}

/// Steps 1 and 2.
void Body::answer(const StepInput& input, StepReport& report) {
  contact_.fill(contacts_, input.h, system_, is_free(input) ? &turning_ : nullptr, problem_, *input.pool);
  for (Index c = 0; c < problem_.size(); ++c) {
    const Contact& contact = contacts_[std::size_t(c)];
    ContactProblem::Row& row = problem_.row(c);
    row.free = velocity(contact, input.h);
    row.bias = std::max(contact.gap, 0.0) / input.h;
    const double approach = contact.normal.dot(contact_.observe(contact, state_.nodes.v) - contact.velocity);
    if (contact.restitution > 0 && approach < -restitution_speed * input.gravity.norm() * input.h)
      row.bias = std::min(row.bias, contact.restitution * approach);
    // The force of the last step; of another feature of the same collider when this one is new.
    const ContactKey first{contact.key.vertex, contact.key.collider, std::numeric_limits<Index>::min()};
    auto known = std::lower_bound(state_.contacts.begin(), state_.contacts.end(), first,
                                  [](const ContactMemory& m, const ContactKey& key) { return m.key < key; });
    const ContactMemory* best = nullptr;
    for (; known != state_.contacts.end() && known->key.vertex == first.vertex &&
           known->key.collider == first.collider;
         ++known)
      if (!best || known->key.feature == contact.key.feature) best = &*known;
    if (best) problem_.set_impulse(c, input.h * best->force);
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
    gaps_.resize(touches_.size());
    lifts_.resize(touches_.size());
    for (std::size_t c = 0; c < touches_.size(); ++c)
      gaps_[c] = std::max(touches_[c].gap, -largest_correction * size) + slop / 2;
    position_problem_.solve_normals(gaps_, position_sweeps, lifts_);
    lift_impulses_.resize(touches_.size());
    for (std::size_t c = 0; c < touches_.size(); ++c) lift_impulses_[c] = lifts_[c] * touches_[c].normal;
    move(1 / (input.h * input.h), touches_, lift_impulses_, input);
    least = contact_.detection().touches(step, new_x_, slop, touches_);
  }
  report.penetration = -least;
}

void Body::remember(const StepInput& input) {
  state_.contacts.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    if (!impulses_[c].isZero(0))
      state_.contacts.push_back({.key = contacts_[c].key, .force = impulses_[c] / input.h});
  state_.sides = sides_;
}

}  // namespace pliant::meshless
