// SPDX-License-Identifier: Apache-2.0
// When the conjugate gradients of a Newton step may stop (newton.cpp, in reduced space as well).
#pragma once

#include <algorithm>
#include <limits>

namespace pliant::geometric {

/// Conjugate gradients of a step, at most. If `few` leave much, the body is thin and the step is repeated
/// with up to `most`. Not with Laplacian rows of a surface, a V-cycle, adaptive rotations or a kept volume:
/// there such bodies gained energy.
inline constexpr int few_gradients = 12, most_gradients = 200;

/// What a step may leave of rho whatever it was at the start, kg m^2: always, and at most.
struct StopBounds {
  double enough = 0, most = std::numeric_limits<double>::infinity();
};

/// Stops by rho = g . A^-1 g, the squared residual in the norm of A^-1. With t = tolerance, rho_0 at the
/// start and rho_1 after the first iteration, it stops where
///   rho < min(t^2 rho_0, max(10 t^2 rho_1, 1e-5 rho_0))
/// Why rho_1: where parts turn far in a step, the straight prediction stretches them. A solves that
/// stretching in one iteration, so rho falls at once although the turning is unsolved; BDF2 then feeds it.
/// Why 1e-5: below it the residual of stiff bodies is rounding.
/// From iteration 8 on the bound is ten times lower (the residual: a third), but not below 1e-5 rho_0: the
/// body is thin, and A^-1 hardly sees bending. Figures: docs/methods/geometric/decisions.md.
class NewtonStop {
 public:
  NewtonStop(double tolerance, double rho, const StopBounds& bounds = {})
      : bounds_(bounds), share_(tolerance * tolerance), start_(rho), enough_(share_ * rho) {}

  /// After each iteration.
  bool reached(double rho) {
    ++iterations_;
    if (iterations_ == 1) enough_ = std::min(enough_, std::max(share_ * 10 * rho, 1e-5 * start_));
    if (iterations_ == many) enough_ = std::min(enough_, std::max(enough_ / 10, 1e-5 * start_));
    return rho < bounds_.enough || (!(rho >= enough_) && !(rho > bounds_.most));
  }

 private:
  static constexpr int many = 8;
  StopBounds bounds_;
  double share_, start_, enough_;
  int iterations_ = 0;
};

}  // namespace pliant::geometric
