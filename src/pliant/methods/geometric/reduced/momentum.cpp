// SPDX-License-Identifier: Apache-2.0
// What a reduced body keeps as a whole: momentum.hpp in the coordinates Z. With X from the centre of mass at
// rest and B = sum m Phi X every sum over the nodes is a small product, e.g.
//   sum m (X + Phi a)(X + Phi b)^T = sum m X X^T + a^T B + B^T b + a^T M b
// Turning the body about a point is Z += Y W^T, Y the coordinates of x from that point: rigid motion is in
// the space of every body that can turn. Places are from the centre of mass at rest.
#include "pliant/methods/geometric/reduced/body.hpp"

namespace pliant::geometric {
namespace {

Mat3 cross_matrix(const Vec3& w) {
  Mat3 m;
  m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return m;
}

/// sum m a x b of sum m a b^T.
Vec3 axial(const Mat3& ab) { return {ab(1, 2) - ab(2, 1), ab(2, 0) - ab(0, 2), ab(0, 1) - ab(1, 0)}; }

/// a^T b, without the scratch memory a general product takes.
Mat3 inner(const Coordinates& a, const Coordinates& b) {
  Mat3 out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out(r, c) = a.col(r).dot(b.col(c));
  return out;
}

}  // namespace

Vec3 ReducedBody::total(const Coordinates& z) const {
  return {reduced_.sum.dot(z.col(0)), reduced_.sum.dot(z.col(1)), reduced_.sum.dot(z.col(2))};
}

void ReducedBody::weigh(const Coordinates& z) {
  for (int c = 0; c < 3; ++c) heavy_.col(c).noalias() = reduced_.mass * z.col(c);
}

/// sum m x u^T for the places X + Phi z and the field Phi u.
Mat3 ReducedBody::first_moments(const Coordinates& z, const Coordinates& u) {
  weigh(u);
  return inner(reduced_.moment, u) + inner(z, heavy_);
}

/// sum m r_a r_b^T, each from its own centre of mass.
Mat3 ReducedBody::second_moments(const Coordinates& a, const Coordinates& b) {
  return reduced_.second + inner(a, reduced_.moment) + first_moments(a, b) -
         total(a) * total(b).transpose() / reduced_.total_mass;
}

/// sum m (x - c) x v about the centre of mass.
Vec3 ReducedBody::spin_of(const Coordinates& z, const Coordinates& v) {
  return axial(first_moments(z, v)) - (total(z) / reduced_.total_mass).cross(total(v));
}

/// z += Y change^T, Y the coordinates of the places X + Phi from, from the pivot.
void ReducedBody::turn_about(const Vec3& pivot, const Coordinates& from, const Mat3& change, Coordinates& z) {
  for (Eigen::Index a = 0; a < z.rows(); ++a) {
    const Vec3 y = reduced_.rest_coordinates.row(a).transpose() + from.row(a).transpose() -
                   reduced_.one_coordinates[a] * pivot;
    z.row(a) += (change * y).transpose();
  }
}

void ReducedBody::keep_linear_momentum(const StepInput& input, const Scheme& s) {
  const Vec3 before = total(hat_v_), after = total(new_v_);
  Vec3 force = reduced_.total_mass * input.gravity - s.drag * before;
  for (const Vec3& f : input.forces) force += f;
  const Vec3 shift = (before + s.h / s.mass * force - after) / reduced_.total_mass;
  for (int c = 0; c < 3; ++c) new_v_.col(c) += shift[c] * reduced_.one_coordinates;
  new_z_ = hat_z_ + s.h * new_v_;
}

void ReducedBody::keep_angular_momentum(const StepInput& input, const Scheme& s) {
  Vec3 wanted = spin_of(state_.z, state_.v);
  if (options_.integrator == Integrator::bdf2 && history_applies(input))
    wanted = (4 * wanted - spin_of(state_.z_before, state_.v_before)) / 3;
  const Vec3 centre = total(new_z_) / reduced_.total_mass, hat_centre = total(hat_z_) / reduced_.total_mass;
  for (std::size_t i = 0; i < input.forces.size(); ++i)
    wanted += s.h * (node_at(Index(i), new_z_) - reduced_.centre - centre).cross(input.forces[i]);
  const Vec3 lack = s.h * (wanted / s.mass - spin_of(hat_z_, new_v_));
  const SpinTurn turn = turn_for(second_moments(new_z_, hat_z_), lack);
  turn_about(centre, new_z_, turn.change / s.h, new_v_);
  if (turn.left.norm() > 1e-13 * s.h * wanted.norm()) {
    const Vec3 w = rotation_rate(second_moments(hat_z_, hat_z_), turn.left / s.h);
    turn_about(hat_centre, hat_z_, cross_matrix(w), new_v_);
  }
  new_z_ = hat_z_ + s.h * new_v_;
}

/// For a body that is held or grabbed: as far as it can move as a whole, what is not elastic in the equation
/// of motion has no resultant and no moment.
void ReducedBody::keep_rigid_motion(const StepInput& input, const Scheme& s) {
  RigidFreedom freedom(size_);
  for (std::size_t n = 0; n < input.held.size() && freedom.turns() > 0; ++n) freedom.hold(input.targets[n]);
  if (freedom.turns() == 0) return;
  const Vec3 origin = freedom.shifts() ? Vec3::Zero() : Vec3(freedom.pivot() - reduced_.centre);
  const double mass = reduced_.total_mass;
  // Held nodes are on the pivot or on the axis: they add no moment.
  const Vec3 first = total(new_z_) - mass * origin;
  const Mat3 second = second_moments(new_z_, new_z_) + first * first.transpose() / mass;
  velocity_ = s.mass / s.h * (new_v_ - hat_v_) + s.drag * hat_v_;
  Vec3 g = total(velocity_), torque = axial(first_moments(new_z_, velocity_)) - origin.cross(g);
  g -= mass * input.gravity;
  torque -= first.cross(input.gravity);
  for (std::size_t i = 0; i < input.forces.size(); ++i) {
    g -= input.forces[i];
    torque -= (node_at(Index(i), new_z_) - reduced_.centre - origin).cross(input.forces[i]);
  }
  RigidBalance balance;
  balance.add(s.mass * mass, s.mass * first, s.mass * second, s.elastic * g, s.elastic * torque);
  for (int k = 0; k < wanted_.spring_count; ++k) {
    const Vec3 x = node_at(wanted_.springs[k].node, new_z_);
    const double stiffness = wanted_.springs[k].stiffness;
    balance.add(stiffness, x - reduced_.centre - origin, stiffness * (x - targets_[k]));
  }
  Vec3 u, w;
  balance.solve(freedom, u, w);
  velocity_ = new_z_;
  for (int c = 0; c < 3; ++c) new_z_.col(c) += u[c] * reduced_.one_coordinates;
  turn_about(origin, velocity_, cross_matrix(w), new_z_);
  new_v_ = (new_z_ - hat_z_) / s.h;
}

}  // namespace pliant::geometric
