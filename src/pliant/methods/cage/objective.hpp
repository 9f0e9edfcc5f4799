// SPDX-License-Identifier: Apache-2.0
// The variational problem of a step with normals that follow: h', Z^, V^ of the integrator, Y = Z^ + h' V^,
//   min over x of  1/(2 h'^2) |Z(x) - Y|_M^2 + eps m/(2 N h'^2) |x - y|_D^2 + E(Z(x)) + holds - weight
//   [P^T (M/h'^2 + K_holds) P + (1 + beta/h') K + eps m/(N h'^2) D] dx = P^T f + ...,   P = dZ/dx = [1; J]
// (consistent_step.cpp, which finds its minimum; meeting.hpp, in which others take part).
#pragma once

#include "pliant/methods/cage/contact.hpp"

namespace pliant::cage {

/// What the step minimises, its derivative and its matrix.
template <class T>
class Objective {
 public:
  /// h: h', s. coasts: as coast() (momentum.hpp) instead of straight.
  Objective(const Step& step, double h, bool coasts)
      : step_(step), equation_(step.equation<T>()), h_(h), coasts_(coasts) {}

  /// Z^, Y, the motions of the cage as a whole and the forces of the input. Past::curved: by
  /// Scratch::acceleration.
  void begin(Past past);
  /// Of the body as a whole in this step, without forces; identity: it does not coast.
  const Mat3& turn() const { return turn_; }
  /// At x with this elastic energy, J. Contacts count with the forces that they have.
  double value(const Columns& x, double elastic);
  /// Minus the derivative at x, where the look is of and whose mean is c: by Z in Scratch::force and by the
  /// vertices in Scratch::solved, along the axes of the look; contact apart.
  void descend(const Look<T>& look, const Columns& x, const Vec3& c);
  /// The factored matrix of a solve; whole: with all of the Hessian. Where it is not definite (single
  /// precision, stiff bodies) its diagonal grows: such a solve goes less far along what hardly moves the
  /// body. False: that did not help.
  bool factor(const Look<T>& look, bool whole);
  /// What the factored matrix promises for the force in Scratch::solved, twice the decrease, J; the answer's
  /// root is in Work::right.
  double promised();
  /// Scratch::solved += the contacts' forces on the vertices.
  void add_contact_forces(const Mat3& axes);
  /// From now on damping resists the motion since the beginning of the step, by the K of the last matrix.
  void keep_damper(const Look<T>& look);

 private:
  /// Scratch::start_z = Z^, Scratch::hat = Y.
  void extrapolate(Past past);
  /// Takes the motion of the cage as a whole out of a motion, in the world.
  void leave_out_rigid(Columns& motion) const;
  /// 1/(2 h^2) |apart|_M^2 and the same of the fictitious mass of the vertices.
  double inertia(const Columns& apart);
  /// beta/(2 h) |x - x undeformed|_K^2 with K of the step's first solve, J; its force on the vertices (in the
  /// world) is added to `force`, if given.
  double damped(const Columns& x, Columns* force);

  const Step& step_;
  Equation<T> equation_;
  const Model& model_ = step_.model;
  const double h_;
  const bool coasts_;
  Mat3 turn_ = Mat3::Identity();
  Scratch& s_ = step_.scratch;
  Work<T>& w_ = equation_.work();
  const Holds& holds_ = step_.cache.holds;
};

}  // namespace pliant::cage
