// SPDX-License-Identifier: Apache-2.0
// Pins, handles and grabs of a caged body: springs between points of the body and places [Martin09, Eq. 18].
//   E = sum_v beta_v/2 |Z b_v - c_v|^2 = 1/2 tr(Z K Z^T) - tr(C Z^T) + ...,  K = sum beta b b^T,
//   C = sum beta c b^T
// A grab of node Q + v, Q the number of nodes, pulls at vertex v of the cage itself: b is its unit vector.
// What counts is a hold's stiffness as a whole, hold E L; each of its n points has the n-th part of it.
#pragma once

#include "pliant/methods/cage/model.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::cage {

class Holds {
 public:
  /// The springs of a step. Matrices are made anew only when the set changed.
  void set(const Model& model, const StepInput& input, double total_stiffness);

  bool empty() const { return nodes_.empty(); }
  int version() const { return version_; }                         ///< another with every other set
  Index hard() const { return hard_; }                             ///< pins and handles, not grabs
  const Eigen::MatrixXd& stiffness() const { return stiffness_; }  ///< K, (N + T)^2, N/m
  const Eigen::VectorXd& sum() const { return sum_; }              ///< sum beta b
  const Columns& pull() const { return pull_; }                    ///< C, 3 x (N + T), as aim() sees it
  /// C of targets seen along given axes: R^T (c - origin).
  void aim(const Mat3& rotation, const Vec3& origin);
  /// E when the points are at origin + Z b.
  double energy(const Columns& z, const Vec3& origin) const;
  /// The mean way of the points to their targets, weighted by stiffness.
  Vec3 lack(const Columns& z, const Vec3& origin) const;
  /// What rounding can do to the energy, J: large terms cancel in it.
  double noise() const { return 1e-15 * square_; }

 private:
  /// What follows from nodes_ and beta_; no target is known then.
  void make_matrices(const Model& model);
  /// What follows from the targets.
  void sum_targets(Index rows);
  void times(const AlignedVector<double>& blocks, Index rows, const double* z) const;

  std::vector<Index> nodes_;
  std::vector<double> beta_;
  Points targets_;
  Index hard_ = 0;
  int version_ = 0;
  AlignedVector<double> value_;         ///< b as the kernels read it: [batch of N + T][spring][16]
  AlignedVector<double> weighted_;      ///< beta (c - anchor), three a spring
  AlignedVector<double> stiff_blocks_;  ///< K as the kernels read it
  mutable AlignedVector<double> product_;
  Eigen::MatrixXd stiffness_;
  Eigen::VectorXd sum_;
  Vec3 anchor_{0, 0, 0};           ///< near the targets: less cancels
  Vec3 first_{0, 0, 0};            ///< sum beta (c - anchor)
  double square_ = 0, total_ = 0;  ///< sum beta |c - anchor|^2, sum beta
  Columns seen_;                   ///< C from the anchor, in the world
  Columns pull_;
};

}  // namespace pliant::cage
