// SPDX-License-Identifier: Apache-2.0
// The step, on one page:
//
//   1. colliders    where they are at the beginning and at the end of the step (contact/collider.cpp)
//   2. per body, in order; bodies that meet each other step together (island/islands.hpp):
//      a. holds     pins and handles that act until the end of the step; their places at its end (body.cpp)
//      b. grabs     the springs of users, as they were last set (Body::set_grabs)
//      c. forces    those of the world and of the user, on nodes (outer_forces.cpp)
//      d. method    the method's own step (methods/M/step), contact included
//   3. time         the clock is a count of steps: t = n h, no sum of round-off
//
// Users change grabs, holds and gravity between steps only. On failure the body that failed keeps its last
// good state and the clock stays; bodies that may meet each other go back together. Other bodies before the
// failing one have made this step: keeping a copy of every state for that case would cost each step a pass
// through memory.
#include "pliant/contact/contact_body.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {
namespace {

double mean_edge(const Points& x, const std::vector<Triangle>& triangles) {
  double sum = 0;
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k) sum += (x[std::size_t(t[(k + 1) % 3])] - x[std::size_t(t[k])]).norm();
  return triangles.empty() ? 0 : sum / double(3 * triangles.size());
}

}  // namespace

std::optional<StepFailure> Simulation::step() {
  join_changed();
  const double end = since_time_ + double(steps_ + 1 - since_step_) * options_.h;
  for (Collider& collider : colliders_) collider.aim(time(), end);
  if (!islands_.empty())
    if (const std::optional<int> failed = step_together(end)) return failure(*failed, end);
  for (int i = 0; i < int(bodies_.size()); ++i) {
    Body& body = bodies_[std::size_t(i)];
    if (meets_[std::size_t(i)] && !islands_.empty()) continue;
    if (!body.advance(end, options_.h, {options_.gravity, forces_, colliders_}, *pool_).ok())
      return failure(i, end);
  }
  ++steps_;
  return std::nullopt;
}

std::optional<int> Simulation::step_together(double end) {
  for (Member& member : islands_.members())
    member.input = bodies_[std::size_t(member.body)].aim_at(end, options_.h,
                                                            {options_.gravity, forces_, colliders_}, *pool_);
  const std::optional<Index> failed = islands_.step(*pool_);
  for (const Member& member : islands_.members()) bodies_[std::size_t(member.body)].note(member.report);
  if (!failed) return std::nullopt;
  return islands_.members()[std::size_t(*failed)].body;
}

/// Sheets have no size that tells how thick they are. Bodies that meet no others cost nothing here.
void Simulation::join_bodies(const std::vector<char>& starts) {
  constexpr double thin = 0.1;  // of the mean edge
  std::vector<Islands::Joiner> joiners;
  meets_.assign(bodies_.size(), 0);
  here_.clear();
  wants_.clear();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    here_.push_back(&body.method());
    wants_.push_back(joins(body));
    if (!joins(body)) continue;
    const double thickness = body.closed() ? 0 : thin * mean_edge(body.rest_surface(), body.triangles());
    const bool movable = starts[i] && body.holds().empty();
    joiners.push_back({Index(i), &body.method(), body.contact_triangles(), body.contact(), thickness, movable,
                       body.closed()});
  }
  islands_.attach(joiners);
  for (const Member& member : islands_.members()) meets_[std::size_t(member.body)] = 1;
}

/// It wants to meet others, or colliders that it meets in an island only.
bool Simulation::joins(Body& body) {
  if (body.contact().bodies) return true;
  ContactBody* const contact = body.method().contact_body();
  return contact && !contact->meets_colliders_alone() && !colliders_.empty();
}

void Simulation::join_changed() {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bool(wants_[i]) != joins(bodies_[i]))
      return join_bodies(std::vector<char>(bodies_.size(), steps_ == 0));
}

std::optional<StepFailure> Simulation::failure(int body, double end) const {
  const Body& failed = bodies_[std::size_t(body)];
  return StepFailure{body, failed.name(), steps_ + 1, end, failed.report().trouble};
}

}  // namespace pliant
