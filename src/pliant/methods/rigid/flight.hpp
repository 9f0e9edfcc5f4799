// SPDX-License-Identifier: Apache-2.0
// The motion of the body in one step: turn, kick, turn.
//
// It is described by a point o, the centre of mass or the place where it is held, the turning w, and the angular momentum
// H = J_o w about o. For a step of h, with a share s of the turning before the kick:
//   1. turn      as the free body does, for s h: H stays, and so does the energy (physics/free_turn.hpp)
//   2. kick      v_o and H change by gravity, forces, grabs, the acceleration of o, and contact
//   3. turn      for (1 - s) h;  o goes from o to its target, or by h (v_o + v_o')/2 where nothing touches, by h v_o' else
// Turning alone is the implicit midpoint rule for Euler's equations: exact H, |H| and H . J^-1 H at every step length
// [Austin93]. s = 1/2 is second order. Where nothing acts but gravity the centre is on its parabola to rounding. A kick
// happens in one place: impulses of contact that take energy there take it from the step, because the turning around it
// neither gives nor takes any.
//
// Kick of a free body, f = 1 + h alpha, alpha the mass damping:
//   f m v' = m v + h F,   f H' = H + h T
// and with grabs of stiffness k at arms a, drawn from x to t, implicitly
//   (f diag(m, J) + h^2 K) (v', w') = (m v, H) + h (F, T) + h sum k (t - x, a x (t - x))
//   K = sum k (1, -[a])^T (1, -[a]) + diag(0, G)      G: the stiffness of a pull f against turning, (f . a) 1 - sym(a f^T),
//                                                     without its negative part
// About a joint only turning is left; o has the velocity u of its target, and what accelerates it turns the body by
// -d x m (u - v_o), d from o to the centre. About a hinge only the part along its axis is left.
#pragma once

#include "pliant/methods/rigid/joint.hpp"
#include "pliant/methods/rigid/response.hpp"

namespace pliant::rigid {

class Flight {
 public:
  /// All outlive this object. drag: 1/s.
  Flight(const Model& model, const StepInput& input, double drag, const Motion& begin);

  const Joint& joint() const { return joint_; }
  /// Turns for a share of the step, and kicks: without contact.
  void kick(double share);
  /// Right after the kick.
  const Twist& twist() const { return twist_; }
  const Mobility& mobility() const { return mobility_; }
  const Mat3& rotation() const { return rotation_; }
  const Vec3& momentum() const { return momentum_; }  ///< H
  double factor() const { return factor_; }           ///< f
  const Vec3& place() const { return place_; }        ///< of o at the beginning, m
  /// The kick is harder: impulses, of this moment about o, change the twist.
  void add(const Twist& change, const Vec3& moment);
  /// The end of the step; pushed: something touches, or pulls.
  Motion end(bool pushed) const;

  /// C of a body on which nothing pulls.
  Mobility mobility_at(const Mat3& rotation) const;

 private:
  struct Load {
    Vec3 force{0, 0, 0}, torque{0, 0, 0};  ///< N, N m about o
  };
  struct Springs {
    Mat6 stiffness = Mat6::Zero();  ///< K
    Vec6 pull = Vec6::Zero();       ///< with o and the turning as they are
  };
  Mat3 inertia() const { return rotation_ * about_ * rotation_.transpose(); }
  Load load() const;
  Springs springs() const;
  void kick_free(const Load& load);
  void kick_held(const Load& load);
  /// w across the axis of a hinge, which follows its targets.
  Vec3 leading() const;
  Eigen::Quaterniond lead() const;

  const Model& model_;
  const StepInput& input_;
  const Motion& begin_;
  Joint joint_;
  double factor_ = 1;          // f
  Mat3 about_ = Mat3::Zero();  // J_o at rest
  Vec3 place_{0, 0, 0};        // o at the beginning
  Twist before_;               // at the beginning
  double share_ = 0;
  Mat3 rotation_ = Mat3::Identity();  // at the kick
  Mat3 turned_ = Mat3::Identity();    // since the beginning
  Vec3 momentum_{0, 0, 0};            // H
  Twist twist_;
  Mobility mobility_;
};

}  // namespace pliant::rigid
