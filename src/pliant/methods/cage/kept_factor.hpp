// SPDX-License-Identifier: Apache-2.0
// The solve of a step with frozen normals without a matrix of its own: conjugate gradients on
//   A v = (1 + h alpha)(M + eps m/N) v + (h^2 + h beta) K v + h^2 K_holds v
//   K v = sum_q w_q dP_q g^T,  dF = v G,  dP = mu (dF + R dF^T R) + lambda tr(R^T dF) R
// The product costs 36 N Q operations, the matrix 9 N^2 Q. The preconditioner is the factor of the matrix at
// rest. It is kept while time step, damping and holds are the same. It follows from them and the model alone,
// so that keeping it changes no result. In the body's own axes a body that only turned is at rest: what
// costs iterations is how far its parts are turned against each other.
#pragma once

#include <array>
#include <optional>

#include "pliant/methods/cage/look.hpp"
#include "pliant/methods/cage/model.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::cage {

template <class T>
class Equation;

template <class T>
class KeptFactor {
 public:
  /// Makes the factor at rest where it is not known already. False: it does not exist.
  bool make(Equation<T>& equation, const StepContext<Damping>& step);

  /// right <- A^-1 right with the rotations of `look`, from the velocities `start`. Returns the iterations;
  /// none: not solved, and right and the elastic forces in the work are lost.
  std::optional<int> solve(Equation<T>& equation, const Look<T>& look, const Columns& start,
                           AlignedVector<T>& right, Pool& pool);

 private:
  AlignedVector<T> factor_, scalar_;  // of A at rest; M, eps and K_holds as the kernels read them
  std::array<double, 4> key_{};       // time step, damping and holds that they are made for
  AlignedVector<T> answer_, residual_, way_, image_, divided_;  // scratch of a solve
  double stiff_ = 0;                                            // h^2 + h beta
};

/// Whether a step may try it: many freedoms, parts that are not turned far against the whole.
template <class T>
bool rests_nearly(const Model& model, const Look<T>& look);

}  // namespace pliant::cage
