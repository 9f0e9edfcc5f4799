// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>

#include "pliant/base/aligned.hpp"
#include "pliant/methods/meshless/rig.hpp"
#include "pliant/methods/meshless/state.hpp"

namespace pliant::meshless {

/// Of the solver: x, y, z, 0 of every node.
struct SolverVectors {
  AlignedVector<Float4> d, f, z, p, ap;
  AlignedVector<Float4> s, t, shadow;  ///< of BiCGStab
};

/// Of a Newton step of a loaded rod (rod_coupling.hpp); empty without one.
struct RodWork {
  std::vector<JointPose> joints;
  std::vector<RodHold> holds;
  std::vector<char> held;                 ///< flags of the rod's freedoms
  RodState from;                          ///< before the step
  Points lever;                           ///< of the rows: R a
  Eigen::MatrixXd rod, schur;             ///< H + hold J^T J; the Schur complement
  Eigen::MatrixXd blocks, sums, shifted;  ///< on the way to its factor
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd f, d, z, p, ap, pulled;
  Points at_rows;
  AlignedVector<Float4> b;
};

/// Never read across steps. One entry a node where nothing else is said.
struct Scratch {
  Scratch(const Model& model, const Options& options);

  Points hat_x, hat_v;                   ///< x^, v^ of the integrator
  Points acceleration;                   ///< that BDF2 starts from, m/s^2
  Points trial_targets;                  ///< of held nodes at the end of the trial step, m
  std::vector<unsigned char> none_held;  ///< one byte a node: holds are soft
  Points x, v;                           ///< the end of the step
  Points r;                              ///< residual, or forces of contact, N

  // Of the state at the begin of the step, for a step that has no finite answer.
  PackedCells::Quaternions turned;
  std::vector<Float4> node_turned;
  ContactState contact;

  // Of the rotations.
  Rig::Scratch posed;               ///< the bones at the end of the step
  AlignedVector<Float4> q_nodes;    ///< what the bones give to the nodes
  std::vector<Mat3> node_rotation;  ///< for warping at nodes and rows; else empty

  // Of the equation.
  Points targets;                      ///< of Cache::rows
  Points elastic, velocity, unturned;  ///< forces, N; m/s; R^T x
  Points block_b, block_z;             ///< right side and answer of Cache::block, one entry a freedom
  AlignedVector<double> plastic;       ///< stress of the cells
  RodWork rod_work;
  RodState rod;  ///< of a loaded skeleton, at the end of the step

  SolverVectors solver;
  std::vector<Eigen::Quaterniond> part_turn;  ///< what every part turns by in the step
};

}  // namespace pliant::meshless
