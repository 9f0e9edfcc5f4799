// SPDX-License-Identifier: Apache-2.0
// The equation of one time step, what the solvers see of it. With h', x^, v^ of the integrator
// (physics/implicit_scheme.hpp), predicted positions X0 = x^ + h' v^ and outer forces f, the new positions
// X0 + D solve G = 0,
//   G(D) = (1 + h' alpha) M D + h'^2 (alpha M v^ - f + g(X0 + D) + beta c),   v = v^ + D/h'
// Symbols: M masses, kg; g = dV/dx, N (energy.hpp); alpha 1/s, beta s: Rayleigh damping [Huang06, Sec. 3.1].
// Its model Hessian is H (energy.hpp), and the constant A = (1 + h' alpha) M + (h'^2 + h' beta) K bounds it,
// 0 < H <= A: A^-1 is the preconditioner.
//
// Where this is not the paper: the paper's inner damping c = K v also brakes rigid rotation, because only
// translations are in the null space of K. Here c = K v - S^T Lambda (dR/dt) d with the rotation rates
// dR/dt = R [w]x of the stars, w = J axial(R^T dA(v)): the model Hessian applied to v. It is zero for a
// rotating body at rest shape and takes energy in every state.
#pragma once

#include <optional>

#include "pliant/methods/geometric/cache.hpp"
#include "pliant/methods/geometric/kept_volume.hpp"
#include "pliant/methods/geometric/scratch.hpp"

namespace pliant::geometric {

struct Equation {
  // What the step is about. Vectors of unknowns are in the places of cache.arrangement.
  const Model& model;
  const Options& options;
  const State& state;
  Cache& cache;
  KeptVolume& kept;  ///< empty: the volume is free
  Scratch& scratch;
  const Context& context;
  const StepInput& input = context.input;
  const Scheme& scheme = context.scheme;
  Past past = Past::unknown;  ///< what predict() started from

  StepReport& report() const { return context.report; }
  void count(double StageTimes::*stage) const { context.watch.add_to(stage); }

  // ---- set up ----

  /// x^ and v^, then load_prediction. Past::curved: by scratch.acceleration.
  void predict(Past from);
  /// X0 with held nodes at their targets, and base, the part of G independent of D; from x^ and v^ as they
  /// are.
  void load_prediction();
  /// Takes the input's grabs into A. Returns the trouble, empty when all is well.
  std::string set_grabs();
  /// The same without any grab.
  std::string clear_grabs();
  /// Rotations at x, in places; of a sheet also the tension there, which the model Hessian holds for the step.
  void start_from(const double* x);

  // ---- what solvers ask ----

  /// g = G(u); null u means 0. renew_rotations: fit them at X0 + u, else keep the last ones.
  void residual(const Floats* u, bool renew_rotations, Floats& g);
  /// g = G(u) with rotations and forces in double precision; only where steps factor H.
  void exact_residual(const Floats& u, Floats& g);
  /// out = H p; returns p . H p.
  double hessian(const Floats& p, Floats& out);
  /// Rotations at x, in places.
  void rotate(const double* x);
  /// z = A^-1 b. Returns b . z where the solver tells it on the way.
  std::optional<double> solve(const float* b, float* z);
  std::optional<double> solve(const Floats& b, Floats& z) { return solve(b.data(), z.data()); }
  /// z = A^-1 g; if a volume is kept, the parts of g and z that change it are removed. Returns g . z.
  double precondition(Floats& g, Floats& z);
  /// Factors H at the present rotations; false: it has no factor. Then z = H^-1 g.
  bool factor_hessian();
  void solve_hessian(const Floats& g, Floats& z);

  /// Vectors of unknowns: y += s x; p = s p - z; a . b.
  void add(double s, const Floats& x, Floats& y) { sweeps().add(s, x.data(), y.data(), context.pool); }
  void redirect(double s, Floats& p, const Floats& z) {
    sweeps().redirect(s, p.data(), z.data(), context.pool);
  }
  double dot(const Floats& a, const Floats& b) { return sweeps().dot(a.data(), b.data(), context.pool); }

  /// Angle by which each star has turned along the steps taken, rad: reset; add s times the turn of the last
  /// H p; the largest.
  void clear_turns() { model.sheet ? cache.sheet.clear_turns() : sweeps().clear_turns(); }
  void add_turn(double s) { model.sheet ? cache.sheet.add_turn(s) : sweeps().add_turn(s); }
  double largest_turn() { return model.sheet ? cache.sheet.largest_turn() : sweeps().largest_turn(); }

  Sweeps& sweeps() { return cache.sweeps; }

 private:
  /// X0 + u.
  const double* trial_at(const Floats* u);
  /// The rotation of a star at scratch.exact.x.
  Mat3 exact_rotation(Index node, const Mat3& slew) const;
  /// g += the forces of the grabs at x.
  void add_grabs(const double* x, Floats& g) const;
  /// g += h'^2 beta c at the velocities v^ + u/h'.
  void add_inner_drag(const Floats* u, Floats& g);
  /// The same of a sheet that factors H, in double precision.
  void add_sheet_drag(const Floats* u, Floats& g);
};

}  // namespace pliant::geometric
