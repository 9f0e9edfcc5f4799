// SPDX-License-Identifier: Apache-2.0
// One Newton step for G = 0 by conjugate gradients on the model Hessian H, preconditioned by A, as in full
// space. They stop by the reduction of the residual (newton_stop.hpp). A step that turns a node's
// surroundings far is beyond the model: it is done again by Anderson-accelerated local/global iterations
// (local_global.hpp).
#pragma once

#include "pliant/methods/geometric/reduced/equation.hpp"

namespace pliant::geometric {

/// The step; D from 0.
void newton(ReducedEquation& e, ReducedVectors& v);

/// D = 0, z = A^-1 g and p = -z from a residual g. Returns g . z.
double begin_gradients(ReducedEquation& e, ReducedVectors& v);

/// Conjugate gradients for H D = -g from begin_gradients and rho = g . z, until stop(rho) after an iteration
/// or until p has no curvature. z = A^-1 g in the end: D - z is one more descent. Returns a bound on the
/// largest turn by D, rad.
template <class Stop>
double conjugate_gradients(ReducedEquation& e, ReducedVectors& v, double rho, Stop&& stop) {
  double turned = 0;
  while (rho > 0) {
    const double turn = e.hessian(v.p, v.hp);
    const double curvature = dot(v.p, v.hp);
    if (!(curvature > 0)) break;
    const double a = rho / curvature;
    v.d += a * v.p;
    v.g += a * v.hp;
    turned += a * turn;
    e.solve(v.g, v.z);
    const double before = rho;
    rho = dot(v.g, v.z);
    ++e.report().iterations;
    if (stop(rho)) break;
    v.p = rho / before * v.p - v.z;
  }
  return turned;
}

}  // namespace pliant::geometric
