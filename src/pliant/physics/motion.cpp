// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {
namespace {

Eigen::Quaterniond quaternion(const Turn& turn) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(turn.degrees * std::numbers::pi / 180, turn.axis.normalized()));
}

bool same_axis(const Turn& a, const Turn& b) {
  return a.axis.normalized().cross(b.axis.normalized()).norm() < 1e-12;
}

Mat3 turned(const Turn& a, const Turn& b, double s) {
  if (a.degrees == 0 || b.degrees == 0 || same_axis(a, b)) {
    const Turn& leading = b.degrees != 0 ? b : a;  // no turn fits every axis
    const double sign = a.axis.dot(leading.axis) < 0 ? -1 : 1;
    const double from = a.degrees == 0 ? 0 : sign * a.degrees;
    const double to = &leading == &b ? b.degrees : 0;
    return rotation_matrix({leading.axis, from + s * (to - from)});
  }
  return quaternion(a).slerp(s, quaternion(b)).toRotationMatrix();
}

}  // namespace

Mat3 rotation_matrix(const Turn& turn) { return quaternion(turn).toRotationMatrix(); }

BetweenKeys Motion::between(double t) const {
  const std::size_t last = keys.size() - 1;
  if (t <= keys.front().time) return {0, 0, 0};
  if (t >= keys.back().time) return {last, last, 0};
  const auto after = std::upper_bound(keys.begin(), keys.end(), t,
                                      [](double time, const MotionKey& key) { return time < key.time; });
  const std::size_t b = std::size_t(after - keys.begin());
  double s = (t - keys[b - 1].time) / (keys[b].time - keys[b - 1].time);
  if (ease == Ease::smooth) s = s * s * (3 - 2 * s);
  return {b - 1, b, s};
}

Pose Motion::at(double t) const {
  if (keys.empty()) return {};
  const BetweenKeys at = between(t);
  const MotionKey &a = keys[at.a], &b = keys[at.b];
  if (at.a == at.b) return {rotation_matrix(a.rotate), a.translate};
  return {turned(a.rotate, b.rotate, at.s), a.translate + at.s * (b.translate - a.translate)};
}

}  // namespace pliant
