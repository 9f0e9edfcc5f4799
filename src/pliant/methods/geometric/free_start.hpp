// SPDX-License-Identifier: Apache-2.0
// The Newton step of a free body that is stiff or has volume rows: where it starts, and what it may leave.
//
// The prediction X0 is straight, so a part that turns by w in a step starts swollen. A takes most of that out, but
// with volume rows it is up to 1 + w_i times too stiff for a change of shape. What conjugate gradients leave of so
// large a residual is a strain, and of a stiff body its energy is many times that of the spin. So the step starts on
// the arcs. With [w] the turn of a steady rotation in a step and x_n-1, v_n-1 of it,
//   X0 - x_n = ([w] + (1 - s) [w]^2/2 + O(w^3)) r,    s = 1 (Euler, or a straight start), 8/9 (BDF2)
// and D = s (exp[w] - 1 - [w]) r brings it back on the circle. Deformation stays as predicted.
#pragma once

#include "pliant/methods/geometric/equation.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"

namespace pliant::geometric {

/// Whether a step without contacts is one of these.
bool starts_on_arcs(const Equation& e);

/// D on the arcs of the parts; g = G(D), z = A^-1 g. Returns g . z.
double start_on_arcs(Equation& e, SolverVectors& v);

/// The same for D as it is: g = G(D) without the rounding that would move a part as a whole.
double residual_on_arcs(Equation& e, SolverVectors& v);

/// By the kinetic energy that the parts have about their centres, and by the rounding of single precision.
StopBounds bounds_on_arcs(const Equation& e);

}  // namespace pliant::geometric
