// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/rolling.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double stillness = 1e-8;  // m/s: slower turning is none
constexpr double most_weights = 2;  // an impact is no rolling: forces of more than this do not count
constexpr double slipping =
    0.1;  // of the speed of turning about the contact: what slips faster does not stick

}  // namespace

void RollingResistance::resist(const StepInput& input, std::span<const Contact> contacts,
                               std::span<const Vec3> impulses, double edge, ReboundBody& body) {
  loads_.clear();
  const auto carries = [&](std::size_t c) {
    // The turning is that over the ground: on something that turns itself it is not known.
    const Collider& collider = input.colliders[std::size_t(contacts[c].key.collider)];
    return contacts[c].normal.dot(impulses[c]) > 0 &&
           collider.pose(Instant::begin).rotation == collider.pose(Instant::end).rotation;
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!carries(c)) continue;
    const double along = contacts[c].normal.dot(impulses[c]);
    const Index part = body.part(contacts[c].key);
    auto load = std::find_if(loads_.begin(), loads_.end(), [&](const Load& l) { return l.part == part; });
    if (load == loads_.end()) load = loads_.insert(load, {.part = part});
    const Vec3 place = body.place(contacts[c].key, Instant::end);
    load->sum += along;
    load->normal += along * contacts[c].normal;
    load->first += along * place;
    load->second += along * place * place.transpose();
  }
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
  const Vec3 ahead = w.cross(n).normalized();
  const double across = contact.dot(ahead);
  const double patch = std::sqrt(std::max(0.0, ahead.dot(load.second * ahead) / load.sum - across * across));
  const double gravity = input.gravity.norm();
  if (w.squaredNorm() * up.norm() > gravity) return;  // it tumbles
  const double carried = std::min(force, most_weights * motion.mass * gravity * input.h);
  // Angular momentum, about the contact or the centre, that goes with w.
  const Vec3 needed =
      pseudo_inverse(motion.inverse_inertia, 1e-9) * w + motion.mass * about.cross(w.cross(about));
  const double share = std::min(1.0, rolling_arm * (edge + patch) * carried / needed.norm());
  body.push(load.part, -share * w.cross(about), -share * w, motion.centre);
}

}  // namespace pliant
