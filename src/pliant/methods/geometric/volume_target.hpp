// SPDX-License-Identifier: Apache-2.0
// The map that keeps volume and is nearest to a star. With its covariance A and its own gradient F,
//   A = sum_j a_ij (x_j - x_i) d_ij^T,   B = sum_j a_ij d_ij d_ij^T,   F = A B^-1
//   T = argmin tr((T - F) B (T - F)^T) = argmin sum_j a_ij |(F - T) d_ij|^2   over   det T = 1
// w/2 times that is the energy of the volume rows. What of x_j - x_i is not F d_ij is left out: it costs
// curvature, w times as much as the edge rows do, and bodies of few cells would bend too stiffly (locking).
// Being the minimiser, T adds nothing to the derivative of the energy, which is w (F - T) B: a row of edge ij
// pulls with w a_ij (F - T) d_ij. w S^T Lambda S lies above its Hessian.
//
// Where it is stationary, T = F + mu cof(T) Y with Y = B^-1/tr(B^-1). Linearising det T = 1 about the last
// iterate gives the iteration
//   T <- F + nu cof(T) Y,   nu = (1 - det T + cof(T) : (T - F)) / (cof(T) : cof(T) Y)
// from T = F. Its error shrinks by about |nu|, small near volume 1. Of a star blown up to several times its
// volume the nearest T is not unique; what the fixed number of iterations gives is bounded and pulls back.
//
// The derivative of F - T, with the curvature of det T = 1 left out: what of dF changes volume,
//   dF - dT = (cof(T) : dF) / (cof(T) : cof(T) Y) cof(T) Y,   dF = dA B^-1
// It is B-orthogonal to the rest of dF, so that the model Hessian lies between zero and K in every state.
//
// Small strains e: F - T = tr(e) I/3 on an isotropic star, so that with edge rows of modulus 2 mu the energy a
// volume is mu e:e + w mu/3 tr(e)^2: Lame's lambda is 2 w mu/3, Poisson's ratio w/(3 + 2 w).
#pragma once

#include "pliant/base/types.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// T for the covariance A of a star, to the last digit that the iteration reaches.
Mat3 volume_target(const Star& star, const Mat3& covariance);

/// F - T.
Mat3 volume_excess(const Star& star, const Mat3& covariance);

/// dF - dT for dA.
Mat3 volume_excess_change(const Star& star, const Mat3& target, const Mat3& covariance_change);

}  // namespace pliant::geometric
