// SPDX-License-Identifier: Apache-2.0
// Contact with Coulomb friction for a body whose response to impulses is a dense matrix:
//   u = free + W r,   0 <= r_n complementary to u_n + bias >= 0,   |r_t| <= mu r_n opposite to u_t
// Projected Gauss-Seidel, contact by contact, as contact/contact_problem.hpp, which knows scalar W only.
#pragma once

#include <Eigen/Core>

#include "pliant/base/types.hpp"

namespace pliant::cage {

class DenseContacts {
 public:
  struct Row {
    Vec3 normal{0, 1, 0};
    double friction = 0;
    double bias = 0;     ///< m/s
    Vec3 free{0, 0, 0};  ///< u without impulses, m/s
  };
  struct Outcome {
    int sweeps = 0;
    double residual = 0;  ///< largest change of the last sweep, m/s
  };

  void reset(Index contacts);
  Index size() const { return Index(rows_.size()); }
  Row& row(Index c) { return rows_[std::size_t(c)]; }
  const Vec3& normal(Index c) const { return rows_[std::size_t(c)].normal; }
  Eigen::MatrixXd& w() { return w_; }  ///< 3 c + axis
  Vec3 impulse(Index c) const { return r_.segment<3>(3 * c); }
  void set_impulse(Index c, const Vec3& r) { r_.segment<3>(3 * c) = r; }
  const Eigen::VectorXd& impulses() const { return r_; }

  /// From the impulses that are set.
  Outcome solve(int most_sweeps, double tolerance);
  /// Normals only, without friction, from zero: lift_c + n_c . (W sum n s)_c >= 0; the impulses are n s.
  void lift(const std::vector<double>& lift, int sweeps);
  Vec3 velocity(Index c) const { return rows_[std::size_t(c)].free + u_.segment<3>(3 * c); }

 private:
  void add(Index c, const Vec3& change);
  std::vector<Row> rows_;
  std::vector<double> rho_;
  Eigen::MatrixXd w_;
  Eigen::VectorXd r_, u_;  // u = W r
};

}  // namespace pliant::cage
