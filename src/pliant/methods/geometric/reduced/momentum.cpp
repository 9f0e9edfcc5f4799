// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/momentum.hpp"

#include "pliant/physics/momentum.hpp"

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

/// sum m x u^T for the places X + Phi z and the field Phi u. Uses scratch.product.
Mat3 first_moments(ReducedEquation& e, const Coordinates& z, const Coordinates& u) {
  multiply(e.model.mass, u, e.scratch.product);
  return inner(e.model.moment, u) + inner(z, e.scratch.product);
}

/// sum m r_a r_b^T, each from its own centre of mass.
Mat3 second_moments(ReducedEquation& e, const Coordinates& a, const Coordinates& b) {
  const ReducedModel& model = e.model;
  return model.second + inner(a, model.moment) + first_moments(e, a, b) -
         total(model, a) * total(model, b).transpose() / model.total_mass;
}

/// sum m (x - c) x v about the centre of mass.
Vec3 spin_of(ReducedEquation& e, const Coordinates& z, const Coordinates& v) {
  return axial(first_moments(e, z, v)) - (total(e.model, z) / e.model.total_mass).cross(total(e.model, v));
}

/// z += Y change^T, Y the coordinates of the places X + Phi from, from the pivot.
void turn_about(const ReducedModel& model, const Vec3& pivot, const Coordinates& from, const Mat3& change,
                Coordinates& z) {
  for (Eigen::Index a = 0; a < z.rows(); ++a) {
    const Vec3 y = model.rest_coordinates.row(a).transpose() + from.row(a).transpose() -
                   model.one_coordinates[a] * pivot;
    z.row(a) += (change * y).transpose();
  }
}

void keep_linear_momentum(ReducedEquation& e) {
  const ReducedModel& model = e.model;
  const Scheme& s = e.scheme();
  Coordinates& new_v = e.scratch.new_v;
  const Vec3 before = total(model, e.scratch.hat_v), after = total(model, new_v);
  Vec3 force = model.total_mass * e.input().gravity - s.drag * before;
  for (const Vec3& f : e.input().forces) force += f;
  const Vec3 shift = (before + s.h / s.mass * force - after) / model.total_mass;
  for (int c = 0; c < 3; ++c) new_v.col(c) += shift[c] * model.one_coordinates;
  e.scratch.new_z = e.scratch.hat_z + s.h * new_v;
}

void keep_angular_momentum(ReducedEquation& e) {
  const ReducedModel& model = e.model;
  const ReducedState& state = e.state;
  const Scheme& s = e.scheme();
  const Coordinates& hat_z = e.scratch.hat_z;
  Coordinates &new_z = e.scratch.new_z, &new_v = e.scratch.new_v;
  Vec3 wanted = spin_of(e, state.z, state.v);
  if (e.past == Past::known)
    wanted = (4 * wanted - spin_of(e, state.z_before, state.v_before)) / 3;
  else if (e.past == Past::curved)  // L_n-1 = L_n - h tau, tau = sum m r x a
    wanted += e.input().h / 3 * spin_of(e, state.z, e.scratch.acceleration);
  const Vec3 centre = total(model, new_z) / model.total_mass,
             hat_centre = total(model, hat_z) / model.total_mass;
  const std::span<const Vec3> forces = e.input().forces;
  for (std::size_t i = 0; i < forces.size(); ++i)
    wanted += s.h * (model.node_at(Index(i), new_z) - model.centre - centre).cross(forces[i]);
  const Vec3 lack = s.h * (wanted / s.mass - spin_of(e, hat_z, new_v));
  const SpinTurn turn = turn_for(second_moments(e, new_z, hat_z), lack);
  turn_about(model, centre, new_z, turn.change / s.h, new_v);
  if (turn.left.norm() > 1e-13 * s.h * wanted.norm()) {
    const Vec3 w = rotation_rate(second_moments(e, hat_z, hat_z), turn.left / s.h);
    turn_about(model, hat_centre, hat_z, cross_matrix(w), new_v);
  }
  new_z = hat_z + s.h * new_v;
}

/// For a body that is held or grabbed: as far as it can move as a whole, what is not elastic in the equation
/// of motion has no resultant and no moment.
void keep_rigid_motion(ReducedEquation& e) {
  const ReducedModel& model = e.model;
  const StepInput& input = e.input();
  const Scheme& s = e.scheme();
  const Coordinates &hat_z = e.scratch.hat_z, &hat_v = e.scratch.hat_v;
  Coordinates &new_z = e.scratch.new_z, &new_v = e.scratch.new_v, &velocity = e.scratch.velocity;
  RigidFreedom freedom(model.size);
  for (std::size_t n = 0; n < input.held.size() && freedom.turns() > 0; ++n) freedom.hold(input.targets[n]);
  if (freedom.turns() == 0) return;
  const Vec3 origin = freedom.shifts() ? Vec3::Zero() : Vec3(freedom.pivot() - model.centre);
  const double mass = model.total_mass;
  // Held nodes are on the pivot or on the axis: they add no moment.
  const Vec3 first = total(model, new_z) - mass * origin;
  const Mat3 second = second_moments(e, new_z, new_z) + first * first.transpose() / mass;
  velocity = s.mass / s.h * (new_v - hat_v) + s.drag * hat_v;
  Vec3 g = total(model, velocity), torque = axial(first_moments(e, new_z, velocity)) - origin.cross(g);
  g -= mass * input.gravity;
  torque -= first.cross(input.gravity);
  for (std::size_t i = 0; i < input.forces.size(); ++i) {
    g -= input.forces[i];
    torque -= (model.node_at(Index(i), new_z) - model.centre - origin).cross(input.forces[i]);
  }
  RigidBalance balance;
  balance.add(s.mass * mass, s.mass * first, s.mass * second, s.elastic * g, s.elastic * torque);
  const ReducedSprings& springs = e.scratch.springs;
  for (int k = 0; k < springs.count; ++k) {
    const Vec3 x = model.node_at(springs.list[k].node, new_z);
    const double stiffness = springs.list[k].stiffness;
    balance.add(stiffness, x - model.centre - origin, stiffness * (x - e.scratch.spring_targets[k]));
  }
  Vec3 u, w;
  balance.solve(freedom, u, w);
  velocity = new_z;
  for (int c = 0; c < 3; ++c) new_z.col(c) += u[c] * model.one_coordinates;
  turn_about(model, origin, velocity, cross_matrix(w), new_z);
  new_v = (new_z - hat_z) / s.h;
}

}  // namespace

Vec3 total(const ReducedModel& model, const Coordinates& z) {
  return {model.sum.dot(z.col(0)), model.sum.dot(z.col(1)), model.sum.dot(z.col(2))};
}

void keep_momentum(ReducedEquation& e) {
  if (e.input().held.empty() && e.scratch.springs.count == 0) {
    keep_linear_momentum(e);
    if (e.options.angular_momentum) keep_angular_momentum(e);
  } else if (e.options.angular_momentum) {
    keep_rigid_motion(e);
  }
}

}  // namespace pliant::geometric
