// SPDX-License-Identifier: Apache-2.0
// When the conjugate gradients of a Newton step may stop (step.cpp, reduced_step.cpp).
#pragma once

#include <algorithm>

namespace pliant::geometric {

/// By the reduction of rho = g . A^-1 g, from its start, or from ten times what the first iteration leaves if
/// that is less. Where surroundings turn far in a step (a bar let go after a twist), the straight prediction
/// x^ + h' v^ swells them: the residual is then one of stiff modes, on which A is exact, and the first
/// iteration takes nearly all of it. Measured from the start alone it was over there; what turns, softer than
/// A knows, stayed unsolved in every step, and BDF2 fed it: such a bar reached twenty times its energy.
class NewtonStop {
 public:
  NewtonStop(double tolerance, double rho) : share_(tolerance * tolerance), enough_(share_ * rho) {}

  /// After each iteration.
  bool reached(double rho) {
    if (first_) enough_ = std::min(enough_, share_ * 10 * rho);
    first_ = false;
    return !(rho >= enough_);
  }

 private:
  double share_, enough_;
  bool first_ = true;
};

}  // namespace pliant::geometric
