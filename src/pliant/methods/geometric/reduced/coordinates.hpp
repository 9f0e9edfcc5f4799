// SPDX-License-Identifier: Apache-2.0
// Vectors of a reduced step, and the products that solvers need of them. None takes scratch memory.
#pragma once

#include <Eigen/Core>

namespace pliant::geometric {

using Coordinates = Eigen::Matrix<double, Eigen::Dynamic, 3>;  ///< Z: one row a column of Phi

/// out = a z, column by column.
inline void multiply(const Eigen::MatrixXd& a, const Coordinates& z, Coordinates& out) {
  for (int c = 0; c < 3; ++c) out.col(c).noalias() = a * z.col(c);
}

inline double dot(const Coordinates& a, const Coordinates& b) { return a.cwiseProduct(b).sum(); }

}  // namespace pliant::geometric
