// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/flight.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/physics/free_turn.hpp"

namespace pliant::rigid {
namespace {

constexpr double longest_turn = 50;  // rad a step that are followed; beyond, the mean of them

/// How a body of this inertia and angular momentum turns within h. One that spins beyond all following turns about its
/// angular momentum at the mean rate, 2 T/|H|: that, too, keeps both.
Mat3 turn_within(const Mat3& inertia, const Vec3& momentum, double h) {
  const Vec3 w = inertia.inverse() * momentum;
  if (!(h * w.norm() > longest_turn)) return free_turn(inertia, momentum, h);
  const double rate = w.dot(momentum) / momentum.norm();
  return rotation_by(h * rate * momentum.normalized());
}

Mat3 cross_by(const Vec3& a) {
  Mat3 out = Mat3::Zero();
  out(2, 1) = a.x(), out(0, 2) = a.y(), out(1, 0) = a.z();
  return out - out.transpose();
}

}  // namespace

Flight::Flight(const Model& model, const StepInput& input, double drag, const Motion& begin)
    : model_(model),
      input_(input),
      begin_(begin),
      joint_(joint_of(model, input, begin.turn)),
      factor_(1 + input.h * drag),
      about_(model.inertia_about(joint_.arm)),
      place_(begin.place(joint_.arm)) {
  before_.turning = begin.turning(model);
  before_.velocity = begin.velocity + before_.turning.cross(place_ - begin.centre);
}

void Flight::kick(double share) {
  share_ = share;
  rotation_ = begin_.rotation();
  turned_ = Mat3::Identity();
  momentum_ = joint_.holds() ? Vec3(inertia() * before_.turning) : begin_.spin;
  twist_ = {};
  mobility_ = {};
  if (joint_.freedom == Freedom::none) return;
  const double h = share * input_.h;
  if (joint_.freedom == Freedom::about_axis) {
    const Vec3 axis = rotation_ * joint_.axis;
    turned_ = rotation_by(h * before_.turning.dot(axis) * axis);
  } else {
    turned_ = turn_within(inertia(), momentum_, h);
  }
  rotation_ = turned_ * rotation_;
  if (joint_.holds())
    kick_held(load());
  else
    kick_free(load());
}

Flight::Load Flight::load() const {
  Load out{model_.mass * input_.gravity, {0, 0, 0}};
  out.torque = (rotation_ * -joint_.arm).cross(out.force);
  for (std::size_t i = 0; i < input_.forces.size(); ++i) {
    out.force += input_.forces[i];
    out.torque += (rotation_ * (model_.arm[i] - joint_.arm)).cross(input_.forces[i]);
  }
  return out;
}

Flight::Springs Flight::springs() const {
  Springs out;
  Mat3 against_turning = Mat3::Zero();
  for (const Grab& grab : input_.grabs) {
    const Vec3& rest = model_.arm[std::size_t(grab.node)];
    const Vec3 arm = rotation_ * (rest - joint_.arm),
               pull = grab.stiffness * (grab.target - begin_.place(rest));
    Eigen::Matrix<double, 3, 6> row;
    row << Mat3::Identity(), -cross_by(arm);
    out.stiffness += grab.stiffness * row.transpose() * row;
    out.pull += row.transpose() * pull;
    against_turning +=
        pull.dot(arm) * Mat3::Identity() - (pull * arm.transpose() + arm * pull.transpose()) / 2;
  }
  const Spectrum3 parts = spectrum(against_turning);
  out.stiffness.bottomRightCorner<3, 3>() += parts.with(parts.values.cwiseMax(0));
  return out;
}

void Flight::kick_free(const Load& load) {
  const double h = input_.h, m = model_.mass;
  if (input_.grabs.empty()) {
    twist_.velocity = (before_.velocity + h / m * load.force) / factor_;
    momentum_ = (momentum_ + h * load.torque) / factor_;
    mobility_ = mobility_at(rotation_);
    twist_.turning = mobility_.turn() * momentum_;
    mobility_.matrix /= factor_;
    return;
  }
  const Springs pulled = springs();
  Mat6 matrix = h * h * pulled.stiffness;
  matrix.topLeftCorner<3, 3>() += factor_ * m * Mat3::Identity();
  matrix.bottomRightCorner<3, 3>() += factor_ * inertia();
  Vec6 right;
  right << m * before_.velocity + h * load.force, momentum_ + h * load.torque;
  mobility_ = {matrix.inverse(), false};
  const Vec6 moved = mobility_.matrix * (right + h * pulled.pull);
  twist_ = {moved.head<3>(), moved.tail<3>()};
  momentum_ = inertia() * twist_.turning;
}

void Flight::kick_held(const Load& load) {
  const double h = input_.h;
  twist_.velocity = (joint_.place - place_) / h;
  const Vec3 to_centre = rotation_ * -joint_.arm;
  Vec3 right =
      momentum_ + h * load.torque - model_.mass * to_centre.cross(twist_.velocity - before_.velocity);
  Mat3 matrix = factor_ * inertia();
  if (!input_.grabs.empty()) {
    const Springs pulled = springs();
    matrix += h * h * pulled.stiffness.bottomRightCorner<3, 3>();
    right += h * (pulled.pull.tail<3>() - h * pulled.stiffness.bottomLeftCorner<3, 3>() * twist_.velocity);
  }
  if (joint_.freedom == Freedom::about_point) {
    mobility_.matrix.bottomRightCorner<3, 3>() = matrix.inverse();
    twist_.turning = mobility_.turn() * right;
  } else {
    const Vec3 axis = rotation_ * joint_.axis;
    mobility_.matrix.bottomRightCorner<3, 3>() = axis * axis.transpose() / axis.dot(matrix * axis);
    twist_.turning = leading() + mobility_.turn() * (right - matrix * leading());
  }
  momentum_ = inertia() * twist_.turning;
}

void Flight::add(const Twist& change, const Vec3& moment) {
  twist_.velocity += change.velocity;
  twist_.turning += change.turning;
  const bool exact = joint_.freedom == Freedom::all && input_.grabs.empty();
  momentum_ = exact ? Vec3(momentum_ + moment / factor_) : Vec3(inertia() * twist_.turning);
}

Motion Flight::end(bool pushed) const {
  const double h = input_.h, left = (1 - share_) * h;
  Motion out;
  Vec3 turning = twist_.turning;
  switch (joint_.freedom) {
    case Freedom::none:
      out.turn = joint_.turn;
      break;
    case Freedom::about_axis: {
      const Vec3 axis = rotation_ * joint_.axis;
      const double rate = (twist_.turning - leading()).dot(axis);
      out.turn = lead() * Eigen::Quaterniond(rotation_by(left * rate * axis) * turned_) * begin_.turn;
      turning = leading() + rate * joint_.end_axis;
      break;
    }
    default:
      out.turn = Eigen::Quaterniond(turn_within(inertia(), momentum_, left) * turned_) * begin_.turn;
  }
  out.turn.normalize();
  const Mat3 rotation = out.rotation();
  if (joint_.freedom == Freedom::all) {
    const Vec3 mean =
        pushed || !input_.grabs.empty() ? twist_.velocity : Vec3((before_.velocity + twist_.velocity) / 2);
    out.centre = place_ + h * mean;
    out.velocity = twist_.velocity;
    out.spin = momentum_;
    return out;
  }
  if (joint_.freedom == Freedom::none) {
    const Eigen::AngleAxisd way(Mat3(rotation * begin_.rotation().transpose()));
    turning = way.angle() / h * way.axis();
  } else if (joint_.freedom == Freedom::about_point) {
    turning = (rotation * about_ * rotation.transpose()).inverse() * momentum_;
  }
  out.centre = joint_.place - rotation * joint_.arm;
  out.velocity = (joint_.place - place_) / h - turning.cross(rotation * joint_.arm);
  out.spin = out.inertia(model_) * turning;
  return out;
}

Vec3 Flight::leading() const {
  const Eigen::AngleAxisd way(lead());
  return way.angle() / input_.h * way.axis();
}

Eigen::Quaterniond Flight::lead() const {
  return Eigen::Quaterniond::FromTwoVectors(rotation_ * joint_.axis, joint_.end_axis);
}

Mobility Flight::mobility_at(const Mat3& rotation) const {
  Mobility out;
  const Mat3 inertia = rotation * about_ * rotation.transpose();
  const Vec3 axis = rotation * joint_.axis;
  switch (joint_.freedom) {
    case Freedom::all:
      out.matrix.topLeftCorner<3, 3>() = Mat3::Identity() / model_.mass;
      [[fallthrough]];
    case Freedom::about_point:
      out.matrix.bottomRightCorner<3, 3>() = inertia.inverse();
      break;
    case Freedom::about_axis:
      out.matrix.bottomRightCorner<3, 3>() = axis * axis.transpose() / axis.dot(inertia * axis);
      break;
    case Freedom::none:
      break;
  }
  return out;
}

}  // namespace pliant::rigid
