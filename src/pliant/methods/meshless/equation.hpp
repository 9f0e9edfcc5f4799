// SPDX-License-Identifier: Apache-2.0
// The equation of a solve with given rotations. With h', x^, v^ of the integrator
// (physics/implicit_scheme.hpp), the residual at a guess x, v = (x - x^)/h',
//   r = f + M g - M ((v - v^)/h' + alpha v) - dE/dx - beta K v + hold rows^T (targets - rows x)
// and the correction D = x_n+1 - x solves
//   [ (1 + h' alpha)/h'^2 M + (1 + beta/h') K(R) + hold rows^T rows ] D = r
// Symbols: M lumped masses, kg; K = d^2E/dx^2 at given R (energy.hpp), N/m; rows: points held by bones, pins
// and handles, from the nodes (shape functions do not interpolate, so that fields are held, not parameters);
// alpha 1/s, beta s. Grabs are soft rows of one step. Statics: h = 0, without inertia and damping.
// The preconditioner is the constant scalar matrix of scalar_system.hpp, factored anew only when the held set
// or h changes; for `warping: node` R (M + K)^-1 R^T, which is the inverse but for what is held: R is
// orthogonal and the mass scalar, so that M + R K R^T = R (M + K) R^T.
#pragma once

#include "pliant/methods/meshless/rotations.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::meshless {

/// The matrix of a solve is  mass M + stiffness K(R) + hold rows^T rows.
struct Scheme {
  Integrator integrator = Integrator::euler;
  double h = 0;           ///< h', s; 0: statics
  double mass = 0;        ///< (1 + h' alpha) / h'^2, 1/s^2
  double stiffness = 1;   ///< 1 + beta / h'
  double drag = 0;        ///< alpha, 1/s
  double inner_drag = 0;  ///< beta, s
  double kappa = 0;       ///< against spin, Pa

  /// Of statics.
  explicit Scheme(double against_spin) : kappa(against_spin) {}
  /// Of a step.
  Scheme(Integrator by, double step, const Damping& damping, double against_spin)
      : integrator(by),
        h(ImplicitScheme(by, step, damping).h),
        mass((1 + h * damping.mass) / (h * h)),
        stiffness(1 + damping.stiffness / h),
        drag(damping.mass),
        inner_drag(damping.stiffness),
        kappa(against_spin) {}
};

using Context = StepContext<Scheme>;

/// Of bones and holds, N/m.
inline double hold_stiffness_of(const Model& model, const Options& options) {
  return options.hold * model.young * model.spacing;
}

/// What a solver sees of a step.
struct Equation {
  const Model& model;
  const Rig& rig;
  const Options& options;
  State& state;
  Cache& cache;
  Scratch& scratch;
  const Context& context;
  Past past = Past::unknown;  ///< what predict() started from

  const StepInput& input() const { return context.input; }
  const Scheme& scheme() const { return context.scheme; }
  Pool& pool() const { return context.pool; }
  StepReport& report() const { return context.report; }

  /// The points that are held and the preconditioner, when they are not those of the last solve; then
  /// report.refactored. Returns the trouble, empty when all is well.
  std::string prepare();
  /// x^ and v^ in the scratch. Past::curved: by scratch.acceleration.
  void predict(Past from);
  /// Poses the bones, and finds where the held points belong at the end of the step: those of the bones, then
  /// held nodes.
  void aim();
  /// Nothing holds the body. Warping at nodes and at rows leaves net forces of its own.
  bool is_free() const;
  Index held_rows() const;  ///< of the cache's rows: the first ones, what bones and holds hold
  /// The matrix is symmetric.
  bool symmetric() const { return options.warping != Warping::row; }
  /// curvature() is cheaper than a product.
  bool has_curvature() const { return !at_nodes(); }

  /// r at x. Returns the root of the sum of squares of the forces that act, N.
  double residual(const Points& x, Points& r);
  /// What acts on the nodes from within at x, with what holds and grabs: -dE/dx + hold rows^T (targets - rows x), N.
  void inner_forces(const Points& x, Points& out);
  /// y = (K + hold rows^T rows) z, with the grabs.
  void stiffen(const Float4* z, Float4* y);
  /// y = matrix times z.
  void apply(const Float4* z, Float4* y);
  /// z^T times matrix times z, without the product.
  double curvature(const AlignedVector<Float4>& z);
  /// z = (about the inverse of the matrix) r.
  void precondition(const Float4* r, Float4* z);

  /// scratch.v of scratch.x.
  void set_velocities();
  double hold_stiffness() const { return hold_stiffness_of(model, options); }
  /// Of a step of so many iterations.
  StepTraffic traffic(int iterations) const;

 private:
  /// Nodes have rotations, too: warping at nodes and rows.
  bool at_nodes() const { return options.warping == Warping::node || options.warping == Warping::row; }
  /// Rotations of the cells in the matrix: their own where the warping is at cells, else none.
  PackedCells::Quaternions& in_matrix() {
    return options.warping == Warping::cell ? state.turned : cache.unturned;
  }
  /// dE/dx at x (rest), or K x. `exact`: statics, whose balance is told; a step corrects the forces by
  /// iterations of single precision anyway.
  void elastic(const Points& x, bool rest, bool exact, Points& out);
  Stress<double> stress(bool rest) const;
  /// Of the matrix, for the iterations.
  Stress<float> rough_stress() const;
  /// Makes the rows of the bones and of these nodes.
  void hold(std::span<const Index> nodes);
  /// r += forces of what holds at x, and of the grabs.
  void add_pulls(const Points& x, Points& r) const;
  /// y += hold rows^T rows z, and the grabs.
  void apply_rows(const Float4* z, Float4* y) const;
};

}  // namespace pliant::meshless
