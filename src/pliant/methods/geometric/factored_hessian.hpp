// SPDX-License-Identifier: Apache-2.0
// The model Hessian itself, factored anew in every step, for slender bodies: stems, leaves, ribbons, thin
// beams. They are stiff against stretching and soft against bending. A = M + h'^2 K (linear_system.hpp) knows
// only the former: conjugate gradients with it need as many iterations as the body is long, and stopped
// before, the body bends too slowly or gains energy. Where A is worst, though, a factor of
//   H = m M + k K - t sum_i B_i^T J_i B_i,   B_i p = axial(R_i^T dA_i(p))                    (energy.hpp)
// is cheapest: the graph of such a body has small separators. Every star is an element of it (element_factor.hpp).
#pragma once

#include "pliant/math/element_factor.hpp"
#include "pliant/methods/geometric/linear_system.hpp"
#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::geometric {

class FactoredHessian {
 public:
  struct Coefficients {
    double mass = 1, stiffness = 0, turning = 0;  ///< m, k, t
  };

  /// The model must have neither volume rows nor the paper's covariance.
  void arrange(const Model& model, const Arrangement& arrangement);

  /// At the rotations of the sweeps; d as in energy.hpp; slews: J of all stars, empty at rest. False: there is
  /// none, solve must not be called.
  bool factor(const Model& model, const Arrangement& arrangement, const Sweeps& sweeps,
              const Coefficients& coefficients, std::span<const LinearSystem::Spring> springs, RestVectors d,
              Pool& pool, std::span<const Mat3> slews = {});

  /// z = H^-1 g on the free nodes.
  void solve(const float* g, float* z);

  /// Cheap test before pays(): false where the softest motion (H >= m M, A <= m M + 2 k max K_ii), the
  /// largest star (dense in the factor) or the size of A's factor rule it out. H's factor costs about 216
  /// multiply-adds for each of A's (150 to 350 measured); with Laplacian rows A has H's pattern: at least 27.
  static bool may_pay(const Model& model, const Coefficients& coefficients, double multiply_adds_of_a,
                      Index free);
  /// Whether conjugate gradients with A would take longer than a factor.
  bool pays(const Model& model, const Arrangement& arrangement, const SymmetricMatrix& stiffness,
            const Coefficients& coefficients, Pool& pool);

  /// How many times softer than A some motion is at rest: the largest eigenvalue of H^-1 A, or a little less.
  /// Zero: H has no factor.
  double softness(const Model& model, const Arrangement& arrangement, const SymmetricMatrix& stiffness,
                  const Coefficients& coefficients, Pool& pool);

  double multiply_adds() const { return factor_.multiply_adds(); }
  std::size_t solve_bytes() const { return factor_.solve_bytes(); }
  std::size_t memory_bytes() const { return factor_.memory_bytes() + large_rows_.size() * sizeof(double); }

 private:
  /// Factors H at given rotations.
  template <class RotationOf>
  bool factor_with(const Model& model, const Arrangement& arrangement, const RotationOf& rotation_of,
                   const Coefficients& coefficients, RestVectors d, Pool& pool,
                   std::span<const Mat3> slews = {});
  /// The element matrix of a star.
  void fill(const Model& model, const Mat3& r, const Mat3& root, const Coefficients& c, Index node,
            RestVectors d, double* matrix);
  /// Calls add for the entries of a node's Laplacian row.
  template <class Add>
  void add_laplacian_row(const Model& model, double weight, Index node, const Add& add) const;
  template <class Add>
  void add_relief(const Model& model, double stiffness, Index node, RestVectors d, const Add& add) const;

  ElementFactor factor_;
  std::vector<Index> member_;      ///< of every directed edge: which member of the star its end is; -1: held
  std::vector<Index> own_member_;  ///< the same of the star's own node
  std::vector<Mat3> root_;         ///< of J, at the rest vectors as built
  std::vector<std::size_t> large_at_;  ///< of a star of many members: where its rows are
  std::vector<double> large_rows_;
  std::vector<double> diagonal_;  ///< springs of the free nodes
  std::vector<double> work_;
};

}  // namespace pliant::geometric
