// SPDX-License-Identifier: Apache-2.0
// Contact with friction. The matrix of a step changes with every step and its inverse is never at hand. The
// shared contact problem (contact/contact_problem.hpp) is given a share theta of the response of the touching
// nodes' own masses, u = theta J M^-1 J^T r; theta is measured: (dr . du)/(dr . J M^-1 J^T dr) of the last
// change of the impulses r and what it did to the velocities u. A step goes
//   1. the forces of the contacts of the last step act as outer forces in the solve
//   2. meet: which points touch at the end of that motion (detection.hpp)
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

#include "pliant/contact/contact_memory.hpp"
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

Vec3 Body::observe(Index point, std::span<const Vec3> values) const {
  const Gather& w = contact_points();
  Vec3 sum = Vec3::Zero();
  for (Index k = w.begin[point]; k < w.begin[point + 1]; ++k) sum += w.weight[k] * values[w.column[k]];
  return sum;
}

void Body::add_impulse(Index point, const Vec3& impulse) {
  const Gather& w = contact_points();
  for (Index k = w.begin[point]; k < w.begin[point + 1]; ++k) on_nodes_[w.column[k]] += w.weight[k] * impulse;
}

/// Step 1.
void Body::recall_forces(bool colliders) {
  contacts_.clear();
  impulses_.clear();
  recalled_.clear();
  response_ = state_.response;
  if (state_.contacts.empty() || !colliders) return;
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  for (const ContactMemory& m : state_.contacts) {
    recalled_.push_back(m.force);
    add_impulse(m.key.vertex, m.force);
  }
  for (std::size_t i = 0; i < outer_.size(); ++i) outer_[i] += on_nodes_[i];
}

/// Step 2, and the parts of the problem that do not change within the step.
void Body::meet(const StepInput& input, const Scheme& s, StepReport& report) {
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i)
    inverse_mass_[i] = held_[i] ? 0 : 1 / (model_.mass[i] * (1 + s.h * s.drag / 2));
  sides_ = state_.sides;
  detection_.find({.colliders = input.colliders,
                   .options = input.contact,
                   .h = input.h,
                   .begin = state_.nodes.x,
                   .end = new_x_,
                   .last = state_.contacts},
                  sides_);
  contacts_.assign(detection_.contacts().begin(), detection_.contacts().end());
  for (Contact& c : contacts_) c.gap -= jitter(c.key.vertex);
  impulses_.assign(contacts_.size(), Vec3::Zero());
  report.contacts = 0;
  // what a contact that is still there was recalled with starts the problem; of the others it is taken back
  const std::vector<ContactMemory>& memory = state_.contacts;
  for (std::size_t k = 0, c = 0; k < memory.size(); ++k) {
    const auto before = [](const ContactKey& a, const ContactKey& b) {
      return a.vertex != b.vertex ? a.vertex < b.vertex : a.collider < b.collider;
    };
    while (c < contacts_.size() && before(contacts_[c].key, memory[k].key)) ++c;
    std::size_t best = contacts_.size();
    for (std::size_t d = c; d < contacts_.size() && !before(memory[k].key, contacts_[d].key); ++d)
      if (best == contacts_.size() || contacts_[d].key.feature == memory[k].key.feature) best = d;
    if (best == contacts_.size()) continue;
    impulses_[best] += input.h * memory[k].force;
    recalled_[k].setZero();
  }
}

/// theta from what the last change of the impulses did.
void Body::measure_response() {
  double done = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    done += changes_[c].dot(observe(contacts_[c].key.vertex, new_v_) - speeds_[c]);
  if (done > 0 && alone_ > 0) response_ = std::clamp(done / alone_, least_response, 1.0);
}

/// s of the problem: a share of J M^-1 J^T, and its rows.
void Body::couple(std::span<const Contact> contacts, double share, ContactProblem& problem) {
  const Index n = Index(contacts.size());
  problem.reset(n, 1, false);
  const Gather& w = contact_points();
  shares_.clear();
  for (Index c = 0; c < n; ++c) {
    problem.row(c).normal = contacts[c].normal;
    problem.row(c).friction = contacts[c].friction;
    for (Index d = 0; d < n; ++d) problem.s(c, d) = 0;
    for (Index k = w.begin[contacts[c].key.vertex]; k < w.begin[contacts[c].key.vertex + 1]; ++k)
      shares_.push_back({w.column[k], c, w.weight[k]});
  }
  std::sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) {
    return a.node != b.node ? a.node < b.node : a.contact < b.contact;
  });
  for (std::size_t begin = 0, end; begin < shares_.size(); begin = end) {
    for (end = begin + 1; end < shares_.size() && shares_[end].node == shares_[begin].node;) ++end;
    const double inverse = share * inverse_mass_[shares_[begin].node];
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t b = begin; b < end; ++b)
        problem.s(shares_[a].contact, shares_[b].contact) +=
            float(inverse * shares_[a].weight * shares_[b].weight);
  }
  // a contact of held nodes only answers nothing
  for (Index c = 0; c < n; ++c)
    if (!(problem.s(c, c) > 0)) problem.s(c, c) = float(1 / unit_);
  problem.prepare();
}

/// An open gap may close and no more: the gap at the end, changed by h du, must not be negative.
void Body::set_targets(const StepInput& input) {
  for (Index c = 0; c < problem_.size(); ++c) {
    const Contact& contact = contacts_[c];
    const Index v = contact.key.vertex;
    const Vec3 way = observe(v, new_x_) - observe(v, state_.nodes.x) - input.h * contact.velocity;
    const Vec3 u = observe(v, new_v_) - contact.velocity;
    const double gap = contact.gap + contact.normal.dot(way);
    const double bias = std::max(0.0, std::min(gap / input.h - contact.normal.dot(u), contact.gap / input.h));
    const double approach = contact.normal.dot(observe(v, state_.nodes.v) - contact.velocity);
    problem_.row(c).bias = with_restitution(contact, approach, input.gravity.norm() * input.h, bias);
  }
}

/// The contact problem about the motion as it is: on_nodes_ = J^T dr, impulses_ = r. Returns the largest
/// change.
double Body::answer(double share, const StepInput& input, StepReport& report) {
  couple(contacts_, share, problem_);
  set_targets(input);
  for (Index c = 0; c < problem_.size(); ++c) problem_.set_impulse(c, impulses_[c]);
  problem_.rebase(
      [&](Index c) -> Vec3 { return observe(contacts_[c].key.vertex, new_v_) - contacts_[c].velocity; });
  const ContactProblem::Outcome outcome = problem_.solve(input.contact.sweeps, input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  changes_.assign(contacts_.size(), Vec3::Zero());
  speeds_.assign(contacts_.size(), Vec3::Zero());
  double most = 0;
  for (Index c = 0; c < problem_.size(); ++c) {
    const Vec3 change = problem_.impulse(c) - impulses_[c];
    changes_[c] = change;
    speeds_[c] = observe(contacts_[c].key.vertex, new_v_);
    most = std::max(most, change.cwiseAbs().maxCoeff());
    add_impulse(contacts_[c].key.vertex, change);
    impulses_[c] = problem_.impulse(c);
  }
  alone_ = 0;  // dr . J M^-1 J^T dr
  for (std::size_t i = 0; i < on_nodes_.size(); ++i) alone_ += inverse_mass_[i] * on_nodes_[i].squaredNorm();
  for (std::size_t k = 0; k < recalled_.size(); ++k)
    if (!recalled_[k].isZero(0)) {
      add_impulse(state_.contacts[k].key.vertex, -input.h * recalled_[k]);
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
    const Vec3 change = inverse_mass_[i] * on_nodes_[i];
    new_v_[i] += change;
    new_x_[i] += h * change;
  }
}

/// Step 5.
void Body::position_pass(const StepInput& input, StepReport& report) {
  if (contacts_.empty()) return;
  const double slop = input.contact.slop * detection_.size();
  const Detection::Step step{.colliders = input.colliders,
                             .options = input.contact,
                             .h = input.h,
                             .begin = state_.nodes.x,
                             .end = new_x_,
                             .last = state_.contacts};
  double least = detection_.touches(step, new_x_, slop, touches_);
  for (int pass = 0; pass < position_passes && least < -slop; ++pass) {
    couple(touches_, 1, position_problem_);
    const std::span<const Vec3> lifts =
        position_pass_.solve(touches_, slop, detection_.size(), position_problem_);
    std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
    for (std::size_t c = 0; c < touches_.size(); ++c) add_impulse(touches_[c].key.vertex, lifts[c]);
    for (std::size_t i = 0; i < new_x_.size(); ++i) new_x_[i] += inverse_mass_[i] * on_nodes_[i];
    least = detection_.touches(step, new_x_, slop, touches_);
  }
  report.penetration = std::max(report.penetration, -least);
}

/// Where the solves did not answer an impact, steps 4 and 5 move nodes out of a collider one by one. That
/// strains the body, and by more than it came with when the step is too long: an elephant of 1e6 Pa that fell
/// by 0.3 m at h = 0.1 s was pressed flat and then thrown to the sky.
bool Body::tears(const StepInput& input) const {
  if (contacts_.empty()) return false;
  double farthest = 0, brought = 0;
  for (std::size_t i = 0; i < new_x_.size(); ++i) {
    farthest = std::max(farthest, (new_x_[i] - solved_x_[i]).squaredNorm());
    brought += model_.mass[i] *
               (state_.nodes.v[i].squaredNorm() / 4 + harmless * model_.edge * input.gravity.norm());
  }
  if (!(farthest > harmless * harmless * model_.edge * model_.edge)) return false;
  return energy(model_, strengths(), new_x_) - energy(model_, strengths(), solved_x_) > brought;
}

void Body::remember_contacts(const StepInput& input, StepReport& report) {
  remember(contacts_, impulses_, input.h, state_.contacts);
  report.contacts += int(state_.contacts.size());
  for (const Vec3& impulse : impulses_) report.contact_impulse += impulse;
  state_.sides = sides_;
}

}  // namespace pliant::metric
