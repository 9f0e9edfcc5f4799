// SPDX-License-Identifier: Apache-2.0
// The model Hessian of a sheet (sheet/energy.hpp), factored anew in every step: for sheets that are stiff against
// stretching, whose bending A = M + h'^2 K hardly knows (factored_hessian.hpp says the same of stars). Every
// triangle is an element with up to twelve nodes (math/element_factor.hpp).
#pragma once

#include "pliant/methods/geometric/factored_hessian.hpp"
#include "pliant/methods/geometric/sheet/sweeps.hpp"

namespace pliant::geometric {

class SheetHessian {
 public:
  using Coefficients = FactoredHessian::Coefficients;

  void arrange(const Model& model, const Arrangement& arrangement, const SheetSweeps& sweeps);

  /// At the rotations and the tension of the sweeps. False: there is none, solve must not be called.
  bool factor(const SheetSweeps& sweeps, const Coefficients& coefficients,
              std::span<const LinearSystem::Spring> springs, Pool& pool);
  /// z = H^-1 g on the free nodes.
  void solve(const float* g, float* z);
  /// x <- H^-1 x, three numbers a free node.
  void solve(std::span<double> x) { factor_.solve(x); }

  double multiply_adds() const { return factor_.multiply_adds(); }
  std::size_t solve_bytes() const { return factor_.solve_bytes(); }
  std::size_t memory_bytes() const {
    return factor_.memory_bytes() + (pull_.size() + mass_.size()) * sizeof(double);
  }

 private:
  void fill(const SheetSweeps& sweeps, const Coefficients& c, Index element, double* matrix) const;

  ElementFactor factor_;
  Index free_ = 0, slots_ = 0;  ///< elements beyond the slots are single nodes without rows
  std::vector<std::size_t> pull_begin_;
  std::vector<double> pull_;  ///< of every slot: its share of K, lower triangle by columns, members in order
  std::vector<Index> member_begin_,
      member_;  ///< of every member that turns: which member of the element; -1: held
  std::vector<Index> owned_begin_, owned_;  ///< of every element: its members whose mass it adds
  std::vector<double> mass_, spring_, work_;
};

}  // namespace pliant::geometric
