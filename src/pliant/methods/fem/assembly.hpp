// SPDX-License-Identifier: Apache-2.0
// Forces and the matrix K' (energy.hpp) of all tetrahedra, gathered: first every tetrahedron writes its own
// corner forces and turned gradients, then every node collects its force and its blocks. What goes where is
// listed once for a set of held nodes; nothing depends on the number of threads.
//
// With P = sum over the tetrahedra of nodes i and j of W g_a g_b^T, their block of K' is
//   K'_ij = lambda P + mu P^T + mu tr(P) I
#pragma once

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/math/block_solver.hpp"
#include "pliant/methods/fem/energy.hpp"

namespace pliant::fem {

class Assembly {
 public:
  /// The unknowns are the nodes whose byte in held is 0, in their order.
  void arrange(const Model& model, const std::vector<unsigned char>& held);

  const std::vector<Index>& free() const { return free_; }         ///< node of an unknown
  Index place(Index node) const { return place_[node]; }           ///< unknown of a node; -1 = held
  const BlockPattern& pattern() const { return pattern_; }         ///< of K' on the unknowns
  const AlignedVector<double>& blocks() const { return blocks_; }  ///< in the order of the pattern
  double* diagonal(Index k) { return &blocks_[9 * std::size_t(pattern_.begin[k + 1] - 1)]; }

  /// Rotations at x from the warm starts in `rotations`, which they replace; then the corner forces at x, and
  /// with drag > 0 (s) those of drag K' v on top.
  void visit(const Model& model, const Points& x, const Points& v, double drag, Rotations& rotations,
             Pool& pool);

  /// After visit. out: g + drag K' v, one entry an unknown.
  void gather_forces(const Model& model, std::span<Vec3> out, Pool& pool) const;

  /// After visit. blocks() = factor K' on the unknowns.
  void gather_blocks(const Model& model, double factor, Pool& pool);

  std::size_t bytes_per_visit(const Model& model) const;  ///< moved by visit and both gathers
  std::size_t memory_bytes() const;

 private:
  std::vector<Index> free_, place_;
  BlockPattern pattern_;
  std::vector<Index> share_begin_, share_;  // 16 tet + 4 a + b of every tetrahedron in a block
  AlignedVector<double> blocks_;
  AlignedVector<double> corner_force_, turned_;  // three numbers a corner; turned_ times sqrt(W)
};

}  // namespace pliant::fem
