// SPDX-License-Identifier: Apache-2.0
// Cholesky factor L L^T of a symmetric positive definite matrix of which each row is 0 up to its first entry: so is the
// factor's. In the order of its bodies the contact problem of a stack is of that kind, and needs no other order.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

class EnvelopeFactor {
 public:
  /// All entries 0. first: of each row, no more than its own number.
  void reset(std::span<const Index> first);
  /// Numbers from the first entries to the diagonals of such rows.
  static double size(std::span<const Index> first);
  /// An entry of the lower triangle, from its row's first on.
  double& at(Index row, Index column) { return value_[std::size_t(begin_[std::size_t(row)] + column)]; }
  /// In place. False: not positive definite.
  bool factor();
  /// b <- (L L^T)^-1 b.
  void solve(Eigen::Ref<Eigen::VectorXd> b) const;

 private:
  using Numbers = Eigen::Map<const Eigen::VectorXd>;
  /// Entries of a row from a column on.
  Numbers part(Index row, Index from, Index count) const {
    return Numbers(value_.data() + begin_[std::size_t(row)] + from, count);
  }

  std::vector<Index> first_;
  std::vector<std::ptrdiff_t> begin_;  // of a row, where its column 0 would be
  std::vector<double> value_;
};

}  // namespace pliant
