// SPDX-License-Identifier: Apache-2.0
// What the solvers see of a caged body, in single or double precision: elastic energy and forces at a place
// of the cage, and the matrices of steps. Z = [x | y], F = Z G, R the rotation of F, P = dZ/dx = [1; J] with
// J of the scaled normals.
//
// Frozen normals [Martin09, Fig. 4], a matrix on the vertices:
//   A = heavy (M + eps m/N) + stiff K + held K_holds
//   K v = sum_q w_q dP_q g^T,  dF = v G,  dP = mu (dF + R dF^T R) + lambda tr(R^T dF) R
// Normals that follow, the Hessian of the elastic energy by the vertices: with S = R^T F
//   H = P^T (d^2E/dZ^2) P + sum_j dE/dy_j . d^2y_j/dx^2
//   dF : d^2E : dF = 2 mu |sym D|^2 + lambda (tr D)^2                              D = R^T dF, d = 2 axial(D)
//                    + d^T [mu + (lambda (tr S - 3) - 2 mu)(tr S - S)^-1] d
// The first line alone is the Gauss-Newton matrix K of [Martin09, Eq. 15]: six rows a point. It takes strain
// to be small. In a tight bend it is not: steps of K alone turn back and forth there. The second line, where
// positive, is three rows more; the normals' part is six by six a face.
#pragma once

#include <optional>

#include "pliant/methods/cage/cache.hpp"
#include "pliant/methods/cage/scratch.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::cage {

// Of the mean diagonal of a matrix: what is added, ten times more each time, where it is not definite.
inline constexpr double least_shift = 1e-7, most_shift = 1e-2;

/// Of the matrix with frozen normals.
struct FrozenWeights {
  double heavy, stiff, held;
  /// Those of a time step.
  FrozenWeights(double h, const Damping& damping)
      : heavy(1 + h * damping.mass), stiff(h * h + h * damping.stiffness), held(h * h) {}
};

/// A view: model, cache and scratch belong to the body. Functions say which entries of the scratch they
/// write.
template <class T>
class Equation {
 public:
  Equation(const Model& model, Cache& cache, Scratch& scratch)
      : model_(model), cache_(cache), s_(scratch), w_(scratch.work<T>()) {}

  /// Frame, strains, rotations and energy at x. The look's own frame and rotations are where the search
  /// starts. Writes Scratch::z and the stress. y: the normals at x, when known.
  void look_at(const Columns& x, Look<T>& look, Pool& pool, const Columns* y = nullptr);
  /// Elastic energy, J, and the weighted stress.
  double stress(const Look<T>& look, Pool& pool);
  /// Work::force of the first `rows` entries of Z, from the stress.
  void elastic_forces(Index rows, Pool& pool);
  /// Elastic forces, holds, weight and forces of the input, on Z at Scratch::z in the look's frame; c: the
  /// mean of the vertices.
  void force_on_z(const StepInput& input, const Look<T>& look, const Vec3& c, Columns& out);
  /// Scratch::jacobians at Scratch::z.
  void find_jacobians();
  /// P^T of a force on Z, with those Jacobians.
  void pull_back(const Columns& on_z, Columns& out) const;

  /// Factors A in Work::system. Where rounding makes it indefinite (stiff bodies in single precision) the
  /// vertices get more mass, which is returned, kg. None: that did not help.
  std::optional<double> factor_frozen(const Look<T>& look, const FrozenWeights& weights, Pool& pool,
                                      StageWatch& watch);
  /// heavy (M + eps m/N) + held K_holds as the kernels read it.
  AlignedVector<T> frozen_scalar(const FrozenWeights& weights);
  /// out = A v without the matrix; scalar: as frozen_scalar made it. Writes stress and force.
  void times_frozen(const Look<T>& look, double stiff, const AlignedVector<T>& scalar,
                    const AlignedVector<T>& v, AlignedVector<T>& out, Pool& pool);

  /// P^T (d^2E/dZ^2) P at Scratch::z in Work::gram, lower triangle, column by column; `twisted`: with the
  /// second line. Writes Scratch::jacobians.
  void find_gram(const Look<T>& look, bool twisted, Pool& pool);
  /// Scratch::pulled = P^T (S x 1) P for a symmetric S of the rows of Z.
  void pull_back_scalar(const Eigen::MatrixXd& scalar);
  /// Scratch::pulled += the normals' part of H, with the force on Z, and the curvature of what keeps faces
  /// open; `definite`: without what is negative in a face.
  void add_curvature(const Columns& force, bool definite);

  const Model& model() const { return model_; }
  Holds& holds() { return cache_.holds; }
  Work<T>& work() { return w_; }

 private:
  /// The root of the second line's matrix of every point, 0 for negative eigenvalues, in Work::twist.
  void find_twist(const Look<T>& look);

  const Model& model_;
  Cache& cache_;
  Scratch& s_;
  Work<T>& w_;
};

/// Forces of the input on nodes, as forces on the first force.cols() entries of Z, seen from a frame.
void add_node_forces(const Model& model, const StepInput& input, const Mat3& rotation, Columns& force);

}  // namespace pliant::cage
