// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/statics.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/rigid/body.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/free_turn.hpp"

namespace pliant::rigid {
namespace {

constexpr int most_steps = 200;
constexpr double longest_step = 0.5;       // rad, and of the size
constexpr double push = 0.1;               // rad: away from a balance that is none
constexpr double energy_rounding = 1e-12;  // of the energy
constexpr double falls_away = 1e-9;        // of the largest stiffness
constexpr double least_stiffness = 1e-6;   // likewise

/// Energy, forces and stiffness at a place; lengths in sizes, so that moves and turns compare.
class Balance {
 public:
  Balance(const Model& model, const StepInput& input, const Joint& joint)
      : model_(&model), input_(&input), joint_(&joint) {}

  void look(const Motion& motion) {
    energy = 0, scale = 0;
    pull.setZero();
    stiffness.setZero();
    const Mat3 r = motion.rotation();
    const auto arm = [&](const Vec3& rest) { return Vec3(r * (rest - joint_->arm)); };
    add(model_->mass * input_->gravity, arm(Vec3::Zero()), motion.centre);
    for (std::size_t i = 0; i < input_->forces.size(); ++i)
      add(input_->forces[i], arm(model_->arm[i]), motion.place(model_->arm[i]));
    for (const Grab& grab : input_->grabs) {
      const Vec3& rest = model_->arm[std::size_t(grab.node)];
      const Vec3 a = arm(rest), way = grab.target - motion.place(rest);
      const auto row = row_of(a);
      add(grab.stiffness * way, a, Vec3::Zero());
      energy += grab.stiffness * way.squaredNorm() / 2;
      stiffness += grab.stiffness * row.transpose() * row;
    }
    keep_free(r * joint_->axis);
  }

  double energy = 0;              ///< J
  double scale = 0;               ///< sum of the forces that act, N
  Vec6 pull = Vec6::Zero();       ///< N; torques over the size
  Mat6 stiffness = Mat6::Zero();  ///< N/m, likewise

 private:
  Eigen::Matrix<double, 3, 6> row_of(const Vec3& arm) const {
    Eigen::Matrix<double, 3, 6> row = Eigen::Matrix<double, 3, 6>::Zero();
    row.leftCols<3>().setIdentity();
    for (int k = 0; k < 3; ++k) row.col(3 + k) = Vec3::Unit(k).cross(arm) / model_->size;
    return row;
  }
  void add(const Vec3& force, const Vec3& arm, const Vec3& place) {
    energy -= force.dot(place);
    scale += force.norm();
    pull += row_of(arm).transpose() * force;
    stiffness.bottomRightCorner<3, 3>() +=
        (force.dot(arm) * Mat3::Identity() - (force * arm.transpose() + arm * force.transpose()) / 2) /
        (model_->size * model_->size);
  }
  /// What the joint does not leave is no direction.
  void keep_free(const Vec3& axis) {
    Mat6 free = Mat6::Zero();
    if (joint_->freedom == Freedom::all) free.topLeftCorner<3, 3>().setIdentity();
    if (joint_->freedom == Freedom::about_axis)
      free.bottomRightCorner<3, 3>() = axis * axis.transpose();
    else if (joint_->freedom != Freedom::none)
      free.bottomRightCorner<3, 3>().setIdentity();
    pull = free * pull;
    stiffness = free * stiffness * free;
  }

  const Model* model_;
  const StepInput* input_;
  const Joint* joint_;
};

/// Downhill, or away from where it is balanced and could fall; zero: it rests.
Vec6 step_of(const Balance& now, double tolerance) {
  const SpectrumX parts = dense_spectrum(now.stiffness);
  const double most = parts.values.cwiseAbs().maxCoeff();
  if (now.pull.norm() <= tolerance * now.scale)
    return parts.values[0] < -falls_away * most ? Vec6(push * parts.vectors.col(0)) : Vec6(Vec6::Zero());
  Vec6 step = Vec6::Zero();
  for (int k = 0; k < 6; ++k)
    step += parts.vectors.col(k) * (parts.vectors.col(k).dot(now.pull) /
                                    std::max(std::abs(parts.values[k]), least_stiffness * most));
  return std::min(1.0, longest_step / step.norm()) * step;
}

/// To where the joint wants the body.
void follow(const Joint& joint, Motion& motion) {
  if (joint.freedom == Freedom::none) motion.turn = joint.turn;
  if (joint.freedom == Freedom::about_axis)
    motion.turn = Eigen::Quaterniond::FromTwoVectors(motion.turn * joint.axis, joint.end_axis) * motion.turn;
  if (joint.holds()) motion.centre = joint.place - motion.rotation() * joint.arm;
  motion.velocity = motion.spin = Vec3::Zero();
}

}  // namespace

Relaxation rest(const Model& model, const StepInput& input, double tolerance, Motion& motion) {
  Relaxation out;
  const Joint joint = joint_of(model, input, motion.turn);
  follow(joint, motion);
  Balance now(model, input, joint), next = now;
  now.look(motion);
  const bool falls =
      !joint.holds() && input.grabs.empty() && now.pull.head<3>().norm() > tolerance * now.scale;
  if (falls) {
    out.trouble = "nothing holds it and it falls: pin or grab it, or set gravity to zero";
    return out;
  }
  Vec6 step = step_of(now, tolerance);
  while (out.steps < most_steps && !step.isZero(0)) {
    const bool leaves = now.pull.norm() <= tolerance * now.scale;
    ++out.steps;
    Motion there = motion;
    displace(there, joint.arm, model.size * step.head<3>(), step.tail<3>());
    next.look(there);
    const double rise = next.energy - now.energy;
    const bool rounded =
        rise <= energy_rounding * now.scale * model.size && next.pull.norm() < now.pull.norm();
    const bool lower = rise <= 0 || rounded || leaves;
    if (!lower && step.norm() < 1e-12) break;
    if (!lower) {
      step /= 2;
      continue;
    }
    motion = there;
    now = next;
    step = step_of(now, tolerance);
  }
  out.force = now.pull.norm();
  out.residual = now.scale > 0 ? out.force / now.scale : 0;
  out.stuck = out.residual > tolerance;
  return out;
}

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory&) {
  PLIANT_CHECK(input.pool != nullptr);
  Relaxation out;
  out.trouble = trouble_of(input, model_.nodes());
  if (!out.trouble.empty()) return out;
  Motion motion = state_.motion;
  out = rest(model_, input, tolerance, motion);
  if (!out.trouble.empty()) return out;
  move_nodes(model_, motion, end_x_, end_v_, *input.pool);
  put_held(model_, input, end_x_);
  accept(motion);
  state_.contact.clear();
  return out;
}

}  // namespace pliant::rigid
