// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace pliant {

using Solver3 = Eigen::SelfAdjointEigenSolver<Mat3>;
using SolverX = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

Mat3 Spectrum3::with(const Vec3& f) const { return vectors * f.asDiagonal() * vectors.transpose(); }

Spectrum3 spectrum(const Mat3& symmetric) {
  const Solver3 solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SpectrumX dense_spectrum(const Eigen::MatrixXd& symmetric) {
  const SolverX solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vec3 eigenvalues(const Mat3& symmetric) { return Solver3(symmetric, Eigen::EigenvaluesOnly).eigenvalues(); }

Eigen::VectorXd dense_eigenvalues(const Eigen::MatrixXd& symmetric) {
  return SolverX(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Spectrum3 spectrum_in_closed_form(const Mat3& symmetric) {
  Solver3 solver;
  solver.computeDirect(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vec3 eigenvalues_in_closed_form(const Mat3& symmetric) {
  return Solver3().computeDirect(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Mat3 pseudo_inverse(const Mat3& symmetric, double share) {
  const Spectrum3 s = spectrum(symmetric);
  Vec3 inverse = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (s.values[k] > share * s.values[2]) inverse[k] = 1 / s.values[k];
  return s.with(inverse);
}

}  // namespace pliant
