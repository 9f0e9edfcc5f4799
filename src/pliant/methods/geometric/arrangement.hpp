// SPDX-License-Identifier: Apache-2.0
// The order in which a step keeps its nodes: neighbours near each other in memory, free nodes first, held
// ones after them, so that the unknowns of the linear solve are one contiguous range.
#pragma once

#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

struct Arrangement {
  std::vector<Index> node;   ///< the node at a place
  std::vector<Index> place;  ///< the place of a node
  Index free = 0;            ///< places [0, free) are free, the rest is held
};

/// Breadth first from one end of every connected part: neighbours are at most two fronts apart.
std::vector<Index> breadth_first_order(const Adjacency& adjacency);

/// The given order if its neighbours are at least as near as breadth first makes them (a lattice): copies in
/// and out of a step are then straight. Else breadth first. Where it pays, nodes with similar numbers of
/// edges are grouped, because a batch costs as much as its largest star.
std::vector<Index> streaming_order(const Adjacency& adjacency);

/// The order with the held nodes (mask, one byte a node) moved behind the free ones.
Arrangement arrange(const std::vector<Index>& order, const std::vector<unsigned char>& held);

}  // namespace pliant::geometric
