// SPDX-License-Identifier: Apache-2.0
// Pins, handles and grabs of a caged body: springs between points of the body and places [Martin09, Eq. 18].
//   E = sum_v beta_v/2 |Z b_v - c_v|^2 = 1/2 tr(Z K Z^T) - tr(C Z^T) + ...,  K = sum beta b b^T,  C = sum
//   beta c b^T
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
  Index hard() const { return hard_; }                             ///< pins and handles, not grabs
  const Eigen::MatrixXd& stiffness() const { return stiffness_; }  ///< K, (N + T)^2, N/m
  const Eigen::VectorXd& sum() const { return sum_; }              ///< sum beta b
  const Columns& pull() const { return pull_; }                    ///< C, 3 x (N + T), as aim() sees it
  /// C of targets seen from a frame: R^T (c - origin).
  void aim(const Mat3& rotation, const Vec3& origin);
  /// E when the points are at origin + Z b.
  double energy(const Columns& z, const Vec3& origin) const;

 private:
  std::vector<Index> nodes_;
  std::vector<double> beta_;
  Points targets_;
  Index hard_ = 0;
  Eigen::MatrixXd value_;  ///< b, (N + T) x springs
  Eigen::MatrixXd stiffness_;
  Eigen::VectorXd sum_;
  Columns pull_;
};

}  // namespace pliant::cage
