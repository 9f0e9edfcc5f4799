// SPDX-License-Identifier: Apache-2.0
// Decompositions for tests, by LAPACK: Eigen's take seconds to compile in each test source that needs one.
// Eigenvalues of symmetric matrices: pliant/math/symmetric_eigen.hpp.
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/types.hpp"

namespace pliant {

/// The shortest rotation that takes the direction of a to that of b.
Eigen::Quaterniond turn_between(const Vec3& a, const Vec3& b);

/// m^-1 b, for positive definite m.
Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b);
/// m^-1 b, for symmetric m.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b);
/// The shortest z that minimises |m z - b|, for any m.
Eigen::MatrixXd solve_any(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b);

/// Eigenvalues of a x = lambda m x in ascending order, for symmetric a and positive definite m.
Eigen::VectorXd pencil_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m);

}  // namespace pliant
