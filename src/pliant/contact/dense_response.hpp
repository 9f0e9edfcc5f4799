// SPDX-License-Identifier: Apache-2.0
// The response W of a body that has its own answer for every direction of an impulse: a full 3x3 block for
// each pair of contacts. The velocities u = W r are kept and follow each change of an impulse.
#pragma once

#include <Eigen/Core>

#include "pliant/base/types.hpp"

namespace pliant {

class DenseResponse {
 public:
  /// W of so many contacts, not set yet; u = 0.
  void reset(Index contacts);
  /// W; direction `axis` of contact c is row and column 3 c + axis.
  Eigen::MatrixXd& matrix() { return w_; }
  Mat3 block(Index c, Index d) const { return w_.block<3, 3>(3 * c, 3 * d); }

  /// u of a contact.
  Vec3 operator()(Index c) const { return u_.segment<3>(3 * c); }
  /// u += W (a change of the impulse of contact c).
  void add(Index c, const Vec3& change);
  /// u = W r; impulse(c): r of a contact.
  template <class Impulse>
  void start_from(Impulse&& impulse) {
    for (Index c = 0; 3 * c < r_.size(); ++c) r_.segment<3>(3 * c) = impulse(c);
    u_.noalias() = w_ * r_;
  }

 private:
  Eigen::MatrixXd w_;
  Eigen::VectorXd u_, r_;  // r_: scratch of start_from
};

}  // namespace pliant
