// SPDX-License-Identifier: Apache-2.0
// A = (1 + h' alpha) M + (h'^2 + h' beta) K + springs, dense, of all columns, and its inverse over the columns
// that no held piece prescribes.
#pragma once

#include <array>
#include <string>

#include "pliant/methods/geometric/reduced/holds.hpp"
#include "pliant/methods/geometric/scheme.hpp"

namespace pliant::geometric {

/// Soft pulls as springs of the matrix; two grabs of one node are one spring.
struct ReducedSprings {
  struct Spring {
    Index node = -1;
    double stiffness = 0;  ///< h'^2 times that of the grab
    bool operator==(const Spring&) const = default;
  };
  std::array<Spring, max_grabs> list;
  int count = 0;

  bool operator==(const ReducedSprings&) const = default;
};

class ReducedMatrix {
 public:
  explicit ReducedMatrix(const ReducedModel& model);

  /// Makes the matrix, unless it is there; made: whether it did. Returns the trouble, empty when all is well.
  std::string prepare(const ReducedModel& model, const Scheme& scheme, const ReducedHolds& holds,
                      const ReducedSprings& springs, bool& made);

  const Eigen::MatrixXd& matrix() const { return matrix_; }
  /// Rows and columns of prescribed coordinates are 0.
  const Eigen::MatrixXd& inverse() const { return inverse_; }

 private:
  // What the matrix was made for.
  double mass_ = 0, stiffness_ = 0;
  std::vector<unsigned char> active_;
  ReducedSprings springs_;

  Eigen::MatrixXd matrix_, inverse_;
};

}  // namespace pliant::geometric
