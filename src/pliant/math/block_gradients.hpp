// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for symmetric positive definite matrices of 3x3 blocks, preconditioned by the inverse
// of the diagonal blocks (block Jacobi). The pattern is set once; its numbers may change for every solve,
// which allocates nothing. Double precision; results do not depend on the number of threads.
#pragma once

#include <vector>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// Both triangles, by rows: row i has blocks at column[k], ascending, for k in [begin[i], begin[i + 1]).
struct BlockPattern {
  std::vector<Index> begin{0}, column;
  Index rows() const { return Index(begin.size()) - 1; }
};

class BlockGradients {
 public:
  struct Outcome {
    int iterations = 0;
    /// The residual in the norm of the preconditioner, over that of the right-hand side. NaN: the matrix is
    /// not positive definite, or a number was not finite.
    double residual = 0;
  };

  /// Every row must have its diagonal block. Numbers are 0.
  void arrange(BlockPattern pattern);

  const BlockPattern& pattern() const { return pattern_; }
  /// Nine numbers, column-major.
  double* block(Index k) { return &blocks_[9 * std::size_t(k)]; }
  double* diagonal(Index row) { return block(diagonal_[row]); }

  /// x = A^-1 b up to the residual reduction, from 0; three numbers a row. Stops at `most` iterations.
  Outcome solve(const Vec3* b, Vec3* x, double reduction, int most, Pool& pool);

  /// out = A p.
  void multiply(const Vec3* p, Vec3* out) const;

  std::size_t matrix_bytes() const { return blocks_.size() * sizeof(double) + pattern_.column.size() * 4; }
  std::size_t bytes_per_iteration() const;
  std::size_t memory_bytes() const;

 private:
  template <class Part>
  double sum(Pool& pool, Part&& part);

  BlockPattern pattern_;
  std::vector<Index> diagonal_;
  AlignedVector<double> blocks_, inverse_;   // of A; of its diagonal
  AlignedVector<double> x_, r_, z_, p_, q_;  // x, y, z, 0 a row
  std::vector<double> partial_;
};

}  // namespace pliant
