// SPDX-License-Identifier: Apache-2.0
// Local/global iterations D <- D - A^-1 G(D), as in full space: new rotations for the positions, then a solve
// with the constant matrix.
#pragma once

#include "pliant/methods/geometric/reduced/equation.hpp"

namespace pliant::geometric {

/// options.iterations of them from D = 0; once, with Euler, is the paper's scheme [Huang06, Eq. 1, 2].
void local_global(ReducedEquation& e, ReducedVectors& v);

/// A fixed number of iterations with Anderson acceleration, from D = 0: for steps that turn too far for
/// Newton's linear model.
void accelerated_local_global(ReducedEquation& e, ReducedVectors& v);

}  // namespace pliant::geometric
