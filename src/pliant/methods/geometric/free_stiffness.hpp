// SPDX-License-Identifier: Apache-2.0
// K of the nodes that nothing holds, factored in double: the set-up of bases needs modes and harmonic
// extensions of it. K is the same for x, y and z, so that columns are scalar functions of the nodes.
#pragma once

#include <Eigen/Core>
#include <string>

#include "pliant/math/direct_solver.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

class FreeStiffness {
 public:
  /// held: one byte a node. Without held nodes K is singular for constants: a small multiple of M is added.
  FreeStiffness(const Model& model, const std::vector<unsigned char>& held);

  const std::string& trouble() const { return trouble_; }  ///< empty = factored
  Index free() const { return Index(node_.size()); }
  const std::vector<Index>& free_nodes() const { return node_; }  ///< ascending

  /// (K + shift M)^-1 of every column; rows are the free nodes.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const;

  /// Columns of all nodes with the given values on the held ones, and in between such that K u = 0.
  Eigen::MatrixXd extend(const Eigen::MatrixXd& on_all) const;

  /// The lowest modes of K psi = mu M psi on the free nodes, M-orthonormal, without the constant one of a
  /// body that nothing holds; rows are all nodes, held ones 0. May give fewer than asked, when there are no
  /// more.
  Eigen::MatrixXd modes(int count) const;

 private:
  const Model& model_;
  SymmetricMatrix stiffness_;
  std::vector<Index> node_, row_;  // free nodes; the row of a node, -1 for held ones
  DirectSolver factor_;
  double shift_ = 0;  // 1/s^2
  std::string trouble_;
};

}  // namespace pliant::geometric
