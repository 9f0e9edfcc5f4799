// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/motion.hpp"

#include <fmt/format.h>

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

Mat3 rotation_matrix(const Turn& turn) {
  const bool turns = turn.axis.squaredNorm() > 0 && turn.axis.allFinite() &&
                     std::isfinite(turn.degrees * std::numbers::pi) && turn.axis.normalized().allFinite();
  return turns ? quaternion(turn).toRotationMatrix() : Mat3(Mat3::Identity());
}

BetweenKeys Motion::between(double t) const {
  if (keys.empty() || !(t > keys.front().time)) return {0, 0, 0};
  const std::size_t last = keys.size() - 1;
  if (t >= keys.back().time) return {last, last, 0};
  const auto after = std::upper_bound(keys.begin(), keys.end(), t,
                                      [](double time, const MotionKey& key) { return time < key.time; });
  const std::size_t b = std::clamp<std::size_t>(std::size_t(after - keys.begin()), 1, last);
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

std::vector<Problem> check_motion(const Motion& motion, const std::string& place) {
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < motion.keys.size(); ++k) {
    const MotionKey& key = motion.keys[k];
    const std::string at = fmt::format("{}{}keys.{}", place, place.empty() ? "" : ".", k);
    const auto wrong = [&](const char* what, std::string found, const char* expected) {
      problems.push_back({at + what, std::move(found), expected, {}});
    };
    if (!std::isfinite(key.time)) wrong(".time", fmt::format("{:g}", key.time), "a finite time, s");
    if (k > 0 && !(key.time >= motion.keys[k - 1].time))
      wrong(".time", fmt::format("{:g} s after {:g} s", key.time, motion.keys[k - 1].time),
            "times that ascend");
    if (!key.translate.allFinite()) wrong(".translate", "a number that is not finite", "three numbers, m");
    if (!std::isfinite(key.rotate.degrees))
      wrong(".rotate.degrees", fmt::format("{:g}", key.rotate.degrees), "a finite angle, degrees");
    if (!key.rotate.axis.allFinite() || !(key.rotate.axis.squaredNorm() > 0))
      wrong(".rotate.axis", "an axis without a direction", "an axis of any length but zero");
  }
  return problems;
}

}  // namespace pliant
