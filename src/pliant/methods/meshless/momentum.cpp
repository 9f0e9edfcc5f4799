// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/momentum.hpp"

#include <cmath>

#include "pliant/methods/meshless/energy.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::meshless {

Momentum::Momentum(const Model& model, const Rig& rig, const Options& options)
    : model_(model),
      runs_ahead_(rig.empty() && options.rotations == Rotations::polar && options.warping == Warping::cell),
      part_turn_(model.parts.size()),
      v_(model.rest.size(), Vec3::Zero()) {}

void Momentum::run_ahead(double h, State& state) {
  const NodeState& now = state.nodes;
  for (std::size_t p = 0; p < model_.parts.size(); ++p) {
    const Spin spinning = spin(model_.parts[p], model_.mass, now.x, now.v);
    const Vec3 turn = h * rotation_rate(model_.parts[p], model_.mass, now.x, spinning.angular);
    const double angle = turn.norm();
    part_turn_[p] = Eigen::Quaterniond::Identity();
    if (angle > 0) part_turn_[p] = Eigen::Quaterniond(Eigen::AngleAxisd(angle, turn / angle));
  }
  for (Index c = 0; c < model_.cells.count(); ++c) {
    const Index node = model_.cells.node[std::size_t(model_.cells.begin[std::size_t(c)])];
    const std::size_t part = std::size_t(model_.part_of[std::size_t(node)]);
    set_quaternion(state.turned, c, part_turn_[part] * quaternion(state.turned, c));
  }
}

void Momentum::keep(const Context& step, const NodeState& now, std::span<const Vec3> contact, Points& x) {
  const StepInput& input = step.input;
  const Scheme& s = step.scheme;
  const auto load = [&](Index i) -> Vec3 {
    Vec3 f = Vec3::Zero();
    if (!input.forces.empty()) f += input.forces[std::size_t(i)];
    if (!contact.empty()) f += contact[std::size_t(i)];
    return f;
  };
  const double grown = 1 + s.h * s.drag;
  for (const std::vector<Index>& part : model_.parts) {
    double mass = 0;
    Vec3 shift = Vec3::Zero();
    for (const Index i : part) {
      const std::size_t n = std::size_t(i);
      const double m = model_.mass[n];
      mass += m;
      shift += s.h / grown * (m * now.v[n] + s.h * (m * input.gravity + load(i))) - m * (x[n] - now.x[n]);
    }
    shift /= mass;
    for (const Index i : part) x[std::size_t(i)] += shift;
    if (!runs_ahead_) continue;
    for (const Index i : part) v_[std::size_t(i)] = (x[std::size_t(i)] - now.x[std::size_t(i)]) / s.h;
    Vec3 wanted = spin(part, model_.mass, now.x, now.v).angular;
    const Spin got = spin(part, model_.mass, now.x, v_);
    const Vec3 centre = got.center + s.h * got.velocity;
    // Forces act where the step ends. What touches then is ahead of the centre when the step begins: the
    // ground would brake a rolling ball by h times its speed.
    for (const Index i : part) wanted += s.h * (x[std::size_t(i)] - centre).cross(load(i));
    // Turning the new positions about their centre strains nothing.
    Mat3 moments = Mat3::Zero();
    for (const Index i : part)
      moments += (x[std::size_t(i)] - centre) *
                 (model_.mass[std::size_t(i)] * (now.x[std::size_t(i)] - got.center)).transpose();
    const SpinTurn turn = turn_for(moments, s.h * (wanted / grown - got.angular));
    for (const Index i : part) x[std::size_t(i)] += turn.change * (x[std::size_t(i)] - centre);
    if (turn.left.norm() <= 1e-13 * s.h * wanted.norm()) continue;
    const Vec3 w = rotation_rate(part, model_.mass, now.x, turn.left);
    for (const Index i : part) x[std::size_t(i)] += w.cross(now.x[std::size_t(i)] - got.center);
  }
}

}  // namespace pliant::meshless
