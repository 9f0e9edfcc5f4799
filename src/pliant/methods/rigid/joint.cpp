// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/joint.hpp"

#include "pliant/math/polar.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::rigid {
namespace {

constexpr double rounding = 1e-9;  // of the size

}  // namespace

Joint joint_of(const Model& model, const StepInput& input, const Eigen::Quaterniond& now) {
  Joint joint;
  if (input.held.empty()) return joint;
  RigidFreedom left(model.size);
  for (std::size_t k = 0; k < input.held.size(); ++k) {
    const Vec3& arm = model.arm[std::size_t(input.held[k])];
    left.hold(arm);
    joint.arm += arm / double(input.held.size());
    joint.place += input.targets[k] / double(input.held.size());
  }
  joint.freedom = left.turns() == 3   ? Freedom::about_point
                  : left.turns() == 1 ? Freedom::about_axis
                                      : Freedom::none;
  Mat3 turned = Mat3::Zero();
  for (std::size_t k = 0; k < input.held.size(); ++k)
    turned +=
        (input.targets[k] - joint.place) * (model.arm[std::size_t(input.held[k])] - joint.arm).transpose();
  if (joint.freedom == Freedom::about_axis) {
    joint.axis = left.axis();
    const Vec3 along = turned * joint.axis;
    joint.end_axis =
        along.norm() > rounding * model.size * model.size ? along.normalized() : Vec3(now * joint.axis);
  }
  if (joint.freedom == Freedom::none) joint.turn = polar_rotation(turned, now);
  return joint;
}

void put_held(const Model& model, const StepInput& input, Points& x) {
  for (std::size_t k = 0; k < input.held.size(); ++k) {
    Vec3& node = x[std::size_t(input.held[k])];
    if ((node - input.targets[k]).norm() < rounding * model.size) node = input.targets[k];
  }
}

}  // namespace pliant::rigid
