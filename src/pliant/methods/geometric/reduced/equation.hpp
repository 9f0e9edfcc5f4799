// SPDX-License-Identifier: Apache-2.0
// The equation of one time step in reduced space, what the solvers see of it: that of the full space
// multiplied by Phi^T. With Z0 = Z^ + h' V^ (physics/implicit_scheme.hpp) and D the unknown change of the
// columns that no held piece prescribes,
//   G(D) = (1 + h' alpha) M (Z0 + D - Z^ - h' V^) + h'^2 (alpha M V^ - Phi^T f + g(Z0 + D) + beta c) = 0
//   g(Z) = K Z + sum_i C_i (1 - R_i^T)                               (model.hpp)           [Huang06, Eq. 7]
//   H p  = ((1 + h' alpha) M + (h'^2 + h' beta) K) p - (h'^2 + h' beta) sum_i C_i dR_i^T
// M = Phi^T M Phi, not the unit matrix: columns of held pieces lean on the others. H is preconditioned by
// A = (1 + h' alpha) M + (h'^2 + h' beta) K, here a dense inverse. One gradient or one product with H is one
// sweep over C; everything else is k x k, in double.
#pragma once

#include "pliant/methods/geometric/reduced/cache.hpp"
#include "pliant/methods/geometric/reduced/scratch.hpp"

namespace pliant::geometric {

struct ReducedEquation {
  // What the step is about.
  const ReducedModel& model;
  const Options& options;
  ReducedState& state;  ///< residual renews its rotations; the rest stays
  ReducedCache& cache;
  ReducedScratch& scratch;
  const Context& context;
  Past past = Past::unknown;  ///< what predict() started from

  const StepInput& input() const { return context.input; }
  const Scheme& scheme() const { return context.scheme; }
  StepReport& report() const { return context.report; }

  // ---- set up ----

  /// A with the springs of the input's grabs, for the pieces in cache.holds. Returns the trouble, empty when
  /// all is well.
  std::string set_matrix();
  /// Z^, V^ and Z0, and the part of G that does not depend on D.
  /// Past::curved: by scratch.acceleration. Held pieces end this share of the way to where they are
  /// prescribed.
  void predict(Past from, double share = 1);

  // ---- what solvers ask ----

  /// g = G(z - Z0), with new rotations or with the last ones.
  void residual(const Coordinates& z, bool renew_rotations, Coordinates& g);
  /// out = H p. Returns the largest turn of p, rad.
  double hessian(const Coordinates& p, Coordinates& out);
  /// out = A^-1 g: zero in prescribed columns.
  void solve(const Coordinates& g, Coordinates& out);
  /// The largest turn of a swept node by the motion d, rad.
  double largest_turn(const Coordinates& d);

 private:
  /// The springs of the grabs: stiffnesses add, the target is their weighted mean.
  void set_springs();
  /// g += h'^2 beta c at the velocities of z.
  void add_inner_drag(const Coordinates& z, Coordinates& g);
  ReducedArrays arrays() { return swept_arrays(model, cache.flow, state); }
};

}  // namespace pliant::geometric
