// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/rigid_motion.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant::metric {
namespace {

constexpr int moment_block = 2048;     // nodes
constexpr std::size_t few_parts = 16;  // more: one block, whose sums need less room
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

Vec3 turned_by(const Mat3& inertia, const Vec3& a) { return inverse_inertia(inertia) * a; }

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

void measure(std::span<const Index> part, std::span<const double> mass, std::span<const Vec3> x,
             std::span<const Vec3> v, std::span<RigidMotion> out, Pool& pool,
             std::vector<RigidMotion>& scratch) {
  // moments about one of the nodes in one pass: sum m, m d, m v, d x m v, m d d^T
  const std::size_t parts = out.size();
  const Vec3 origin = x[0];
  const int block = parts <= few_parts ? moment_block : int(x.size());
  const std::size_t blocks = (x.size() + std::size_t(block) - 1) / std::size_t(block);
  scratch.resize(blocks * parts);
  for_blocks(pool, int(x.size()), block, [&](int begin, int end) {
    RigidMotion* sums = scratch.data() + std::size_t(begin / block) * parts;
    std::fill(sums, sums + parts, RigidMotion{});
    for (Index i = begin; i < end; ++i) {
      RigidMotion& m = sums[part[i]];
      const Vec3 arm = x[i] - origin, push = mass[i] * v[i], lever = mass[i] * arm;
      m.mass += mass[i];
      m.centre += lever;
      m.velocity += push;
      m.angular += arm.cross(push);
      m.inertia.noalias() += lever * arm.transpose();
    }
  });
  for (std::size_t k = 0; k < parts; ++k) {
    RigidMotion& m = out[k] = scratch[k];
    for (std::size_t b = 1; b < blocks; ++b) {
      const RigidMotion& more = scratch[b * parts + k];
      m.mass += more.mass, m.centre += more.centre, m.velocity += more.velocity;
      m.angular += more.angular, m.inertia += more.inertia;
    }
    const Vec3 arm = m.centre / m.mass;
    m.velocity /= m.mass;
    m.angular -= m.mass * arm.cross(m.velocity);
    const Mat3 spread = m.inertia - m.mass * arm * arm.transpose();
    m.inertia = spread.trace() * Mat3::Identity() - spread;
    m.centre = origin + arm;
    m.spin = turned_by(m.inertia, m.angular);
  }
}

}  // namespace pliant::metric
