// SPDX-License-Identifier: Apache-2.0
// One Newton step for G = 0 by conjugate gradients on the model Hessian H, preconditioned by the constant A.
// They stop by the reduction of the residual (newton_stop.hpp). Slender bodies, of which A knows too little,
// take a factor of H itself (factored_newton.hpp). A step that turns a node's surroundings by more than
// violent_turn is beyond the model: it is discarded and done again by Anderson-accelerated local/global
// iterations (local_global.hpp).
#pragma once

#include <algorithm>

#include "pliant/methods/geometric/equation.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"

namespace pliant::geometric {

inline constexpr double violent_turn = 0.3;  ///< rad

/// The start of the step: D = 0, or where a kept volume is kept; g = G, z = A^-1 g. Returns g . z.
double begin_newton(Equation& e, SolverVectors& v);

/// The step, from begin_newton and rho = g . z. Without contacts.
void newton(Equation& e, SolverVectors& v, double rho);

/// What a sheet's step may leave of rho = g . A^-1 g of its prediction, by the reduction of the residual: stiff
/// sheets that buckle gained energy where a step left a hundredth of rho.
inline double sheet_enough(const Equation& e, double reduction, double rho) {
  return std::max(reduction * reduction * rho, e.model.negligible);
}

/// Conjugate gradients for H p = -g from g = G, z = A^-1 g and rho = g . z; D += p. False: after `most`
/// iterations much is left.
bool conjugate_gradients(Equation& e, SolverVectors& v, double rho, int most, const StopBounds& bounds = {});

}  // namespace pliant::geometric
