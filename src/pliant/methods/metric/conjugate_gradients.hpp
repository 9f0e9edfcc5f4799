// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients without a matrix, x, y and z in one system: contact aside nothing couples them, but one
// pair of scalars serves all integrators. A direction p with p . A p <= 0 ends them: the matrix is not
// definite there (Terzopoulos' is not, under compression), and that is told.
#pragma once

#include "pliant/methods/metric/preconditioner.hpp"

namespace pliant::metric {

class ConjugateGradients {
 public:
  struct Outcome {
    int iterations = 0;
    double residual = 0;  ///< preconditioned, of that at the start
    double first = 0;     ///< r . z at the start
    bool broke = false;   ///< met a direction of no positive curvature
  };

  /// Below, single precision has nothing left to solve and products vanish.
  static constexpr double nothing_left = 1e-30;

  /// A x = b from the x given. Entries of b in rows that do not count must be 0. Ends, converged, where r . z
  /// is below the floor; it is of the order of squared x.
  Outcome solve(const Operator& matrix, const Preconditioner& preconditioner, const Floats& b, Floats& x,
                double tolerance, int most, Pool& pool, double floor = nothing_left);

  std::size_t memory_bytes() const { return sizeof(float) * (r_.size() + z_.size() + p_.size() + q_.size()); }

 private:
  // r at the start and after a step along p, and the next direction; r . z of that r
  double start(const Operator& matrix, const Preconditioner& preconditioner, const Floats& b, const Floats& x,
               Pool& pool);
  double lower(const Operator& matrix, const Preconditioner& preconditioner, float alpha, Pool& pool);
  void turn(const Operator& matrix, const Preconditioner& preconditioner, float alpha, float beta, Floats& x,
            Pool& pool);

  Floats r_, z_, p_, q_;
};

}  // namespace pliant::metric
