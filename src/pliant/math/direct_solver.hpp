// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky of a symmetric positive definite matrix for three right-hand sides (x, y, z) at once:
// nested dissection by METIS, supernodal factorisation in double with OpenBLAS, then single-precision panels
// with inverted diagonal blocks, so that a solve is matrix-vector products only.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "pliant/base/parallel.hpp"
#include "pliant/base/types.hpp"
#include "pliant/math/symmetric_matrix.hpp"

namespace pliant {

class DirectSolver {
 public:
  struct Report {
    std::string trouble;  ///< empty = factored; else the cause, e.g. the row whose pivot is not positive
    double analyse_ms = 0, factor_ms = 0;
    Index supernodes = 0;
    std::size_t factor_entries = 0;  ///< nonzeros of L
    std::size_t panel_floats = 0;    ///< stored single-precision numbers, padding included
    bool ok() const { return trouble.empty(); }
  };

  DirectSolver();
  ~DirectSolver();
  DirectSolver(DirectSolver&&) noexcept;
  DirectSolver& operator=(DirectSolver&&) noexcept;

  /// Orders, analyses and factors. After a failure the solver is empty and solve must not be called.
  Report factor(const SymmetricMatrix& matrix);

  /// Factors again a matrix with the pattern of the last one, without a new analysis.
  Report refactor(const SymmetricMatrix& matrix);

  /// The elimination order: order()[k] is the row eliminated at position k. Storing nodes in this order makes
  /// solve's copies in and out contiguous.
  std::span<const Index> order() const;

  /// z = A^-1 b for three right-hand sides; b and z may be the same array. No allocation; the result does not
  /// depend on the number of threads. Not reentrant (it uses scratch of this object).
  void solve(const Float4* b, Float4* z, Pool& pool);

  /// The same through the double-precision factor when keep_double was set before factor. Not reentrant either.
  void solve(const Vec3* b, Vec3* z) const;
  void keep_double(bool keep);

  /// Panels in 16-bit integers from the next factor on: half the bytes, errors of 1.5e-5 of the largest entry
  /// of a column. The solve is still that of a symmetric positive definite matrix: for preconditioners.
  /// Matrices that need more (PanelSolver::coarse) are stored in single precision all the same.
  void use_16_bits(bool in_16_bits);

  /// Of the factorisation, without the zeros that merging supernodes stores.
  double multiply_adds() const;

  /// Bytes one solve has to read and write, for the speed limit; panels as of single precision.
  std::size_t bytes_per_solve() const;
  std::size_t memory_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant
