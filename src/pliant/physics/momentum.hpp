// SPDX-License-Identifier: Apache-2.0
// Angular momentum of a free body, kept exactly by a rigid rotation of the new positions
// (implicit integrators lose it: 15 % in 5 s at h = 0.01 s for a bar at 2 rad/s).
//
// Both integrators end with x_new = x^ + h' v_new. With r from the centre of mass, h' sum m r^ x v_new =
// sum m r^ x r_new, so that turning the new positions by Q and setting v_new = (x_new - x^)/h' changes the
// spin, and strains nothing (turn_for). The right spin is the integrator's own step for L, where inner forces
// have no torque: with alpha the mass damping and tau the torque of outer forces
//   (1 + h' alpha) L_new = L^ + h' tau,   L^ = L_n (Euler) or (4 L_n - L_n-1)/3 (BDF2)
// A rotation cannot give every spin: at most that of a quarter turn a step. What is left is linear in v_new:
// adding w x r^ sets the spin to any value. Alone it would do, too, but w x r^ stretches what has turned
// meanwhile, each step a little: a bar of 1e9 Pa that tumbles at 5 rad/s gained its energy sixfold at
// h = 1/15 s.
// All about the centre of mass, where gravity has no torque. Parts of a body that nothing joins are bodies of
// their own here: what one loses must not reappear in another.
//
// A body on a point, a hinge or soft grabs can turn as a whole, too, but its spin is not kept. There the
// rigid motion is balanced instead (RigidBalance): inner forces have no resultant and no torque, so that the
// sum and the moments of the equation of motion hold only inertia, loads and grabs. The conjugate gradients
// hardly see this part of the residual: to their preconditioner, whose null space has translations only, a
// rotation is stiff. Left to them a stiff pendulum falls several times too slowly, and gains energy.
#pragma once

#include <array>
#include <span>

#include "pliant/base/types.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant {

struct Spin {
  double mass = 0;  ///< kg
  Vec3 center{0, 0, 0}, velocity{0, 0, 0};
  Vec3 angular{0, 0, 0};  ///< about the centre, kg m^2/s
};
/// Of the given nodes, at least one; the arrays are of all nodes.
Spin spin(std::span<const Index> nodes, const std::vector<double>& mass, const Points& x, const Points& v);

/// w with sum m (x - c) x (w x (x - c)) = wanted; 0 about an axis without inertia.
Vec3 rotation_rate(std::span<const Index> nodes, const std::vector<double>& mass, const Points& x,
                   const Vec3& wanted);

/// The same for the second moments sum m (x - c)(x - c)^T.
Vec3 rotation_rate(const Mat3& second, const Vec3& wanted);

struct SpinTurn {
  Mat3 change;  ///< Q - 1
  Vec3 left;    ///< of the lack
};
/// The rotation Q with sum m a x (Q b - b) = lack, for moments = sum m b a^T. Where there is none near the
/// identity, one that leaves less than there was, or the identity.
SpinTurn turn_for(const Mat3& moments, const Vec3& lack);

/// Where a step comes from.
struct StepPast {
  Past past;
  double h;                           ///< of the step, s
  const Points &x_before, &v_before;  ///< of a known past
  const Points& acceleration;         ///< of a curved one, m/s^2
};
/// L^ of the integrator.
Vec3 predicted_spin(std::span<const Index> part, const std::vector<double>& mass, const NodeState& now,
                    const StepPast& from);

/// The end x = x^ + h' v of a step of one part that nothing holds. The arrays are of all nodes.
struct FreeEnd {
  std::span<const Index> part;
  const std::vector<double>& mass;
  double h, grown;  ///< h', s; 1 + h' alpha
  const Vec3& gravity;
  std::array<std::span<const Vec3>, 2> forces;  ///< N, added; empty: none
  const Points &hat_x, &hat_v;
  Points &x, &velocity;  ///< velocity: scratch

  /// Shifts x so that (1 + h' alpha) P = P^ + h' F.
  void keep_linear() const;
  /// Turns x so that (1 + h' alpha) L = L^ + h' tau.
  void keep_spin(const Vec3& predicted) const;

 private:
  Vec3 load(std::size_t node) const;
};

/// The rigid motions that held nodes leave.
class RigidFreedom {
 public:
  /// size: lengths below 1e-6 of it count as none.
  explicit RigidFreedom(double size) : tolerance_(1e-6 * size) {}
  void hold(const Vec3& place);
  bool shifts() const { return held_ == 0; }
  int turns() const { return held_ < 2 ? 3 : held_ == 2 ? 1 : 0; }  ///< axes: any, axis(), none
  const Vec3& pivot() const { return pivot_; }                      ///< of a held body
  const Vec3& axis() const { return axis_; }

 private:
  double tolerance_;
  int held_ = 0;  // 1: a point, 2: a line, 3: more
  Vec3 pivot_{0, 0, 0}, axis_{0, 0, 0};
};

/// The rigid motion r -> u + w x r that takes the resultant and the moments out of a residual:
///   sum g + mass (u + w x r) = 0,  sum r x (g + mass (u + w x r)) = 0     for the motions that are free
class RigidBalance {
 public:
  /// r from the pivot.
  void add(double mass, const Vec3& r, const Vec3& g);
  /// Many at once: the sums of mass, mass r, mass r r^T, g and r x g.
  void add(double mass, const Vec3& first, const Mat3& second, const Vec3& g, const Vec3& torque);
  void solve(const RigidFreedom& freedom, Vec3& u, Vec3& w) const;

 private:
  double mass_ = 0;
  Vec3 first_{0, 0, 0}, force_{0, 0, 0}, moment_{0, 0, 0};
  Mat3 second_ = Mat3::Zero();
};

}  // namespace pliant
