// SPDX-License-Identifier: Apache-2.0
// Box aggregation: how a weighted graph becomes a smaller one of the same kind for the next level of a
// multigrid cycle (graph_multigrid.hpp).
#pragma once

#include "pliant/base/types.hpp"
#include "pliant/math/graph_multigrid.hpp"

namespace pliant {

/// One level while it is being built, in the order of its making.
struct LevelGraph {
  Points positions;
  std::vector<double> mass, anchor;
  std::vector<GraphOperator::Edge> edges;

  Index nodes() const { return Index(mass.size()); }
};

/// Which coarse node a node belongs to. A node without edges belongs to none (-1): smoothing alone solves it.
struct Aggregates {
  std::vector<Index> of;
  Index count = 0;
};

/// Mean over nodes of the length of their shortest edge, edges of length zero left out; 0 when there is none.
double mean_shortest_edge(const LevelGraph& graph);

/// Nodes with equal floor((r - corner)/cell + 1e-3) share a box; every box is split into its connected
/// components (two sheets in one box must not merge); components of <= 2 nodes join the most strongly linked
/// component of <= 12 nodes.
Aggregates box_aggregates(const LevelGraph& graph, const Vec3& corner, double cell);

/// A_c = M_c + s P^T K P, P piecewise constant, s = (sum a_ij |r_i - r_j|^2 / sum a_IJ |c_I - c_J|^2)^.85
/// over fine and coarse edges: with power 1 the coarse level stores the energy of linear functions exactly.
/// Coarse position = mean position, coarse mass = sum.
LevelGraph coarsen(const LevelGraph& fine, const Aggregates& aggregates);

}  // namespace pliant
