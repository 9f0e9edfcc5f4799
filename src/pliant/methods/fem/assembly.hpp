// SPDX-License-Identifier: Apache-2.0
// Forces and the matrix K' (energy.hpp) of all elements, gathered: first every element writes its own
// corner forces and turned gradients, then every node collects its force and its blocks. What goes where is
// listed once for a set of held nodes; nothing depends on the number of threads.
//
// With P = sum over the elements of nodes i and j of W g_a g_b^T, their block of K' is
//   K'_ij = lambda P + mu P^T + mu tr(P) I
#pragma once

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/math/block_gradients.hpp"
#include "pliant/methods/fem/energy.hpp"

namespace pliant::fem {

class Assembly {
 public:
  /// The unknowns are the nodes with freedom whose byte in held is 0, in their order. Sets the pattern of the
  /// matrix.
  void arrange(const Model& model, const std::vector<unsigned char>& held, BlockGradients& matrix);

  const std::vector<Index>& free() const { return free_; }  ///< node of an unknown
  Index place(Index node) const { return place_[node]; }    ///< unknown of a node; -1 = held

  /// Rotations at x from the warm starts in `rotations`, which they replace; then the corner forces at x, and
  /// with drag > 0 (s) those of drag K' v on top.
  void visit(const Model& model, const Points& x, const Points& v, double drag, Rotations& rotations,
             Pool& pool);

  /// After visit. out: g + drag K' v, one entry an unknown.
  void gather_forces(const Model& model, std::span<Vec3> out, Pool& pool) const;

  /// After visit. matrix = factor K' on the unknowns.
  void gather_blocks(const Model& model, double factor, BlockGradients& matrix, Pool& pool) const;

  std::size_t bytes_per_visit(const Model& model) const;  ///< moved by visit and both gathers
  std::size_t memory_bytes() const;

 private:
  std::vector<Index> free_, place_;
  // Blocks with column <= row: lower_begin_[k] is the first of row k, lower_ and upper_ tell where a block
  // and its transpose are in the matrix.
  std::vector<Index> lower_begin_, lower_, upper_;
  std::vector<Index> share_begin_, share_;  // c (c element + a) + b, c corners, of every element in a block
  AlignedVector<double> corner_force_, turned_;  // three numbers a corner; turned_ times sqrt(W)
};

}  // namespace pliant::fem
