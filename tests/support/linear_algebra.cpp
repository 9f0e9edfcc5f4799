// SPDX-License-Identifier: Apache-2.0
#include "tests/support/linear_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace pliant {

Eigen::Quaterniond turn_between(const Vec3& a, const Vec3& b) {
  return Eigen::Quaterniond::FromTwoVectors(a, b);
}

Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  return m.llt().solve(b);
}

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  return m.ldlt().solve(b);
}

Eigen::MatrixXd solve_any(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  return m.fullPivLu().solve(b);
}

Eigen::VectorXd pencil_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(a, m, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

}  // namespace pliant
