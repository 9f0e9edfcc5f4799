// SPDX-License-Identifier: Apache-2.0
// The Hessian of stars under tension or pressure, for static solves. That of the steps has J of the star at rest
// (energy.hpp); the star at x turns by w = M^-1 axial(R^T dA), M = tr(S) - S, S the symmetric part of R^T A. Under
// tension M is larger and the star turns less easily: with J at rest H lacks that stiffness, and Newton's steps for a
// slender body that hangs overshoot by a multiple of their length, again and again.
#pragma once

#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

/// M^-1, but at most 2 J: J^1/2 max(J^1/2 M J^1/2, 1/2)^-1 J^1/2, by eigenvalues. H <= A still holds; where stars are
/// squashed and about to buckle H may be indefinite.
Mat3 tense_slew(const Mat3& slew, const Mat3& inertia);

/// While it lives, H is that of the stars as they are at `x`, in the order of the model, with the rotations of the
/// sweeps. Only with edge rows and the consistent covariance.
class TenseStars {
 public:
  TenseStars(Equation& e, std::span<const Vec3> x);
  ~TenseStars();
  TenseStars(const TenseStars&) = delete;
  TenseStars& operator=(const TenseStars&) = delete;

 private:
  Equation& e_;
  Floats at_rest_;  ///< of the sweeps
};

}  // namespace pliant::geometric
