// SPDX-License-Identifier: Apache-2.0
// What a step writes before it reads it; nothing here lives across steps. Everything is seen along the
// body's own axes unless it says world.
#pragma once

#include "pliant/methods/cage/look.hpp"
#include "pliant/methods/cage/model.hpp"

namespace pliant::cage {

/// Arrays in the precision of the step. Freedom (axis c, vertex i) of a matrix or vector is at c N + i.
template <class T>
struct Work {
  AlignedVector<T> dz;               ///< Z - Z at rest, or a motion of Z: three numbers a row
  AlignedVector<T> stress;           ///< weighted, of the last look: [batch][9][16]
  AlignedVector<T> force;            ///< elastic on Z: three numbers a row
  AlignedVector<T> rows, gram;       ///< the strain rows of the points, and their products
  AlignedVector<T> scalar, system;   ///< the matrix of the solve, then its factor, in panels
  AlignedVector<T> right;            ///< right side, then answer, of the solve
  AlignedVector<T> jacobian, twist;  ///< dy/dx by vertex; roots of the rotations' stiffness by point
  AlignedVector<T> damper;           ///< gram of the first solve of a step; empty: nothing is damped
  AlignedVector<T> response, touch;  ///< of contacts: L^-1 B^T, and W
  std::vector<double> energy;        ///< of the batches, J
  Look<T> trial;                     ///< of a trial position
};

struct Scratch {
  Work<float> single;  ///< made where the precision is used
  Work<double> twice;  ///< also made by statics

  // Where the equation was looked at last.
  Columns z;                            ///< Z from the mean of the vertices
  std::vector<FaceJacobian> jacobians;  ///< dy/dx
  Eigen::MatrixXd pulled;               ///< P^T S P, 3 N x 3 N
  Eigen::MatrixXd across[3], scalar;    ///< its making
  Columns force;                        ///< on Z

  // A solve: force, then motion, of the vertices; and how contact moves them out of colliders.
  Columns solved, shift;

  // The next state, world.
  Columns new_x, new_v;  ///< vertices
  Columns new_velocity;  ///< of Z
  Columns new_z, new_y;  ///< Z from the mean of new_x, and its normals alone
  Columns world_z;       ///< Z where an energy is asked for

  // The step with frozen normals.
  Columns begin;  ///< vertices at the beginning
  Columns apart;  ///< velocity of the vertices without the body as a whole

  // The step with normals that follow.
  Columns start_z, hat;       ///< Z^ and Z^ + h' V^ of the integrator, world
  Columns undeformed;         ///< vertices that damping does not resist to reach, world
  Columns acceleration;       ///< of Z, that BDF2 starts from, m/s^2
  Points trial_targets;       ///< of held nodes at the end of the trial step, m
  Columns told;               ///< forces of the input on Z, world
  Columns x;                  ///< the iterate, world
  Columns to_hat, rate;       ///< hat - Z; velocity of Z
  Columns free, local;        ///< a motion of the vertices that is kept, or looked at
  Columns resisted;           ///< damping force on the vertices, world
  Eigen::VectorXd way, pull;  ///< of the damping
  Eigen::Quaterniond damper_axes = Eigen::Quaterniond::Identity();  ///< of Work::damper
  std::array<Columns, 6> rigid;  ///< motions of the cage as a whole, orthonormal, world
  Eigen::MatrixXd modes;         ///< the same along the axes, 3 N x 6

  explicit Scratch(const Model& model);
  /// The arrays of one precision. `follow`: for steps with normals that follow.
  template <class T>
  void make(const Model& model, bool follow);
  template <class T>
  Work<T>& work();
};

template <>
inline Work<float>& Scratch::work() {
  return single;
}
template <>
inline Work<double>& Scratch::work() {
  return twice;
}

}  // namespace pliant::cage
