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
#include <algorithm>
#include <cmath>

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

/// Looks at every step, because all of it may be set between two; a few comparisons a body, collider and force.
std::optional<StepFailure> Simulation::refusal(double end) const {
  const auto wrong = [](const auto& thing) { return !thing.problems().empty(); };
  const bool fine = options_.h > 0 && std::isfinite(options_.h) && options_.gravity.allFinite() &&
                    std::none_of(bodies_.begin(), bodies_.end(), wrong) &&
                    std::none_of(colliders_.begin(), colliders_.end(), wrong) && forces_are_fine_;
  if (fine) return std::nullopt;
  const auto body = std::find_if(bodies_.begin(), bodies_.end(), wrong);
  std::string cause = Error{{}, problems()}.text();
  if (!cause.empty()) cause.pop_back();
  if (body == bodies_.end()) return StepFailure{-1, {}, steps_ + 1, end, std::move(cause)};
  return StepFailure{int(body - bodies_.begin()), body->name(), steps_ + 1, end, std::move(cause)};
}

std::optional<StepFailure> Simulation::step() {
  join_changed();
  const double end = since_time_ + double(steps_ + 1 - since_step_) * options_.h;
  if (auto refused = refusal(end)) return refused;
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
  const Islands::Aim aim = [this, end](Member& member) {
    Body& body = bodies_[std::size_t(member.body)];
    member.input = body.aim_at(end, options_.h, {options_.gravity, forces_, colliders_}, *pool_);
    member.settled = forces_.empty() && body.is_left_alone(end);
  };
  const std::optional<Index> failed = islands_.step(aim, colliders_, *pool_);
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
    wants_.push_back(wanted(body));
    const bool tied = i < tied_.size() && tied_[i];
    if (!joins(body) && !tied) continue;
    const double thickness = body.closed() ? 0 : thin * mean_edge(body.rest_surface(), body.triangles());
    const bool movable = starts[i] && body.holds().empty();
    joiners.push_back({Index(i), &body.method(), body.contact_triangles(), body.contact(), thickness, movable,
                       body.closed(),
                       body.contact().bodies && body.contact().self ? std::span(body.contact_rest())
                                                                    : std::span<const Vec3>()});
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

/// What a change of makes a simulation see anew which bodies may meet.
char Simulation::wanted(Body& body) {
  const ContactOptions& contact = body.contact();
  const char meets = char(contact.bodies ? contact.self ? 2 : 1 : 0);
  return char(2 * meets + joins(body));
}

void Simulation::join_changed() {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (wants_[i] != wanted(bodies_[i])) return join_bodies(std::vector<char>(bodies_.size(), steps_ == 0));
}

std::optional<StepFailure> Simulation::failure(int body, double end) const {
  const Body& failed = bodies_[std::size_t(body)];
  return StepFailure{body, failed.name(), steps_ + 1, end, failed.report().trouble};
}

}  // namespace pliant
