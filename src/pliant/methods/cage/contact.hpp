// SPDX-License-Identifier: Apache-2.0
// Contact within a step, by the stage that all methods share (contact/contact_stage.hpp). Points of the surface
// that would touch get impulses through the factored matrix of the step (contact_response.hpp). What would still
// be inside after that gets a displacement in a second problem, which leaves velocities alone; the step adds it
// when its motion is found, because a cage that was moved has other normals and another energy. A step with
// normals that follow solves several times, each time with the contacts of its own motion.
#pragma once

#include "pliant/contact/contact_stage.hpp"
#include "pliant/methods/cage/contact_points.hpp"
#include "pliant/methods/cage/momentum.hpp"
#include "pliant/methods/cage/step.hpp"

namespace pliant::cage {

class ContactStep {
 public:
  explicit ContactStep(const Model& model);
  ContactStep(const ContactStep&) = delete;  // the stage refers to the points
  ContactStep& operator=(const ContactStep&) = delete;

  const ContactPoints& points() const { return points_; }

  /// Nothing touches.
  void clear() { stage_.clear(); }
  /// Finds contacts of the motion without impulses: Scratch::z is Z at the beginning and `rate` its velocity,
  /// of which the first `used` rows count. A later iteration of a step keeps where the points began.
  bool meet(const Step& step, const Flight& flight, const Columns& rate, Index used, bool first);
  /// Impulses and what they change: Scratch::solved, velocities of the vertices, and Scratch::shift, which
  /// moves them out. Work::system is the factor of a matrix A of any unit: an impulse r changes velocities by
  /// unit A^-1 J^T r. follow: normals do.
  template <class T>
  void respond(const Step& step, const Flight& flight, double unit, bool follow);
  /// The step stands: its forces are the warm start of the next. Tells how deep the surface of the new state
  /// is, and which of its vertices the next step asks besides.
  void finish(const Step& step);

  bool touches() const { return !stage_.empty(); }
  /// Work of the forces since the beginning of the step, J; z: Z in the world.
  double work(const Columns& z, double h) const;
  /// Of a body that rolls, 0 of others: h times the sum of r . w x (w x lever), J, at the end of the step
  /// (Scratch::new_x and new_z). omega: w of the body as a whole.
  double arc_energy(const Step& step, const Vec3& omega, const Whole& whole) const;
  /// on_z += forces of the contacts on Z, seen along given axes.
  void add_forces(const Mat3& axes, double h, Columns& on_z) const;

 private:
  /// begin_ and end_ of the motion that meet() is told.
  void place_points(const Step& step, const Flight& flight, const Columns& rate, Index used, bool first);
  /// Something throws the body back, and nothing holds it.
  bool bounces(const Step& step) const;
  /// The body as a whole and its energy; Scratch::world_z is Z from the mean of the vertices.
  struct Motion {
    PartMotion part;
    double energy = 0;  ///< kinetic and elastic, J
  };
  Motion motion_of(const Step& step) const;
  /// Restitution (contact/rebound.hpp); the state is that of the end of the step.
  class Bouncing;
  void rebound(const Step& step);
  /// Rolling resistance (contact/rolling.hpp) of a body that nothing holds, after the step.
  void resist_rolling(const Step& step);
  /// The velocity that moves a contact out of its collider, m/s; u: its own at the end of the step.
  double lift(const Step& step, const Contact& contact, const Vec3& u) const;
  /// Depth of the contacts over their own planes: one that crossed a thin collider is deep though it is
  /// outside again.
  double depth(const Step& step) const;

  ContactPoints points_;
  ContactStage stage_;
  Motion start_;        // of a step that bounces
  Points begin_, end_;  // of the points in this step, without impulses
};

}  // namespace pliant::cage
