// SPDX-License-Identifier: Apache-2.0
// z = P^-1 r for the conjugate gradients of a step. Vectors as in operator.hpp.
#pragma once

#include "pliant/methods/metric/operator.hpp"

namespace pliant::metric {

class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// For the matrix as it is now; no allocation after the first time.
  virtual void prepare(Operator& matrix, Pool& pool) = 0;
  /// Returns r . z.
  virtual double apply(const float* r, float* z, Pool& pool) const = 0;
  /// Where z is only a multiple of r at every point, the same for x, y and z: these; else null.
  virtual const float* scales() const { return nullptr; }
  virtual std::string name() const = 0;
  /// That an application moves beside r and z.
  virtual std::size_t applied_bytes() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// The inverse diagonal, or diagonal blocks.
std::unique_ptr<Preconditioner> make_jacobi(const Operator& matrix, Integrator integrator);
/// A V-cycle over ever coarser lattices (multigrid.cpp): for scalar weights on a lattice. Not always: where
/// the matrix of now makes the inverse diagonal cheaper, that.
std::unique_ptr<Preconditioner> make_multigrid(Operator& matrix, bool always);

/// On a lattice, for matrices whose weights are not negative: not the papers', nor accurate ones of angles.
bool multigrid_possible(const Model& model, Integrator integrator);

/// What the options ask for; automatic: multigrid where it can be and the body has enough nodes.
std::unique_ptr<Preconditioner> make_preconditioner(Operator& matrix, const Options& options);

}  // namespace pliant::metric
