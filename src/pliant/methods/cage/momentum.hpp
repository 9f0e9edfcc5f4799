// SPDX-License-Identifier: Apache-2.0
// The body as a whole: its momenta, its free flight over a step, and what frozen normals leave of both.
#pragma once

#include <optional>

#include "pliant/methods/cage/state.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::cage {

struct Step;  // step.hpp

/// The body as a whole over a step: x = c + R0 r goes to c1 + R1 r.
struct Flight {
  Vec3 c{0, 0, 0}, c1{0, 0, 0};
  Vec3 spin{0, 0, 0};                      ///< at the beginning, rad/s
  Vec3 spin_change{0, 0, 0};               ///< dw/dt of the rigid turn, rad/s^2
  Vec3 velocity{0, 0, 0}, omega{0, 0, 0};  ///< at the end
  Mat3 r0 = Mat3::Identity(), r1 = Mat3::Identity();
  bool split = false;  ///< the body as a whole goes its own way

  /// One that stays: everything is seen along given axes at c.
  static Flight at(const Vec3& c, const Mat3& axes);
};

/// The flight of the part of the velocities that moves the body rigidly; split = false: none. Writes
/// Scratch::new_z.
Flight fly(const Step& step, bool split);

/// A step of length h without forces of a body that nothing holds. Its rigid part goes by Euler's equations of
/// a rigid body; the rest turns with it, and goes straight. `start` is Z at the beginning, in the world, and
/// becomes Z^ = Y - h V, `hat` becomes Y: the place at the end, where its velocity is V. The arc counts: Y = Z
/// + h V with the V of the beginning would lose w^2 h^2/2 of a turning in every step. Returns the turn.
/// Scratch::undeformed gets the vertices of the beginning, turned about the centre of mass. Writes Scratch::new_z.
Mat3 coast(const Step& step, Columns& start, Columns& hat);

/// How a body turns in a time, about its pins and handles where they leave it a turn, or free: as a rigid body, without
/// loads.
struct Swing {
  Vec3 pivot{0, 0, 0}, shift{0, 0, 0};
  Mat3 turn = Mat3::Identity();
};
/// Writes Scratch::new_z. None: they hold it.
std::optional<Swing> swing(const Step& step, double time);

/// The body as a whole. z: Z from c, the mean of its vertices. second: sum of m (x - centre)(x - centre)^T,
/// on demand.
Whole whole_about(const Model& model, const Columns& z, const Vec3& c, const Columns& velocity, Mat3* second);
/// The same of vertices at x; z is written.
Whole whole_of(const Model& model, const Columns& x, const Columns& velocity, Columns& z);

/// The velocity of Z where the vertices have v: normals follow, dy/dt = J v, with the Jacobians at the
/// vertices.
void follow(const Model& model, const std::vector<FaceJacobian>& jacobians, const Columns& v,
            Columns& velocity);

/// With frozen normals a deformation turns the body a little: Scratch::new_x, new_y and new_z are turned back
/// so that sum m r x (way) = 0. start: Z at the beginning along the axes, which r1 turns to the world.
void turn_back(const Step& step, const Mat3& r1, const Columns& start);

/// Slows what is not rigid in Scratch::new_velocity, at Scratch::new_z, down to this kinetic energy, J, or to
/// that of the rigid motion; momenta stay.
void slow_deformation(const Step& step, double kinetic, Whole& whole);

/// Momenta of a free body after a step are those before and what the input adds: Scratch::new_v and new_x get
/// the rigid motion that is missing; new_velocity follows. Scratch::new_z is Z of new_x from its mean.
/// Returns the body as a whole afterwards.
Whole keep_momentum(const Step& step);

/// A velocity of Z gets the rigid motion that it lacks to these momenta. z: Z from c, the mean of its vertices. Vertices x,
/// if given, move by h times the change.
void complete_momentum(const Model& model, const Columns& z, const Vec3& c, const Vec3& momentum,
                       const Vec3& spin, Columns& velocity, double h = 0, Columns* x = nullptr);

}  // namespace pliant::cage
