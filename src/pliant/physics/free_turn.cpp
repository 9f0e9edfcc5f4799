// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/free_turn.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double longest_turn = 0.05;  // rad, of a midpoint step
constexpr int most_turns = 1000;
constexpr int newton_steps = 20;

Mat3 cross_by(const Vec3& a) {
  Mat3 out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

/// The middle of a step of t: c = m + (t/2) c x W c, by Newton's method. A fixed point iteration would not
/// converge for slender bodies.
Vec3 middle_of(const Vec3& m, const Mat3& w, double t) {
  Vec3 c = m;
  for (int k = 0; k < newton_steps; ++k) {
    const Vec3 spin = w * c, miss = c - m - t / 2 * c.cross(spin);
    if (!(miss.norm() > 1e-15 * m.norm())) break;
    const Mat3 slope = Mat3::Identity() + t / 2 * (cross_by(spin) - cross_by(c) * w);
    c -= slope.inverse() * miss;
  }
  return c;
}

}  // namespace

Mat3 inverse_inertia(const Mat3& inertia) {
  if (!(inertia.trace() > 0)) return Mat3::Zero();  // a single node
  Mat3 some = inertia;
  some.diagonal().array() += 1e-12 * inertia.trace();
  return some.inverse();
}

Mat3 rotation_by(const Vec3& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Mat3(Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()) : Mat3(Mat3::Identity());
}

Mat3 free_turn(const Mat3& inertia, const Vec3& angular, double h) {
  const Mat3 w = inverse_inertia(inertia);
  const double angle = h * (w * angular).norm();
  if (!(angle > 0)) return Mat3::Identity();
  const int steps = int(std::clamp(std::ceil(angle / longest_turn), 1.0, double(most_turns)));
  const double t = h / steps;
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
  Vec3 m = angular;
  for (int k = 0; k < steps; ++k) {
    const Vec3 middle = middle_of(m, w, t), half = t / 2 * (w * middle);
    turn = (turn * Eigen::Quaterniond(1, half.x(), half.y(), half.z())).normalized();
    m = 2 * middle - m;
  }
  const Mat3 out = turn.toRotationMatrix();
  return out.allFinite() ? out : rotation_by(h * (w * angular));
}

}  // namespace pliant
