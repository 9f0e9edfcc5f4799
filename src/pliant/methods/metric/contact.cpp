// SPDX-License-Identifier: Apache-2.0
// Contact with friction. The matrix of a step changes with every step and its inverse is never at hand. The
// contact problem is given a share theta of the response of the touching nodes' own masses,
// u = theta J M^-1 J^T r (contact_response.hpp); theta is measured: (dr . du)/(dr . J M^-1 J^T dr) of the last
// change of the impulses r and what it did to the velocities u. A step goes
//   1. the forces of the contacts of the last step act as outer forces in the solve
//   2. meet: which points touch at the end of that motion (contact/contact_stage.hpp)
//   3. the contact problem about that motion changes the impulses by dr, so that r is on Coulomb's cone; the
//      motion is solved again with r, theta is measured, and so once more
//   4. the problem about the last motion with theta = 1: its dr moves the touching nodes alone,
//      v += M^-1 J^T dr, and the end is feasible
//   5. position pass: what still is deeper than the slop is moved out, velocities unchanged
// At rest dr = 0: the forces that were recalled carry the body, whatever response was assumed. With theta = 1
// throughout, impulses would follow changes of the motion as slowly as the touching nodes are light: a body
// of thousands of nodes would float on forces of an impact long past.
// Without the orientation term a layer of cells that is pressed flat onto a plane feels no force off it and
// stays flat for ever (all terms are even in the distance); so that it never is exactly flat, each point then
// keeps its own distance from colliders, up to 1e-3 of a spacing [the trap: docs/methods/metric.md].
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pliant/methods/metric/body.hpp"

namespace pliant::metric {
namespace {

constexpr int position_passes = 3;
constexpr double roughness = 1e-3;  // of a spacing
constexpr double least_response = 1e-7;
constexpr double harmless = 0.01;  // of a cell's edge: nodes moved alone by less, or bodies lifted by it

}  // namespace

/// A number in [0, roughness) of the spacing that belongs to the point.
double Body::jitter(Index point) const {
  if (model_.orientation > 0) return 0;
  std::uint64_t bits = (std::uint64_t(point) + 1) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  bits *= 0xbf58476d1ce4e5b9u;
  bits ^= bits >> 32;
  return roughness * model_.edge * double(bits >> 11) * 0x1.0p-53;
}

/// Step 1.
void Body::recall_forces(bool colliders) {
  stage_.clear();
  recalled_.clear();
  response_ = state_.response;
  if (state_.contact.memories.empty() || !colliders) return;
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  for (const ContactMemory& m : state_.contact.memories) {
    recalled_.push_back(m.force);
    stage_.rows().add({.key = m.key}, m.force, on_nodes_);
  }
  for (std::size_t i = 0; i < outer_.size(); ++i) outer_[i] += on_nodes_[i];
}

/// Step 2. What a contact that is still there was recalled with starts the problem.
void Body::meet(const StepInput& input, const Scheme& s) {
  std::vector<double>& inverse_mass = answers_.inverse_mass();
  for (std::size_t i = 0; i < inverse_mass.size(); ++i)
    inverse_mass[i] = held_[i] ? 0 : 1 / (model_.mass[i] * (1 + s.h * s.drag / 2));
  stage_.find(input, {.begin = state_.nodes.x, .end = new_x_}, state_.contact);
  const std::span<Contact> contacts = stage_.contacts();
  for (Contact& c : contacts) c.gap -= jitter(c.key.vertex);
  const std::vector<ContactMemory>& memory = state_.contact.memories;
  for (std::size_t k = 0, c = 0; k < memory.size(); ++k) {
    const auto before = [](const ContactKey& a, const ContactKey& b) {
      return a.vertex != b.vertex ? a.vertex < b.vertex : a.collider < b.collider;
    };
    while (c < contacts.size() && before(contacts[c].key, memory[k].key)) ++c;
    std::size_t best = contacts.size();
    for (std::size_t d = c; d < contacts.size() && !before(memory[k].key, contacts[d].key); ++d)
      if (best == contacts.size() || contacts[d].key.feature == memory[k].key.feature) best = d;
    if (best == contacts.size()) continue;
    stage_.impulses()[best] += input.h * memory[k].force;
    recalled_[k].setZero();
  }
}

/// theta from what the last change of the impulses did.
void Body::measure_response() {
  double done = 0;
  const std::span<const Contact> contacts = stage_.contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    done += stage_.changes()[c].dot(stage_.rows().observe(contacts[c], new_v_) - speeds_[c]);
  if (done > 0 && alone_ > 0) response_ = std::clamp(done / alone_, least_response, 1.0);
}

/// An open gap may close and no more: the gap at the end, changed by h du, must not be negative.
double Body::closing_speed(const Contact& contact, double h) const {
  const ContactRows& rows = stage_.rows();
  const Vec3 way =
      rows.observe(contact, new_x_) - rows.observe(contact, state_.nodes.x) - h * contact.velocity;
  const Vec3 u = rows.observe(contact, new_v_) - contact.velocity;
  const double gap = contact.gap + contact.normal.dot(way);
  return std::max(0.0, std::min(gap / h - contact.normal.dot(u), contact.gap / h));
}

/// The contact problem about the motion as it is changes r by dr; on_nodes_ = J^T dr. Of contacts that are
/// gone, the forces that were recalled are taken back. Returns the largest change.
double Body::answer(double share, const StepInput& input, StepReport& report) {
  const ContactRows& rows = stage_.rows();
  answers_.set_share(share);
  stage_.couple(answers_, *input.pool);
  stage_.set_targets(input, state_.nodes.v,
                     [&](const Contact& contact) { return closing_speed(contact, input.h); });
  stage_.start_from_impulses();
  speeds_.clear();
  for (const Contact& contact : std::as_const(stage_).contacts())
    speeds_.push_back(rows.observe(contact, new_v_));
  double most = stage_
                    .correct(input.contact.sweeps, input.contact.tolerance, report,
                             [&](const Contact& contact) { return rows.observe(contact, new_v_); })
                    .most;
  rows.collect(stage_.contacts(), stage_.changes(), 1, on_nodes_);
  alone_ = 0;  // dr . J M^-1 J^T dr
  const std::vector<double>& inverse_mass = answers_.inverse_mass();
  for (std::size_t i = 0; i < on_nodes_.size(); ++i) alone_ += inverse_mass[i] * on_nodes_[i].squaredNorm();
  for (std::size_t k = 0; k < recalled_.size(); ++k)
    if (!recalled_[k].isZero(0)) {
      rows.add({.key = state_.contact.memories[k].key}, -input.h * recalled_[k], on_nodes_);
      most = std::max(most, input.h * recalled_[k].cwiseAbs().maxCoeff());
      recalled_[k].setZero();
    }
  return most;
}

/// The changed impulses are outer forces of the next solve.
void Body::respond(const Scheme& s, Pool& pool) {
  for (std::size_t i = 0; i < outer_.size(); ++i) outer_[i] += on_nodes_[i] / s.h;
  add_to_right_side(on_nodes_, s.h / s.unit, pool);
}

/// Step 4.
void Body::move_by_impulses(double h) {
  for (std::size_t i = 0; i < on_nodes_.size(); ++i) {
    const Vec3 change = answers_.inverse_mass()[i] * on_nodes_[i];
    new_v_[i] += change;
    new_x_[i] += h * change;
  }
}

/// Step 5.
void Body::position_pass(const StepInput& input, StepReport& report) {
  if (stage_.empty()) return;
  answers_.set_share(1);
  stage_.position_pass(position_passes, input, answers_, new_x_, report);
}

/// Where the solves did not answer an impact, steps 4 and 5 move nodes out of a collider one by one. That
/// strains the body, and by more than it came with when the step is too long: an elephant of 1e6 Pa that fell
/// by 0.3 m at h = 0.1 s was pressed flat and then thrown to the sky.
bool Body::tears(const StepInput& input) const {
  if (stage_.empty()) return false;
  double farthest = 0, brought = 0;
  for (std::size_t i = 0; i < new_x_.size(); ++i) {
    farthest = std::max(farthest, (new_x_[i] - solved_x_[i]).squaredNorm());
    brought += model_.mass[i] *
               (state_.nodes.v[i].squaredNorm() / 4 + harmless * model_.edge * input.gravity.norm());
  }
  if (!(farthest > harmless * harmless * model_.edge * model_.edge)) return false;
  return energy(model_, strengths(), new_x_) - energy(model_, strengths(), solved_x_) > brought;
}

}  // namespace pliant::metric
