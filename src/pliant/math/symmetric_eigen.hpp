// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric matrices, and what is made of them. Eigen's solver is compiled once,
// in symmetric_eigen.cpp: in each source that needs it, it took seconds of the build.
#pragma once

#include <Eigen/Core>

#include "pliant/base/types.hpp"

namespace pliant {

/// Eigenvalues in ascending order and unit eigenvectors n_k, the columns of `vectors`.
struct Spectrum3 {
  Vec3 values;
  Mat3 vectors;

  /// sum_k f_k n_k n_k^T
  Mat3 with(const Vec3& f) const;
};
struct SpectrumX {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// Only the lower triangle of a matrix is read.
Spectrum3 spectrum(const Mat3& symmetric);
SpectrumX dense_spectrum(const Eigen::MatrixXd& symmetric);
Vec3 eigenvalues(const Mat3& symmetric);
Eigen::VectorXd dense_eigenvalues(const Eigen::MatrixXd& symmetric);

/// By the roots of the cubic: several times faster, to about 1e-8 of the largest eigenvalue.
Spectrum3 spectrum_in_closed_form(const Mat3& symmetric);
Vec3 eigenvalues_in_closed_form(const Mat3& symmetric);

/// The inverse of a positive semidefinite matrix; axes with less than `share` of the largest eigenvalue get 0.
Mat3 pseudo_inverse(const Mat3& symmetric, double share);

}  // namespace pliant
