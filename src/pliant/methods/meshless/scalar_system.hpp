// SPDX-License-Identifier: Apache-2.0
// The constant matrix that preconditions every step, the same for the three coordinates:
//   S = mass M + stiffness c_s L + hold rows^T rows,   c_s = mu + kappa + (mu - kappa)/2 + lambda/2
// Only the step length, the material and what is held enter it; rotations do not, so that it is factored
// once.
#pragma once

#include "pliant/math/direct_solver.hpp"
#include "pliant/methods/meshless/model.hpp"

namespace pliant::meshless {

class ScalarSystem {
 public:
  /// Returns the trouble, empty when all is well.
  std::string prepare(const Model& model, double mass, double stiffness, const Gather& rows, double hold,
                      Pool& pool);

  /// z = S^-1 r.
  void solve(const Float4* r, Float4* z, Pool& pool);

  std::size_t bytes_per_solve() const;
  std::size_t memory_bytes() const;

 private:
  SymmetricMatrix laplacian_;  ///< with the stiffness of the cells
  DirectSolver direct_;
};

}  // namespace pliant::meshless
