// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/node_graph.hpp"

namespace pliant {

using NodePair = std::array<Index, 2>;

/// The nodes every surface vertex leans on: node[begin[v]] .. node[begin[v + 1] - 1], at most nine, nearest
/// first; none for a vertex that the graph does not carry.
struct Leaning {
  std::vector<Index> begin{0}, node;
  Index vertices() const { return Index(begin.size()) - 1; }
};

/// Nodes and edges of the solid or the shell parts of a surface whose bounding box has diagonal 1 about the
/// origin.
struct BodyGraph {
  NodeGraph graph;
  Leaning leaning;
  double spacing = 0;  ///< lattice constant, or mean distance of a shell's nodes
  Index lattice_nodes = 0, cover_nodes = 0, frame_nodes = 0, bridges = 0;
  Index strays = 0;            ///< vertices that see no node and lean on a neighbour's
  bool frames_capped = false;  ///< more frame nodes were wanted than a quarter of the budget
};

/// Edges from pairs in any order: sorted, each once, none from a node to itself; share 0.
std::vector<NodeGraph::Edge> edges_of(const std::vector<NodePair>& pairs);

/// Pairs two edges apart that resist bending, a < b, ascending: those with at least two common neighbours
/// (the far corners of two triangles with a common side), and, where a strip ends in a node of fewer than
/// three edges, those with one.
std::vector<NodePair> second_ring(Index nodes, const std::vector<NodeGraph::Edge>& edges);

/// Edge shares from node volumes, so that an edge row of weight E / 2 * share makes the body's Young's
/// modulus E: share_ij = d (V_i v_ij + V_j v_ji) / |r_ij|^2, d the dimension of the material (3 solid, 2
/// sheet), v_ij the part of node i's volume that its edge to j stands for: 1 / degree, corrected in solids so
/// that every node by itself is as stiff in all directions. The tensor (1 / V) sum share r r^T has trace d.
void calibrate_shares(NodeGraph& graph, int dimension);

/// Largest over smallest eigenvalue of the stiffness tensor sum share r r^T; 1 = the same in all directions.
double stiffness_anisotropy(const NodeGraph& graph);

/// The share of every node's volume is at least `least` of the mean, and they sum to `total`.
void floor_and_scale(std::vector<double>& volumes, double least, double total);

}  // namespace pliant
