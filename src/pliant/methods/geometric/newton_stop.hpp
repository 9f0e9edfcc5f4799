// SPDX-License-Identifier: Apache-2.0
// When the conjugate gradients of a Newton step may stop (newton.cpp, in reduced space as well).
#pragma once

#include <algorithm>

namespace pliant::geometric {

/// They end after a few iterations. Where much is left the body is thin: it has once more as many as it needs
/// (a sheet a hundred), at most this many. (Not with Laplacian rows of a surface, whose soft modes they would
/// follow farther than the model holds, nor with a V-cycle or held-over rotations in place of exact ones,
/// with which such a body gained energy.)
inline constexpr int few_gradients = 12, most_gradients = 200;

/// By the reduction of rho = g . A^-1 g: from its start rho0, or from ten times what the first iteration
/// leaves if that is less. Where surroundings turn far in a step (a bar let go after a twist), the straight
/// prediction x^ + h' v^ swells them: the residual is then one of stiff modes, on which A is exact, and the
/// first iteration takes nearly all of it. Measured from the start alone it was over there; what turns,
/// softer than A knows, stayed unsolved in every step, and BDF2 fed it: such a bar reached twenty times its
/// energy. There the first iteration left 6e-4 rho0 and more, in calm swings about a tenth. Below 1e-5 rho0
/// what is left of stiff bodies is rounding (1e-7 and less, of a free one that spins), and following it would
/// feed them, too.
/// Where it takes many iterations the body is thin and bends, which A^-1 counts for little: a residual that
/// is small by it may be all of the bending. From the eighth iteration on the reduction must be a third of
/// what it is else (without, a plant of stiff leaves went on trembling; with it, it sways with its period).
class NewtonStop {
 public:
  NewtonStop(double tolerance, double rho)
      : share_(tolerance * tolerance), start_(rho), enough_(share_ * rho) {}

  /// After each iteration.
  bool reached(double rho) {
    ++iterations_;
    if (iterations_ == 1) enough_ = std::min(enough_, std::max(share_ * 10 * rho, 1e-5 * start_));
    if (iterations_ == many) enough_ = std::min(enough_, std::max(enough_ / 10, 1e-5 * start_));
    return !(rho >= enough_);
  }

 private:
  static constexpr int many = 8;
  double share_, start_, enough_;
  int iterations_ = 0;
};

}  // namespace pliant::geometric
