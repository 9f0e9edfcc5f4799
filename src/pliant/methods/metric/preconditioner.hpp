// SPDX-License-Identifier: Apache-2.0
// z = P^-1 r for the conjugate gradients of a step. Vectors as in operator.hpp.
#pragma once

#include "pliant/methods/metric/operator.hpp"

namespace pliant::metric {

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// For the matrix as it is now; no allocation after the first time.
  virtual void prepare(const Operator& matrix, Pool& pool) = 0;
  virtual void apply(const float* r, float* z, Pool& pool) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// The inverse diagonal, or diagonal blocks.
std::unique_ptr<Preconditioner> make_jacobi(const Operator& matrix, Integrator integrator);

}  // namespace pliant::metric
