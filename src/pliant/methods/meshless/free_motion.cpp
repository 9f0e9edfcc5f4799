// SPDX-License-Identifier: Apache-2.0
// What a body without bones does as a whole. Its rotations are polar ones of its own deformation: those of
// the step's begin lag behind a body that spins, and their elasticity would brake it. So they run ahead by
// the turn that the spin of the part makes in a step. What the solve still gets wrong is set afterwards: a
// part that nothing holds has the momentum and the spin of implicit Euler, where inner forces have no share,
//   (1 + h alpha) p_n+1 = p_n + h f,   (1 + h alpha) L_n+1 = L_n + h torque      (physics/momentum.hpp)
#include <cmath>

#include "pliant/methods/meshless/body.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::meshless {

bool Body::runs_ahead() const {
  return rig_.empty() && options_.rotations == Rotations::polar && options_.warping == Warping::cell;
}

void Body::run_ahead(double h) {
  const NodeState& now = state_.nodes;
  for (std::size_t p = 0; p < model_.parts.size(); ++p) {
    const Spin spinning = spin(model_.parts[p], model_.mass, now.x, now.v);
    const Vec3 turn = h * rotation_rate(model_.parts[p], model_.mass, now.x, spinning.angular);
    const double angle = turn.norm();
    part_turn_[p] = Eigen::Quaterniond::Identity();
    if (angle > 0) part_turn_[p] = Eigen::Quaterniond(Eigen::AngleAxisd(angle, turn / angle));
  }
  for (Index c = 0; c < packed_.cells(); ++c) {
    const Index node = model_.cells.node[std::size_t(model_.cells.begin[std::size_t(c)])];
    const std::size_t part = std::size_t(model_.part_of[std::size_t(node)]);
    set_quaternion(state_.turned, c, part_turn_[part] * quaternion(state_.turned, c));
  }
}

/// Nothing holds it. Warping at nodes and at rows leaves net forces of its own.
bool Body::is_free(const StepInput& input) const {
  return rows_.rows() == 0 && input.grabs.empty() && !turns_nodes();
}

/// Of new_x_. `forces`: those of contact on the nodes, N, or none.
void Body::keep_momentum(const StepInput& input, const Scheme& s, std::span<const Vec3> forces) {
  if (!is_free(input)) return;
  const NodeState& now = state_.nodes;
  const auto load = [&](Index i) -> Vec3 {
    Vec3 f = Vec3::Zero();
    if (!input.forces.empty()) f += input.forces[std::size_t(i)];
    if (!forces.empty()) f += forces[std::size_t(i)];
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
      shift +=
          s.h / grown * (m * now.v[n] + s.h * (m * input.gravity + load(i))) - m * (new_x_[n] - now.x[n]);
    }
    shift /= mass;
    for (const Index i : part) new_x_[std::size_t(i)] += shift;
    if (!runs_ahead()) continue;
    for (const Index i : part)
      new_v_[std::size_t(i)] = (new_x_[std::size_t(i)] - now.x[std::size_t(i)]) / s.h;
    Vec3 wanted = spin(part, model_.mass, now.x, now.v).angular;
    const Spin got = spin(part, model_.mass, now.x, new_v_);
    const Vec3 centre = got.center + s.h * got.velocity;
    // Forces act where the step ends. What touches then is ahead of the centre when the step begins: the
    // ground would brake a rolling ball by h times its speed.
    for (const Index i : part) wanted += s.h * (new_x_[std::size_t(i)] - centre).cross(load(i));
    // Turning the new positions about their centre strains nothing.
    Mat3 moments = Mat3::Zero();
    for (const Index i : part)
      moments += (new_x_[std::size_t(i)] - centre) *
                 (model_.mass[std::size_t(i)] * (now.x[std::size_t(i)] - got.center)).transpose();
    const SpinTurn turn = turn_for(moments, s.h * (wanted / grown - got.angular));
    for (const Index i : part) new_x_[std::size_t(i)] += turn.change * (new_x_[std::size_t(i)] - centre);
    if (turn.left.norm() <= 1e-13 * s.h * wanted.norm()) continue;
    const Vec3 w = rotation_rate(part, model_.mass, now.x, turn.left);
    for (const Index i : part) new_x_[std::size_t(i)] += w.cross(now.x[std::size_t(i)] - got.center);
  }
}

}  // namespace pliant::meshless
