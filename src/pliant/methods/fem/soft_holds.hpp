// SPDX-License-Identifier: Apache-2.0
// Holding nodes that follow others: with w_v the weights of a held node v on the nodes with freedom, x its
// target's difference,
//   E_c = beta/2 sum_v |w_v x - c_v|^2,   force -beta w_v^T (w_v x - c_v),   matrix beta sum_v w_v^T w_v
// [Martin09, Eq. 18]; beta is the total stiffness (model.hpp) over the number of held nodes. On a body with
// followers nodes with freedom are held in the same way, so that a region is held evenly.
#pragma once

#include "pliant/methods/fem/assembly.hpp"

namespace pliant::fem {

class SoftHolds {
 public:
  /// For the nodes of a set; the matrix must have the pattern of all nodes with freedom.
  void arrange(const Model& model, std::span<const Index> held, const BlockPattern& pattern);

  /// g += factor beta sum_v w_v^T (w_v x - c_v).
  void add_forces(const Points& x, std::span<const Vec3> targets, double factor, std::span<Vec3> g) const;
  /// matrix += factor beta sum_v w_v^T w_v.
  void add_blocks(double factor, BlockGradients& matrix) const;

 private:
  struct Entry {
    Index block;
    double value;  // N/m
  };
  double stiffness_ = 0;  // beta, N/m
  Gather rows_;
  std::vector<Entry> entries_;
};

/// The weights of a node on the nodes with freedom: visit(node, weight).
template <class Visit>
void each_carrier(const Model& model, Index node, Visit&& visit) {
  const Index row = node - model.carriers();
  if (row < 0) {
    visit(node, 1.0);
    return;
  }
  for (Index k = model.followers.begin[row]; k < model.followers.begin[row + 1]; ++k)
    visit(model.followers.column[k], model.followers.weight[k]);
}

/// The place of a block in the pattern, which must have it.
Index find_block(const BlockPattern& pattern, Index row, Index column);

}  // namespace pliant::fem
