// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/rebound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pliant/contact/contact_log.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double slowest_impact = 2;  // g h: slower approach does not bounce
constexpr double still = 0.02;        // of the approach: a point that is approached slower no longer is
constexpr double resting = 2;         // weights: of a step's impulse, at most, when the impact is over
constexpr double whole_rebound = 3;   // of mass times approach: no impact needs more impulse
constexpr Index most_idle = 10;       // steps without an impulse after which a point has missed
constexpr int rigid_sweeps = 200;     // of the rigid answer: six freedoms
constexpr double accuracy = 1e-6;     // of the fastest approach, m/s

/// Points are told apart by vertex and collider: features change while a body deforms.
bool same_point(const ContactKey& a, const ContactKey& b) {
  return a.vertex == b.vertex && a.collider == b.collider;
}
bool point_before(const ContactKey& a, const ContactKey& b) {
  return a.vertex != b.vertex ? a.vertex < b.vertex : a.collider < b.collider;
}

/// Energy with the weight, in the frame of something that has moved with v for a time: both are other there.
double seen_from(const Vec3& v, double time, const WholeBody& body, const Vec3& gravity) {
  return body.energy +
         body.mass * (v.squaredNorm() / 2 - v.dot(body.velocity) - gravity.dot(body.centre - time * v));
}

}  // namespace

PartMotion part_motion(double mass, const Vec3& centre, const Vec3& momentum, const Vec3& angular,
                       const Mat3& second) {
  PartMotion out{.mass = mass, .centre = centre, .velocity = momentum / mass};
  const Spectrum3 axes = spectrum(second.trace() * Mat3::Identity() - second);
  Vec3 inverse;
  for (int k = 0; k < 3; ++k) inverse[k] = axes.values[k] > 1e-9 * second.trace() ? 1 / axes.values[k] : 0;
  out.inverse_inertia = axes.with(inverse);
  out.turning = out.inverse_inertia * angular;
  return out;
}

/// In one pass, about the first node of the part.
PartMotion part_motion(Index part, std::span<const Index> part_of, std::span<const double> mass,
                       std::span<const Vec3> x, std::span<const Vec3> v) {
  double sum = 0;
  Vec3 origin = Vec3::Zero(), first = origin, momentum = origin, angular = origin, square = origin;
  double xy = 0, yz = 0, zx = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (part_of[i] != part) continue;
    if (sum == 0) origin = x[i];
    const double m = mass[i];
    const Vec3 r = x[i] - origin, p = m * v[i];
    sum += m;
    first += m * r;
    momentum += p;
    angular += r.cross(p);
    square += m * r.cwiseProduct(r);
    xy += m * r.x() * r.y(), yz += m * r.y() * r.z(), zx += m * r.z() * r.x();
  }
  const Vec3 arm = first / sum;
  Mat3 second;
  second << square.x(), xy, zx, xy, square.y(), yz, zx, yz, square.z();
  second -= sum * arm * arm.transpose();
  return part_motion(sum, origin + arm, momentum, angular - arm.cross(momentum), second);
}

void Rebound::note(std::span<const Contact> contacts, std::span<const Vec3> impulses, double scale) {
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double along = scale * contacts[c].normal.dot(impulses[c]);
    if (contacts[c].restitution > 0 && along > 0) hits_.push_back({contacts[c], along});
  }
}

void Rebound::begin_impacts(const StepInput& input, std::vector<ImpactMemory>& impacts, ReboundBody& body) {
  const double slowest = slowest_impact * input.gravity.norm() * input.h;
  for (ImpactMemory& impact : impacts) ++impact.idle, impact.elapsed += input.h;
  std::optional<WholeBody> whole;
  Index measured = -1;
  PartMotion motion;
  for (const Hit& hit : hits_) {
    const Contact& contact = hit.contact;
    auto known =
        std::lower_bound(impacts.begin(), impacts.end(), contact.key,
                         [](const ImpactMemory& m, const ContactKey& k) { return point_before(m.key, k); });
    if (known != impacts.end() && same_point(known->key, contact.key)) {
      known->idle = 0;
      known->normal = contact.normal;
      known->velocity = contact.velocity;
      continue;
    }
    const Index part = body.part(contact.key);
    if (part != measured) motion = body.motion(part, Instant::begin);
    measured = part;
    const double along =
        -contact.normal.dot(motion.velocity_at(body.place(contact.key, Instant::begin)) - contact.velocity);
    if (!(along > slowest) || !(along > 0)) continue;
    const double fall = -2 * contact.normal.dot(input.gravity) * std::max(contact.gap, 0.0);
    if (!whole) whole = body.whole(Instant::begin);
    impacts.insert(known, {.key = contact.key,
                           .part = part,
                           .approach = std::sqrt(std::max(along * along + fall, 0.0)),
                           .restitution = contact.restitution,
                           .energy = seen_from(contact.velocity, 0, *whole, input.gravity),
                           .elapsed = input.h,
                           .normal = contact.normal,
                           .velocity = contact.velocity});
  }
}

void Rebound::end_impacts(const StepInput& input, std::vector<ImpactMemory>& impacts, ReboundBody& body) {
  over_.assign(impacts.size(), 0);
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    if (over_[k]) continue;
    const Index part = impacts[k].part, collider = impacts[k].key.collider;
    const auto together = [&](const ImpactMemory& m) { return m.part == part && m.key.collider == collider; };
    double impulse = 0;
    for (const Hit& hit : hits_)
      if (hit.contact.key.collider == collider && body.part(hit.contact.key) == part) impulse += hit.impulse;
    const PartMotion motion = body.motion(part, Instant::end);
    bool approached = false, spent = false;
    for (ImpactMemory& m : impacts) {
      if (!together(m)) continue;
      m.impulse += impulse;
      const double u = m.normal.dot(motion.velocity_at(body.place(m.key, Instant::end)) - m.velocity);
      approached = approached || u < -still * m.approach;
      spent = spent || m.impulse > whole_rebound * motion.mass * m.approach;
    }
    const bool at_rest = impulse <= resting * motion.mass * input.gravity.norm() * input.h;
    for (std::size_t j = k; j < impacts.size(); ++j)
      if (together(impacts[j])) over_[j] = !approached && (at_rest || spent) ? 2 : 1;
  }
}

Vec3 Rebound::answer(const StepInput& input, Index part, std::span<const ImpactMemory> impacts,
                     ReboundBody& body) {
  const PartMotion motion = body.motion(part, Instant::end);
  lifts_.assign(impacts.size(), 0);
  arms_.resize(impacts.size());
  double fastest = 0, most_energy = 0, elapsed = 0;
  Vec3 frame = Vec3::Zero(), u = Vec3::Zero(), w = Vec3::Zero();
  const auto counts = [&](std::size_t k) { return over_[k] == 2 && impacts[k].part == part; };
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    if (!counts(k)) continue;
    arms_[k] = body.place(impacts[k].key, Instant::end) - motion.centre;
    if (impacts[k].approach > fastest)
      frame = impacts[k].velocity, most_energy = impacts[k].energy, elapsed = impacts[k].elapsed;
    fastest = std::max(fastest, impacts[k].approach);
  }
  double change = fastest;
  for (int sweep = 0; sweep < rigid_sweeps && change > accuracy * fastest; ++sweep) {
    change = 0;
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      if (!counts(k)) continue;
      const Vec3 &n = impacts[k].normal, across = arms_[k].cross(n);
      const double now =
          n.dot(motion.velocity + u + (motion.turning + w).cross(arms_[k]) - impacts[k].velocity);
      const double response = 1 / motion.mass + across.dot(motion.inverse_inertia * across);
      const double lack = impacts[k].restitution * impacts[k].approach - now;
      const double step = std::max(0.0, lifts_[k] + lack / response) - lifts_[k];
      lifts_[k] += step;
      u += step / motion.mass * n;
      w += step * (motion.inverse_inertia * across);
      change = std::max(change, std::abs(step) * response);
    }
  }
  if (u.isZero(0) && w.isZero(0)) return Vec3::Zero();
  // With s of the kick the energy is now + s b + s^2 c; the turning counts as that of a rigid body.
  const Mat3 inertia = pseudo_inverse(motion.inverse_inertia, 1e-9);
  const double left = most_energy - seen_from(frame, elapsed, body.whole(Instant::end), input.gravity);
  const double b = motion.mass * u.dot(motion.velocity - frame) + w.dot(inertia * motion.turning);
  const double c = (motion.mass * u.squaredNorm() + w.dot(inertia * w)) / 2;
  const double root = b * b + 4 * c * left;
  const double share = root > 0 ? std::clamp((std::sqrt(root) - b) / (2 * c), 0.0, 1.0) : 0;
  if (!(share > 0)) return Vec3::Zero();
  if (input.contact_log)
    for (std::size_t k = 0; k < impacts.size(); ++k)
      if (counts(k))
        input.contact_log->add({.key = impacts[k].key,
                                .point = motion.centre + arms_[k],
                                .normal = impacts[k].normal,
                                .gap = std::numeric_limits<double>::quiet_NaN(),
                                .impulse = share * lifts_[k] * impacts[k].normal});
  body.kick(part, share * u, share * w, motion.centre);
  return share * motion.mass * u;
}

Vec3 Rebound::finish(const StepInput& input, std::vector<ImpactMemory>& impacts, ReboundBody& body) {
  Vec3 sum = Vec3::Zero();
  if (hits_.empty() && impacts.empty()) return sum;
  std::erase_if(impacts, [&](const ImpactMemory& m) {  // of a checkpoint, they may be anything
    return m.key.vertex < 0 || m.key.vertex >= body.points() || body.part(m.key) != m.part;
  });
  begin_impacts(input, impacts, body);
  end_impacts(input, impacts, body);
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    const bool first = std::none_of(impacts.begin(), impacts.begin() + std::ptrdiff_t(k), [&](const auto& m) {
      return m.part == impacts[k].part && over_[std::size_t(&m - impacts.data())] == 2;
    });
    if (over_[k] == 2 && first) sum += answer(input, impacts[k].part, impacts, body);
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < impacts.size(); ++k)
    if (over_[k] != 2 && impacts[k].idle <= most_idle) impacts[kept++] = impacts[k];
  impacts.resize(kept);
  return sum;
}

}  // namespace pliant
