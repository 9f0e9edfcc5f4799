// SPDX-License-Identifier: Apache-2.0
// The equation of a solve with given rotations. Residual at a guess x, v = (x - x_n)/h,
//   r = f + M g - M ((v - v_n)/h + alpha v) - dE/dx - beta K v + hold rows^T (targets - rows x)
// and the correction D = x_n+1 - x solves
//   [ (1 + h alpha)/h^2 M + (1 + beta/h) K(R) + hold rows^T rows ] D = r
// Symbols: M lumped masses, kg; K = d^2E/dx^2 at given R (energy.hpp), N/m; rows: points held by bones, pins
// and handles, from the nodes (shape functions do not interpolate, so that fields are held, not parameters);
// alpha 1/s, beta s. Grabs are soft rows of one step. Statics: h = 0, without inertia and damping.
// The preconditioner is the constant scalar matrix of scalar_system.hpp, factored anew only when the held set
// or h changes; for `warping: node` R (M + K)^-1 R^T, which is the inverse but for what is held: R is
// orthogonal and the mass scalar, so that M + R K R^T = R (M + K) R^T.
#pragma once

#include "pliant/math/direct_solver.hpp"
#include "pliant/methods/meshless/rotations.hpp"
#include "pliant/methods/meshless/scalar_system.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::meshless {

/// The matrix of a solve is  mass M + stiffness K(R) + hold rows^T rows.
struct Scheme {
  double h = 0;           ///< s; 0: statics
  double mass = 0;        ///< (1 + h alpha) / h^2, 1/s^2
  double stiffness = 1;   ///< 1 + beta / h
  double drag = 0;        ///< alpha, 1/s
  double inner_drag = 0;  ///< beta, s
  double kappa = 0;       ///< against spin, Pa

  /// Of statics.
  explicit Scheme(double against_spin) : kappa(against_spin) {}
  /// Of a step.
  Scheme(double step, const Damping& damping, double against_spin)
      : h(step),
        mass((1 + h * damping.mass) / (h * h)),
        stiffness(1 + damping.stiffness / h),
        drag(damping.mass),
        inner_drag(damping.stiffness),
        kappa(against_spin) {}
};

using Context = StepContext<Scheme>;

class Equation {
 public:
  /// All outlive this object.
  Equation(const Model& model, const Rig& rig, const PackedCells& cells, const Options& options,
           const State& state, CellRotations& rotations);

  /// The points that are held and the preconditioner, when they are not those of the last solve; then
  /// report.refactored. Returns the trouble, empty when all is well.
  std::string prepare(const Context& step);
  /// Where the held points belong at the end of the step: those of the bones, then held nodes.
  void aim(std::span<const Vec3> bones, std::span<const Vec3> held);
  /// Nothing holds the body. Warping at nodes and at rows leaves net forces of its own.
  bool is_free(const StepInput& input) const;
  /// The matrix is symmetric.
  bool symmetric() const { return warping_ != Warping::row; }
  /// curvature() is cheaper than a product.
  bool has_curvature() const { return !rotations_.at_nodes(); }

  /// r at x. Returns the root of the sum of squares of the forces that act, N.
  double residual(const Context& step, const Points& x, Points& r);
  /// y = matrix times z.
  void apply(const Context& step, const Float4* z, Float4* y);
  /// z^T times matrix times z, without the product.
  double curvature(const Context& step, const AlignedVector<Float4>& z);
  /// z = (about the inverse of the matrix) r.
  void precondition(const Float4* r, Float4* z, Pool& pool);

  ScalarSystem& scalar_system() { return system_; }
  double setup_ms() const { return setup_ms_; }  ///< of the first preparation
  std::size_t memory_bytes() const { return system_.memory_bytes() + block_.memory_bytes(); }
  /// Of a step of so many iterations.
  StepTraffic traffic(int iterations) const;

 private:
  /// dE/dx at x (rest), or K x. `exact`: statics, whose balance is told; a step corrects the forces by
  /// iterations of single precision anyway.
  void elastic(const Scheme& s, const Points& x, bool rest, bool exact, Points& out, Pool& pool);
  Stress<double> stress(const Scheme& s, bool rest) const;
  /// Of the matrix, for the iterations.
  Stress<float> rough_stress(const Scheme& s) const;
  /// Makes the rows of the bones and of these nodes.
  void hold(std::span<const Index> nodes);
  void apply_rows(std::span<const Grab> grabs, const Float4* z, Float4* y) const;

  const Model& model_;
  const Rig& rig_;
  const PackedCells& cells_;
  const Warping warping_;
  const double hold_;  // stiffness of bones and holds, N/m
  const State& state_;
  CellRotations& rotations_;

  // Of the held nodes and the step length.
  ScalarSystem system_;
  DirectSolver block_;  // of `warping: node`: M + K once for all, in the frame of the nodes
  Gather rows_;         // points held: bones, then held nodes
  std::vector<float> row_weight_;
  std::vector<Index> held_;
  double mass_ = 0, stiffness_ = 0;
  bool ready_ = false;
  double setup_ms_ = 0;

  // Scratch.
  Points targets_;  // of rows_
  Points elastic_, v_, unturned_;
  Points block_b_, block_z_;
  AlignedVector<double> plastic_;  // stress
};

}  // namespace pliant::meshless
