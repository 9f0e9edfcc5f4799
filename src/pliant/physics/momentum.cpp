// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/momentum.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

/// exp([w]x) - 1, without cancellation for small w.
Mat3 rotation_minus_one(const Vec3& w) {
  Mat3 cross;
  cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  const double angle = w.norm();
  if (!(angle > 0)) return Mat3::Zero();
  const double half = std::sin(angle / 2) / angle;
  return std::sin(angle) / angle * cross + 2 * half * half * cross * cross;
}

/// sum m a x b of moments = sum m b a^T.
Vec3 axial(const Mat3& m) { return {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)}; }

}  // namespace

Spin spin(std::span<const Index> nodes, const std::vector<double>& mass, const Points& x, const Points& v) {
  // One pass, about the first node: near the body nothing cancels that matters.
  const Vec3 origin = x[nodes[0]];
  Spin out;
  Vec3 first = Vec3::Zero(), momentum = Vec3::Zero(), angular = Vec3::Zero();
  for (Index i : nodes) {
    const Vec3 r = x[i] - origin, p = mass[i] * v[i];
    out.mass += mass[i];
    first += mass[i] * r;
    momentum += p;
    angular += r.cross(p);
  }
  out.center = origin + first / out.mass;
  out.velocity = momentum / out.mass;
  out.angular = angular - (out.center - origin).cross(momentum);
  return out;
}

Vec3 rotation_rate(std::span<const Index> nodes, const std::vector<double>& mass, const Points& x,
                   const Vec3& wanted) {
  const Vec3 origin = x[nodes[0]];
  double total = 0;
  Vec3 first = Vec3::Zero();
  Vec3 squares = Vec3::Zero(), products = Vec3::Zero();  // of m r r^T
  for (Index i : nodes) {
    const Vec3 r = x[i] - origin, s = mass[i] * r;
    total += mass[i];
    first += s;
    squares += s.cwiseProduct(r);
    products += Vec3(s.y() * r.z(), s.x() * r.z(), s.x() * r.y());
  }
  Mat3 second = squares.asDiagonal();
  second(1, 2) = second(2, 1) = products.x();
  second(0, 2) = second(2, 0) = products.y();
  second(0, 1) = second(1, 0) = products.z();
  second -= first * first.transpose() / total;
  return rotation_rate(second, wanted);
}

Vec3 rotation_rate(const Mat3& second, const Vec3& wanted) {
  const Spectrum3 inertia = spectrum(second.trace() * Mat3::Identity() - second);
  const Vec3& values = inertia.values;
  Vec3 along = inertia.vectors.transpose() * wanted;
  for (int k = 0; k < 3; ++k) along[k] = values[k] > 1e-9 * values[2] ? along[k] / values[k] : 0;
  return inertia.vectors * along;
}

SpinTurn turn_for(const Mat3& moments, const Vec3& lack) {
  constexpr int most_iterations = 5;
  constexpr double far = 0.5;  // rad: beyond this the correction would be a motion of its own
  SpinTurn out{Mat3::Zero(), lack};
  for (int k = 0; k < most_iterations; ++k) {
    // Newton: turning b by w adds sum m a x (w x b) = (tr(M) - M) w, M = sum m b a^T.
    const Mat3 now = moments + out.change * moments;
    const double trace = now.trace();
    if (!(trace > 0)) break;
    // What has no inertia about an axis (a rod) does not turn about it.
    const Mat3 slope = (1 + 1e-9) * trace * Mat3::Identity() - now;
    const Vec3 w = slope.inverse() * out.left;
    if (!(w.norm() < far)) break;
    const Mat3 more = rotation_minus_one(w);
    const Mat3 change = out.change + more + more * out.change;
    const Vec3 left = lack - axial(change * moments);
    if (!(left.norm() < out.left.norm())) break;
    out = {change, left};
  }
  return out;
}

Vec3 predicted_spin(std::span<const Index> part, const std::vector<double>& mass, const NodeState& now,
                    const StepPast& from) {
  const Vec3 last = spin(part, mass, now.x, now.v).angular;
  if (from.past == Past::known)
    return (4 * last - spin(part, mass, from.x_before, from.v_before).angular) / 3;
  if (from.past == Past::curved)  // L_n-1 = L_n - h tau, tau = sum m r x a
    return last + from.h / 3 * spin(part, mass, now.x, from.acceleration).angular;
  return last;
}

Vec3 FreeEnd::load(std::size_t node) const {
  Vec3 sum = Vec3::Zero();
  for (const std::span<const Vec3> of : forces)
    if (!of.empty()) sum += of[node];
  return sum;
}

void FreeEnd::keep_linear() const {
  double total = 0;
  Vec3 shift = Vec3::Zero();
  for (const Index node : part) {
    const std::size_t i = std::size_t(node);
    const double m = mass[i];
    total += m;
    shift += h / grown * (m * hat_v[i] + h * (m * gravity + load(i))) - m * (x[i] - hat_x[i]);
  }
  shift /= total;
  for (const Index i : part) x[std::size_t(i)] += shift;
}

void FreeEnd::keep_spin(const Vec3& predicted) const {
  for (const Index i : part) velocity[std::size_t(i)] = (x[std::size_t(i)] - hat_x[std::size_t(i)]) / h;
  const Spin got = spin(part, mass, hat_x, velocity);
  const Vec3 centre = got.center + h * got.velocity;
  // Forces act where the step ends. What touches then is ahead of the centre when the step begins: the
  // ground would brake a rolling ball by h times its speed.
  Vec3 wanted = predicted;
  Mat3 moments = Mat3::Zero();
  for (const Index node : part) {
    const std::size_t i = std::size_t(node);
    const Vec3 arm = x[i] - centre;
    wanted += h * arm.cross(load(i));
    moments += arm * (mass[i] * (hat_x[i] - got.center)).transpose();
  }
  const SpinTurn turn = turn_for(moments, h * (wanted / grown - got.angular));
  for (const Index i : part) x[std::size_t(i)] += turn.change * (x[std::size_t(i)] - centre);
  if (turn.left.norm() <= 1e-13 * h * wanted.norm()) return;
  const Vec3 w = rotation_rate(part, mass, hat_x, turn.left);
  for (const Index i : part) x[std::size_t(i)] += w.cross(hat_x[std::size_t(i)] - got.center);
}

void RigidFreedom::hold(const Vec3& place) {
  const Vec3 r = place - pivot_;
  if (held_ == 0) {
    pivot_ = place;
    held_ = 1;
  } else if (held_ == 1 && r.norm() > tolerance_) {
    axis_ = r.normalized();
    held_ = 2;
  } else if (held_ == 2 && r.cross(axis_).norm() > tolerance_) {
    held_ = 3;
  }
}

void RigidBalance::add(double mass, const Vec3& r, const Vec3& g) {
  mass_ += mass;
  first_ += mass * r;
  second_ += (mass * r) * r.transpose();
  force_ -= g;
  moment_ -= r.cross(g);
}

void RigidBalance::add(double mass, const Vec3& first, const Mat3& second, const Vec3& g,
                       const Vec3& torque) {
  mass_ += mass;
  first_ += first;
  second_ += second;
  force_ -= g;
  moment_ -= torque;
}

void RigidBalance::solve(const RigidFreedom& freedom, Vec3& u, Vec3& w) const {
  const Mat3 inertia = second_.trace() * Mat3::Identity() - second_;
  u = w = Vec3::Zero();
  if (freedom.shifts()) {
    Mat3 cross;  // first_ x
    cross << 0, -first_.z(), first_.y(), first_.z(), 0, -first_.x(), -first_.y(), first_.x(), 0;
    Eigen::Matrix<double, 6, 6> matrix;
    matrix << mass_ * Mat3::Identity(), -cross, cross, inertia;
    Eigen::Matrix<double, 6, 1> right;
    right << force_, moment_;
    // What has no inertia about an axis (a node, a rod) does not turn about it.
    matrix.diagonal().tail<3>().array() += 1e-9 * inertia.trace();
    if (!(inertia.trace() > 0)) {
      u = force_ / mass_;
      return;
    }
    const Eigen::Matrix<double, 6, 1> motion = matrix.ldlt().solve(right);
    u = motion.head<3>();
    w = motion.tail<3>();
  } else if (freedom.turns() == 3 && inertia.trace() > 0) {
    w = (inertia + 1e-9 * inertia.trace() * Mat3::Identity()).ldlt().solve(moment_);
  } else if (freedom.turns() == 1) {
    const double about = freedom.axis().dot(inertia * freedom.axis());
    if (about > 1e-9 * inertia.trace()) w = freedom.axis().dot(moment_) / about * freedom.axis();
  }
}

}  // namespace pliant
