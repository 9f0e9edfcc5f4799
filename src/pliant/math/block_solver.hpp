// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky of symmetric positive definite matrices of 3x3 blocks whose numbers change from step to
// step while their pattern stays: order and pattern are found once, on the blocks; factoring again and
// solving allocate nothing. Double precision throughout, one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

/// Which blocks there are: lower triangle with diagonal, by rows; row i has blocks at column[k] <= i,
/// ascending, for k in [begin[i], begin[i + 1]); the diagonal is the last of its row.
struct BlockPattern {
  std::vector<Index> begin{0}, column;
  Index rows() const { return Index(begin.size()) - 1; }
};

class BlockSolver {
 public:
  BlockSolver();
  ~BlockSolver();
  BlockSolver(BlockSolver&&) noexcept;
  BlockSolver& operator=(BlockSolver&&) noexcept;

  void analyse(const BlockPattern& pattern);

  /// Nine numbers a block, row-major, in the order of the pattern; of a diagonal block the lower triangle is
  /// read. Returns the trouble, empty when all is well.
  std::string factor(const double* blocks);

  /// x = A^-1 b, three numbers a row; b and x may be the same array. Only after a factor without trouble.
  void solve(const double* b, double* x);

  std::size_t factor_entries() const;  ///< stored numbers of the factor
  std::size_t memory_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant
