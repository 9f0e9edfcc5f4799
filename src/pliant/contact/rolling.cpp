// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/rolling.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_problem.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double stillness = 1e-8;  // m/s: slower turning is none
// An impact is no rolling: impulses of more than this many weights times h do not count. Those of BDF2 are forces times
// 2h/3, so that its forces may be three weights.
constexpr double most_weights = 2;
constexpr double slipping =
    0.1;  // of the speed of turning about the contact: what slips faster does not stick

/// The turning is that over the ground: on something that turns itself it is not known.
bool carries(const StepInput& input, const Contact& contact, double along) {
  const Collider& collider = input.colliders[std::size_t(contact.key.collider)];
  return along > 0 && collider.pose(Instant::begin).rotation == collider.pose(Instant::end).rotation;
}

/// All friction that there is: the part slides and does not roll.
bool slides(const ContactProblem& problem, Index part) {
  constexpr double nearly = 0.999;
  Vec3 across = Vec3::Zero();
  double most = 0;
  for (Index c = 0; c < problem.size(); ++c) {
    const ContactProblem::Row& row = problem.row(c);
    if (row.part != part) continue;
    const Vec3 r = problem.impulse(c);
    const double along = r.dot(row.normal);
    across += r - along * row.normal;
    most += row.friction * along;
  }
  return most > 0 && across.norm() >= nearly * most;
}

/// N s m: the torque that a load may answer a part with that turns by w across the normal n.
struct Bound {
  double force = 0, arm = 0;

  template <class Load>
  Bound(const Load& load, const Vec3& n, const Vec3& w, double edge, double mass, const StepInput& input)
      : force(std::min(load.normal.norm(), most_weights * mass * input.gravity.norm() * input.h)) {
    const Vec3 contact = load.first / load.sum, ahead = w.cross(n).normalized();
    const Mat3 spread = load.second / load.sum - contact * contact.transpose();
    const double patch = std::sqrt(std::max(0.0, ahead.dot(spread * ahead)));
    arm = rolling_arm * (edge + patch) * share_that_rolls(spread, n, edge);
  }

  /// 1 for a part on a facet, 0 for one that stands on a base at least twice as wide each way as an edge.
  static double share_that_rolls(const Mat3& spread, const Vec3& n, double edge) {
    const Mat3 flat = Mat3::Identity() - n * n.transpose();
    const double width = std::sqrt(std::max(0.0, eigenvalues_in_closed_form(flat * spread * flat)[1])) / edge;
    return std::clamp(2 - width, 0.0, 1.0);
  }
};

}  // namespace

void RollingResistance::add(Index part, double along, const Vec3& normal, const Vec3& place) {
  auto load = std::find_if(loads_.begin(), loads_.end(), [&](const Load& l) { return l.part == part; });
  if (load == loads_.end()) load = loads_.insert(load, {.part = part});
  load->sum += along;
  load->normal += along * normal;
  load->first += along * place;
  load->second += along * place * place.transpose();
}

void RollingResistance::bound(const StepInput& input, std::span<const Contact> contacts,
                              std::span<const double> mass, double edge, ContactProblem& problem) {
  loads_.clear();
  for (Index c = 0; c < problem.size(); ++c) {
    const Contact& contact = contacts[std::size_t(c)];
    const double along = contact.normal.dot(problem.impulse(c));
    if (carries(input, contact, along)) add(problem.row(c).part, along, contact.normal, problem.row(c).lever);
  }
  for (Index p = 0; p < problem.parts(); ++p) problem.rolling(p).most = 0;
  for (const Load& load : loads_) {
    const double force = load.normal.norm();
    if (!(force > 0)) continue;
    ContactProblem::Rolling& rolling = problem.rolling(load.part);
    const Vec3 n = load.normal / force, turning = problem.turning(load.part),
               w = turning - turning.dot(n) * n, known = problem.torque(load.part);
    const double reach = load.first.norm() / load.sum;
    if (w.squaredNorm() * reach > input.gravity.norm()) continue;  // it tumbles
    // A torque that has stopped the turning shows against which one it is. Turning within the tolerance of the
    // problem asks for none.
    const Vec3 against = known.isZero(0) ? w : Vec3(known.dot(n) * n - known);
    if (known.isZero(0) && (!(w.norm() * reach > input.contact.tolerance) || slides(problem, load.part)))
      continue;
    const Bound bound(load, n, against, edge, mass[std::size_t(load.part)], input);
    if (!(bound.arm > 0)) continue;
    rolling.most = bound.arm * bound.force;
    rolling.normal = n;
    rolling.reach = reach;
  }
}

void RollingResistance::resist(const StepInput& input, std::span<const Contact> contacts,
                               std::span<const Vec3> impulses, double edge, ReboundBody& body) {
  loads_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (const double along = contacts[c].normal.dot(impulses[c]); carries(input, contacts[c], along))
      add(body.part(contacts[c].key), along, contacts[c].normal, body.place(contacts[c].key, Instant::end));
  for (const Load& load : loads_) resist(load, edge, input, body);
}

void RollingResistance::resist(const Load& load, double edge, const StepInput& input,
                               ReboundBody& body) const {
  const double force = load.normal.norm();
  if (!(force > 0)) return;
  const PartMotion motion = body.motion(load.part, Instant::end);
  const Vec3 n = load.normal / force, w = motion.turning - motion.turning.dot(n) * n;
  const Vec3 contact = load.first / load.sum, up = motion.centre - contact;
  if (!(w.norm() * up.norm() > stillness)) return;
  const Vec3 slip = motion.velocity - motion.turning.cross(up), rolled = w.cross(up);
  const bool sticks = (slip - slip.dot(n) * n).norm() < slipping * rolled.norm();
  const Vec3 about = sticks ? up : Vec3(Vec3::Zero());
  if (w.squaredNorm() * up.norm() > input.gravity.norm()) return;  // it tumbles
  const Bound bound(load, n, w, edge, motion.mass, input);
  // Angular momentum, about the contact or the centre, that goes with w.
  const Vec3 needed =
      pseudo_inverse(motion.inverse_inertia, 1e-9) * w + motion.mass * about.cross(w.cross(about));
  const double share = std::min(1.0, bound.arm * bound.force / needed.norm());
  body.push(load.part, -share * w.cross(about), -share * w, motion.centre);
}

}  // namespace pliant
