// SPDX-License-Identifier: Apache-2.0
// The constant matrix that preconditions every step, the same for the three coordinates:
//   S = mass M + stiffness c_s L + hold rows^T rows,   c_s = mu + kappa + (mu - kappa)/2 + lambda/2
// Only the step length, the material and what is held enter it; rotations do not, so that it is factored
// once.
#pragma once

#include "pliant/math/direct_solver.hpp"
#include "pliant/math/graph_multigrid.hpp"
#include "pliant/methods/meshless/model.hpp"

namespace pliant::meshless {

class ScalarSystem {
 public:
  /// linear_solver must have been resolved. Returns the trouble, empty when all is well.
  std::string prepare(const Model& model, double mass, double stiffness, const Gather& rows, double hold,
                      LinearSolver solver, Pool& pool);

  /// z = S^-1 r, or one V-cycle for it.
  void solve(const Float4* r, Float4* z, Pool& pool);

  std::size_t bytes_per_solve() const;
  std::size_t memory_bytes() const;
  const char* name() const { return multigrid_in_force_ ? "multigrid" : "direct"; }

 private:
  SymmetricMatrix laplacian_;  ///< with the stiffness of the cells
  DirectSolver direct_;
  GraphMultigrid multigrid_;
  bool multigrid_in_force_ = false;
};

}  // namespace pliant::meshless
