// SPDX-License-Identifier: Apache-2.0
// The model Hessian of stars under tension, for static solves. Its J is that of the star at rest (energy.hpp); the
// star at x turns by w = M^-1 axial(R^T dA), M = tr(S) - S, S the symmetric part of R^T A. Under tension M is larger
// and the star turns less easily: with J at rest H lacks that stiffness, and Newton's steps for a slender body that
// hangs overshoot by a multiple of their length, again and again.
#pragma once

#include "pliant/methods/geometric/equation.hpp"

namespace pliant::geometric {

/// J^1/2 max(J^1/2 M J^1/2, 1)^-1 J^1/2, by eigenvalues: M^-1 where the star is under tension along all axes, and
/// nowhere above J, so that 0 <= H <= A still holds. A squashed star, which turns more easily, keeps J.
Mat3 tense_slew(const Mat3& slew, const Mat3& inertia);

/// While it lives, H is that of stars under tension at `x`, in the order of the model, with the rotations of the
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
