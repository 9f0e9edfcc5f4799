// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/island_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/patience.hpp"

namespace pliant {
namespace {

constexpr double reduction = 0.01;      // of the residual: contacts answer what is left
constexpr double slow_reduction = 0.1;  // enough where more models do not help
constexpr double diverging = 16;        // growth of the squared residual at which models are given up
constexpr int most_models = 8;
constexpr double above_noise = 4;  // times the residual of the contact problem
// Of what the contact problem leaves in a step beside the squared residual: asked for; where no better is to be had and
// more steps would follow noise.
constexpr double contact_share = 2e-4, noise_share = 1e-3, unsolved_share = 0.25;

}  // namespace

void IslandDescent::Again::found(const Model& model) {
  ++models_;
  if (models_ == 1) first_ = std::max(model.first, before_);
  const bool stalls = least_ <= slow_reduction * slow_reduction * before_ && !(model.first < least_ / 2);
  least_ = std::min(least_, model.first);
  settled_ = model.first <= reduction * reduction * before_ || stalls || models_ == most_models;
  climbs_ = !settled_ && !(model.first < diverging * first_);
}

double IslandDescent::project(double tolerance) {
  for (Member* m : members_) m->contact->free_velocities(m->change);
  std::vector<IslandProblem::Row>& rows = problem_->rows();
  for (IslandProblem::Row& row : rows) {
    row.free.setZero();
    for (const IslandProblem::Share& share : row.shares)
      if (share.part >= 0) {
        const Member& m = *members_[std::size_t(share.part)];
        const Contact& contact = m.contacts[std::size_t(share.contact)];
        row.free += m.rows().observe(contact, m.change) - contact.velocity;
      }
  }
  const IslandProblem::Outcome outcome = problem_->solve(limits_.sweeps, tolerance);
  sweeps_ += outcome.sweeps;
  residual_ = outcome.residual;
  for (Member* m : members_) m->wanted.assign(m->x().size(), Vec3::Zero());
  for (const IslandProblem::Row& row : rows) {
    if (row.impulse.isZero(0)) continue;
    for (const IslandProblem::Share& share : row.shares)
      if (share.part >= 0) {
        Member& m = *members_[std::size_t(share.part)];
        m.rows().add(m.contacts[std::size_t(share.contact)], row.impulse, m.wanted);
      }
  }
  double sum = 0;
  for (Member* m : members_) sum += m->contact->project(m->wanted);
  return sum;
}

double IslandDescent::left() const {
  double sum = 0;
  for (Index c = 0; c < problem_->size(); ++c) {
    const IslandProblem::Row& row = problem_->rows()[std::size_t(c)];
    if (!(problem_->scale(c) > 0) || row.impulse.isZero(0)) continue;
    const double rate = members_[std::size_t(row.shares[0].part)]->rate();
    sum += rate * rate / problem_->scale(c);
  }
  return sum;
}

bool IslandDescent::states_changed() {
  constexpr char open = 0, stuck = 1, sliding = 2;
  constexpr double on_cone = 1 - 1e-6;
  const std::vector<IslandProblem::Row>& rows = problem_->rows();
  bool changed = states_.size() != rows.size();
  states_.resize(rows.size(), open);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const Vec3& r = rows[c].impulse;
    const double along = r.dot(rows[c].normal), across = (r - along * rows[c].normal).norm();
    const char state = rows[c].friction < 0                          ? stuck
                       : !(along > 0)                                ? open
                       : across < on_cone * rows[c].friction * along ? stuck
                                                                     : sliding;
    changed |= states_[c] != state;
    states_[c] = state;
  }
  return changed;
}

IslandDescent::Model IslandDescent::descend(int most) {
  Model model;
  Patience patience;
  double t = 1, b = 0, asked = limits_.tolerance, least = 0;
  for (const Member* m : members_) {
    const double way = above_noise * limits_.tolerance * m->rate();
    least += way * way * m->mass;
  }
  double enough = 0;
  for (int k = 0;; ++k) {
    const double rho = project(asked), noise = left();
    if (k == 0) {
      model.first = rho;
      enough = std::max(reduction * reduction * rho, least);
    }
    // What an unsolved contact problem leaves is no direction either: more steps would follow it.
    const bool unsolved = residual_ > asked && residual_ * residual_ * noise > unsolved_share * rho;
    const bool is_noise = limits_.tolerance * limits_.tolerance * noise > noise_share * rho;
    if (!(rho > enough) || k == most || is_noise || unsolved) break;
    double curvature = 0;
    for (Member* m : members_) curvature += m->contact->curve();
    // Far from the shape of rest, turning strains: B^-1 is no bound of H any more and its step may climb.
    model.bounded = k > 0 || curvature < 2 * rho;
    if (!model.bounded) break;
    ContactBody::Products sum;
    const auto add_up = [&] {
      sum = {};
      for (const Member* m : members_) {
        const ContactBody::Products of_one = m->contact->products();
        sum.mixed += of_one.mixed;
        sum.straight += of_one.straight;
        sum.slope += of_one.slope;
      }
    };
    if (patience.conjugate(!states_changed() && k > 0, rho)) {
      add_up();
      double s = rho / curvature, u = 0;
      const double determinant = curvature * sum.straight - sum.mixed * sum.mixed;
      if (determinant > 1e-6 * curvature * sum.straight) {
        s = (rho * sum.straight - sum.slope * sum.mixed) / determinant;
        u = (sum.slope * curvature - rho * sum.mixed) / determinant;
      }
      for (Member* m : members_) {
        m->contact->extend(s, u);
        m->contact->move_by(0, 1);
      }
      t = 1;
      b = 0;
    } else {
      for (Member* m : members_) m->contact->extend(1, b);
      add_up();
      const double before = t;
      t = sum.slope < 0 ? 1 : (1 + std::sqrt(1 + 4 * t * t)) / 2;
      b = sum.slope < 0 ? 0 : (before - 1) / t;
      for (Member* m : members_) m->contact->move_by(1, b);
    }
    for (Member* m : members_) m->contact->solve_residual();
    asked =
        noise > 0 ? std::max(limits_.tolerance, std::sqrt(contact_share * rho / noise)) : limits_.tolerance;
  }
  for (Member* m : members_) model.turn = std::max(model.turn, m->contact->end_model());
  return model;
}

void IslandDescent::renew(bool arcs) {
  for (Member* m : members_) m->contact->renew_model(arcs);
}

void IslandDescent::start_anew(bool bound) {
  for (Member* m : members_) m->contact->start_anew(bound);
}

}  // namespace pliant
