// SPDX-License-Identifier: Apache-2.0
// Columns of the factor that share their pattern form a supernode: one dense panel. Small supernodes are
// merged with their parents where a few stored zeros cost less than a panel of their own, and the tree is cut
// into two parts of equal work and a common top, so that two processors can solve at once.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/math/ordering.hpp"

namespace pliant {

/// The shape of a panel as it is stored for the solve (math/panel_kernels.hpp): groups of `panel_group`
/// columns, blocks of `panel_block` rows; above the diagonal whole blocks are left out.
inline constexpr Index panel_group = 8, panel_block = 16;

/// Stored columns of `panel_block` rows of a panel.
std::size_t panel_lines(Index width, Index height);

/// The factor's pattern. Supernode s has the columns [first[s], first[s + 1]) and the rows
/// row[row_begin[s]] ..., ascending, its own columns first. Numbers are positions in `order`.
struct SupernodalPattern {
  std::vector<Index> order;      ///< order[k] = the matrix row eliminated at position k
  std::vector<Index> first{0};   ///< first column of each supernode, and the number of rows
  std::vector<Index> parent;     ///< supernode that receives the update of s; -1 at a root
  std::vector<Index> postorder;  ///< supernodes, every subtree contiguous, children first
  std::vector<std::size_t> row_begin{0};
  std::vector<Index> row;
  /// Supernodes [0, part[0]) and [part[0], part[1]) are unions of subtrees that do not touch each other; the
  /// rest is the common top.
  std::array<Index, 2> part{0, 0};
  std::size_t factor_entries = 0;  ///< nonzeros of L without the zeros that merging stores
  double multiply_adds = 0;        ///< of the factorisation, without them, too

  Index supernodes() const { return Index(parent.size()); }
  Index width(Index s) const { return first[s + 1] - first[s]; }
  Index height(Index s) const { return Index(row_begin[s + 1] - row_begin[s]); }
  std::span<const Index> rows(Index s) const {
    return {row.data() + row_begin[s], row.data() + row_begin[s + 1]};
  }
};

/// What a supernode costs, in units of about 1.5 processor cycles; merging and the cut into parts go by it.
using SupernodeCost = double (*)(Index width, Index height);

/// Of one solve for three right-hand sides by panel_solver.hpp.
double solve_cost(Index width, Index height);

SupernodalPattern analyse(const MatrixGraph& graph, std::vector<Index> order, SupernodeCost cost);
/// By nested dissection, for solves.
SupernodalPattern analyse(const MatrixGraph& graph);

}  // namespace pliant
