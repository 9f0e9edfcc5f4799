// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky of a sum of small dense matrices, elements, over nodes of three unknowns each, for matrices
// that are another one in every step: the pattern is analysed once; a factorisation asks for the elements
// where the first of their nodes is eliminated, so that the matrix itself is never stored (multifrontal,
// Duff and Reid 1983). In double precision, for one right-hand side.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/math/front_kernels.hpp"
#include "pliant/math/supernodes.hpp"

namespace pliant {

class ElementFactor {
 public:
  /// Element e couples the nodes node[begin[e]] ..., all different. Every node must be in one.
  struct Elements {
    std::vector<Index> begin{0}, node;
    Index count() const { return Index(begin.size()) - 1; }
  };

  /// The pattern only; memory for numbers is taken by the first factor.
  void analyse(Index nodes, Elements elements);

  /// The nodes of an element in the order of its matrix: as they are eliminated.
  std::span<const Index> members(Index element) const {
    return {elements_.node.data() + elements_.begin[element],
            elements_.node.data() + elements_.begin[element + 1]};
  }

  /// fill(e, matrix): the lower triangle of element e, three rows a node, by columns that are
  /// front_stride(rows) apart; what is above the diagonal must be finite. From two threads at once. False: a
  /// pivot is not positive; solve must not be called then. The result does not depend on the number of
  /// threads.
  template <class Fill>
  bool factor(Fill&& fill, Pool& pool) {
    return factor_all([](void* f, Index e,
                         double* matrix) { (*static_cast<std::remove_reference_t<Fill>*>(f))(e, matrix); },
                      const_cast<void*>(static_cast<const void*>(&fill)), pool);
  }

  /// x <- A^-1 x, three numbers a node.
  void solve(std::span<double> x);

  double multiply_adds() const { return multiply_adds_; }  ///< of one factorisation
  std::size_t solve_bytes() const;                         ///< that a solve must read and write
  std::size_t memory_bytes() const;

 private:
  using Call = void (*)(void*, Index, double*);
  /// Of a supernode: where its numbers are.
  struct Front {
    std::size_t panel = 0, update = 0;  ///< first number
    Index first_element = 0, end_element = 0;
    Index first_run = 0, end_run = 0;  ///< of its update in its parent
    Index width = 0, height = 0;       ///< numbers, three a node
  };
  /// `length` nodes below a supernode from `from` on are nodes of the parent's front from `to` on.
  struct Run {
    Index from, to, length;
  };
  struct Scratch {
    AlignedVector<double> element, below;
  };

  void sort_elements(const std::vector<Index>& position);
  void find_runs();
  void place_numbers();
  bool factor_all(Call call, void* fill, Pool& pool);
  bool factor_part(int part, Call call, void* fill);
  bool eliminate(Index s, Call call, void* fill, double* element);
  void add_element(const Front& front, Index e, const double* matrix);
  void add_update(const Front& parent, const Front& child);
  double* column(const Front& front, Index c);

  Elements elements_;
  std::vector<Index> place_;  ///< of every member of an element, in nodes of the front it goes to
  SupernodalPattern pattern_;
  std::vector<Front> fronts_;
  std::vector<Index> own_elements_;  ///< sorted by front
  std::vector<Run> runs_;
  std::vector<Index> child_begin_, children_;
  std::array<std::vector<Index>, 3> sequence_;  ///< supernodes of the two parts and of the top
  AlignedVector<double> panels_, updates_;
  std::vector<double> inverse_;  ///< 1 / the diagonal of the factor
  std::array<Scratch, 3> scratch_;
  std::vector<double> work_;
  double multiply_adds_ = 0;
};

}  // namespace pliant
