// SPDX-License-Identifier: Apache-2.0
// Local/global iterations D <- D - A^-1 G(D): new rotations for the positions, then a solve with the constant
// matrix. `iterations` times; once, with Euler, is the paper's scheme [Huang06, Eq. 1, 2].
#pragma once

#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

/// D -= A^-1 G(D).
double local_global_step(Equation& e, SolverVectors& v);

/// The start of the step: D = 0, or where a kept volume is kept; g = G(D), z = A^-1 g.
void begin_local_global(Equation& e, SolverVectors& v);
/// The iterations, from begin_local_global. Without contacts.
void local_global(Equation& e, SolverVectors& v);

/// A fixed number of iterations with Anderson acceleration, from D = 0: for steps that turn too far for
/// Newton's linear model.
void accelerated_local_global(Equation& e, SolverVectors& v);

}  // namespace pliant::geometric
