// SPDX-License-Identifier: Apache-2.0
// The step of slender bodies: Newton steps by a factor of H (factored_hessian.hpp).
#pragma once

#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

/// From D = 0, z = A^-1 G and rho = G . z: a local/global step, a Newton step by a factor of H, a local/global step. The
/// prediction swells what turns, and so does the straight Newton step; both are stiff, what A is exact on,
/// and the step then ends where repeated Newton steps do. Without the two, stiff bodies that spin gained
/// energy. A Newton step that turns too far is taken as far as the model holds, and another one follows.
/// A sheet that buckles needs another one where much is left. False: H has no factor, or they turn too far.
bool factored_newton(Equation& e, SolverVectors& v, double rho);

/// D -= H^-1 g, or the share of it that turns no star by more than `most`, rad. Returns the share; none: H
/// has no factor.
std::optional<double> add_newton_step(Equation& e, SolverVectors& v, double most);

}  // namespace pliant::geometric
