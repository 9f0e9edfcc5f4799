// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/skeleton.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

constexpr double pi = std::numbers::pi;

/// Where t lies among the keys: between k and k + 1 at the fraction s.
struct Span {
  std::size_t k = 0;
  double s = 0;
  double length = 0;  ///< s; 0 = before the first key, after the last or on one
};

Span span_at(const std::vector<double>& times, double t) {
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  if (after == times.begin()) return {};
  const std::size_t k = std::size_t(after - times.begin()) - 1;
  if (after == times.end()) return {k, 0, 0};
  const double length = times[k + 1] - times[k];
  return {k, (t - times[k]) / length, length};
}

double eased(Interpolation interpolation, double s) {
  if (interpolation == Interpolation::step) return 0;
  return interpolation == Interpolation::smooth ? s * s * (3 - 2 * s) : s;
}

/// Hermite between a and b; `leaving` and `arriving` are derivatives by time.
template <class V>
V hermite(const V& a, const V& leaving, const V& arriving, const V& b, const Span& span) {
  const double s = span.s, s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * span.length * leaving + (3 * s2 - 2 * s3) * b +
         (s3 - s2) * span.length * arriving;
}

bool parallel(const Vec3& a, const Vec3& b) {
  return a.cross(b).squaredNorm() <= 1e-18 * a.squaredNorm() * b.squaredNorm();
}

/// On the great circle between lifted quaternions. Opposite ones have no such circle: the turns themselves
/// are interpolated then.
Vec3 between(const Vec3& a, const Vec3& b, double s) {
  const Vec3 straight = (1 - s) * a + s * b;
  if (parallel(a, b)) return straight;
  const Quat qa = lifted_rotation(a), qb = lifted_rotation(b);
  const double cosine = std::clamp(qa.dot(qb), -1.0, 1.0), angle = std::acos(cosine);
  if (cosine < -1 + 1e-9) return straight;
  Eigen::Vector4d mixed = (1 - s) * qa.coeffs() + s * qb.coeffs();
  if (angle > 1e-6)
    mixed = (std::sin((1 - s) * angle) * qa.coeffs() + std::sin(s * angle) * qb.coeffs()) / std::sin(angle);
  return turn_near(Quat(mixed.normalized()), straight);
}

template <class V>
bool fit(const V& in, const V& out, const std::vector<double>& times) {
  return in.size() == times.size() && out.size() == times.size();
}

}  // namespace

Quat lifted_rotation(const Vec3& turn) {
  const double angle = turn.norm();
  // sin(a / 2) / a without the quotient of two zeros.
  const double scale = angle > 1e-6 ? std::sin(angle / 2) / angle : 0.5 - angle * angle / 48;
  Quat q;
  q.w() = std::cos(angle / 2);
  q.vec() = scale * turn;
  return q;
}

Vec3 turn_near(const Quat& q, const Vec3& near) {
  const double sine = q.vec().norm();
  Vec3 axis{1, 0, 0};
  if (sine > 1e-12) {
    axis = q.vec() / sine;
  } else if (near.squaredNorm() > 0) {
    axis = near.normalized();  // a whole number of turns: about the axis that it was about
  }
  const double angle = 2 * std::atan2(sine, q.w());
  const double turns = std::round((near.dot(axis) - angle) / (4 * pi));
  return (angle + 4 * pi * turns) * axis;
}

Vec3 TurnKeys::at(double t) const {
  if (times.empty()) return Vec3::Zero();
  const bool cubic = interpolation == Interpolation::cubic;
  PLIANT_CHECK(turns.size() == times.size() && (!cubic || fit(in, out, times)));
  const Span span = span_at(times, t);
  const std::size_t k = span.k;
  if (!(span.length > 0)) return turns[k];
  if (!cubic) return between(turns[k], turns[k + 1], eased(interpolation, span.s));
  const Eigen::Vector4d a = lifted_rotation(turns[k]).coeffs(), b = lifted_rotation(turns[k + 1]).coeffs();
  const Eigen::Vector4d q = hermite<Eigen::Vector4d>(a, out[k], in[k + 1], b, span);
  const Vec3 straight = (1 - span.s) * turns[k] + span.s * turns[k + 1];
  return q.norm() > 1e-9 ? turn_near(Quat(q.normalized()), straight) : straight;
}

Vec3 MoveKeys::at(double t) const {
  if (times.empty()) return Vec3::Zero();
  const bool cubic = interpolation == Interpolation::cubic;
  PLIANT_CHECK(moves.size() == times.size() && (!cubic || fit(in, out, times)));
  const Span span = span_at(times, t);
  const std::size_t k = span.k;
  if (!(span.length > 0)) return moves[k];
  if (cubic) return hermite<Vec3>(moves[k], out[k], in[k + 1], moves[k + 1], span);
  const double s = eased(interpolation, span.s);
  return (1 - s) * moves[k] + s * moves[k + 1];
}

Points align_turns(const std::vector<Quat>& rotations) {
  Points turns;
  Quat before = Quat::Identity();
  for (const Quat& rotation : rotations) {
    Quat q = rotation.normalized();
    if (q.dot(before) < 0) q.coeffs() = -q.coeffs();
    turns.push_back(turn_near(q, turns.empty() ? Vec3(Vec3::Zero()) : turns.back()));
    before = q;
  }
  return turns;
}

void Skeleton::pose(double t, std::vector<JointPose>& out) const {
  out.resize(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    PLIANT_CHECK(joint.parent < Index(j));
    JointPose& pose = out[j];
    pose.turn = joint.turns.at(t);
    pose.move = joint.moves.at(t);
    const Quat turn = lifted_rotation(pose.turn);
    if (joint.parent < 0) {
      pose.rotation = turn;
      pose.position = joint.position + pose.move;
      continue;
    }
    const JointPose& parent = out[std::size_t(joint.parent)];
    const Vec3 reach = joint.position - joints[std::size_t(joint.parent)].position + pose.move;
    pose.rotation = parent.rotation * turn;
    pose.position = parent.position + parent.rotation * reach;
  }
}

std::vector<JointPose> Skeleton::pose(double t) const {
  std::vector<JointPose> out;
  pose(t, out);
  return out;
}

std::vector<Bone> Skeleton::bones() const {
  std::vector<Bone> bones;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent < 0) continue;
    PLIANT_CHECK(std::size_t(joints[j].parent) < joints.size());
    const Vec3 reach = joints[j].position - joints[std::size_t(joints[j].parent)].position;
    const double length = reach.norm();
    if (length > 0) bones.push_back({joints[j].parent, Index(j), length, reach / length});
  }
  return bones;
}

double Skeleton::duration() const {
  double last = 0;
  for (const Joint& joint : joints) {
    if (!joint.turns.times.empty()) last = std::max(last, joint.turns.times.back());
    if (!joint.moves.times.empty()) last = std::max(last, joint.moves.times.back());
  }
  return last;
}

void transform(Skeleton& skeleton, double scale, const Mat3& rotation, const Vec3& translation) {
  const Quat q(rotation), back = q.conjugate();
  for (Joint& joint : skeleton.joints) {
    joint.position = rotation * (scale * joint.position) + translation;
    joint.radius *= scale;
    for (Vec3& turn : joint.turns.turns) turn = rotation * turn;
    // q d q*: the derivative of a quaternion turns like the quaternion.
    for (auto* tangents : {&joint.turns.in, &joint.turns.out})
      for (Eigen::Vector4d& d : *tangents) d = (q * Quat(d) * back).coeffs();
    for (auto* moves : {&joint.moves.moves, &joint.moves.in, &joint.moves.out})
      for (Vec3& move : *moves) move = rotation * (scale * move);
  }
}

}  // namespace pliant
