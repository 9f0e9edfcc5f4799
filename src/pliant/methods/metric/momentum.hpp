// SPDX-License-Identifier: Apache-2.0
// What the connected parts of a free body do as a whole within a step. Before the solve, a part moves by its
// velocity, with what gravity and drag do to it, and turns by R as a rigid body does on which nothing acts
// (free_turn). The spin after the turn is that of the same angular momentum. With the arm a from the centre,
// what is left of the velocity, l = v - v_c - w x a, obeys
//   dl/dt = F/m - w x l - w x (w x a) - dw/dt x a:
// it turns back by R^T, and the centrifugal term is minus the second difference of the turning arms,
// (2 - R - R^T) R a, which is bounded for any h. The last term is left to keep(). After the solve, (1) of
// step.cpp is summed over a part: A and F have no resultant, F no torque, and A should have none:
//   (1 + alpha h/2) p' = (1 - alpha h/2) p + h sum f,   L alike with the torques about the centre,
// which goes where p' takes it: then the angular momentum about any point is kept. Where nothing touches, it
// moves by the mean of the old velocity and that of gravity and drag: free fall is exact. Positions turn as the
// momenta say: what the solve turned the part by beside R, h (w' - w_R), gives way to what the outer torques
// turn it by, h I^-1 (L' - L).
#pragma once

#include <utility>

#include "pliant/methods/metric/equation.hpp"
#include "pliant/methods/metric/rigid_motion.hpp"

namespace pliant::metric {

class Momentum {
 public:
  /// The model outlives this object.
  explicit Momentum(const Model& model);

  /// The rigid motion of the step that begins at `now`. flies: nothing touches the body.
  void measure_start(const Context& step, const NodeState& now, bool flies);
  /// Of a node with position x and velocity v: where it is moved, and its displacement beside that.
  std::pair<Vec3, Vec3> moved(Index node, const Vec3& x, const Vec3& v, double h) const {
    const Frame& f = frames_[std::size_t(model_.part[node])];
    const Vec3 arm = x - f.from;
    const Vec3 turned = f.turn * arm, loose = v - f.drift - f.spin.cross(arm);
    return {f.to + turned, h * f.turn.transpose() * loose + f.outward * turned};
  }
  /// The velocity of the moved part where x is.
  Vec3 velocity(Index node, const Vec3& x) const {
    const Frame& f = frames_[std::size_t(model_.part[node])];
    return f.velocity + f.new_spin.cross(x - f.to);
  }

  /// Sets the momenta of the end x, v. forces: on nodes, N, beside gravity and grabs; empty: none.
  void keep(const Context& step, std::span<const Vec3> forces, Points& x, Points& v);
  /// How the parts at the end that keep() made answer impulses within the step.
  std::span<const RigidAnswer> answers() const { return answers_; }

 private:
  /// The motion of a part within the step.
  struct Frame {
    Vec3 from{0, 0, 0}, drift{0, 0, 0}, spin{0, 0, 0};  ///< before: centre, velocity, spin
    Vec3 lag{0, 0, 0};  ///< of the centre behind h times its new velocity: it moves by the mean of both
    Vec3 to{0, 0, 0}, velocity{0, 0, 0}, new_spin{0, 0, 0};  ///< after
    Mat3 turn = Mat3::Identity(), outward = Mat3::Zero();    ///< R, and 2 - R - R^T
    Vec3 momentum{0, 0, 0}, angular{0, 0, 0};                ///< of the end, as they must be
    Vec3 end_centre{0, 0, 0}, end_velocity{0, 0, 0}, end_spin{0, 0, 0};
    Mat3 rest_turn = Mat3::Identity();  ///< of the end of the solve, so that the turn is that of the torques
  };

  void slow_down(const Context& step, const Points& x, Points& v) const;

  const Model& model_;
  std::vector<RigidMotion> start_, end_, scratch_;
  std::vector<Frame> frames_;
  std::vector<RigidAnswer> answers_;
  std::vector<double> fastest_;  // of node_block nodes each, beside the rigid motion, m^2/s^2
};

}  // namespace pliant::metric
