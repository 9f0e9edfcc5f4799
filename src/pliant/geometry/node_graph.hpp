// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// Nodes that sample a solid (or a sheet) and the edges between them: what most methods build on.
struct NodeGraph {
  struct Edge {
    Index a = 0, b = 0;  ///< a < b, each pair once
    /// Tributary section over length, m: an edge that stands for material of section s and length l has s /
    /// l. On a lattice of hexahedra: sum over the cells at the edge of (cell volume / 4) / l^2. 0 = unknown.
    double share = 0;
  };
  Points positions;             ///< rest, m
  std::vector<double> volumes;  ///< material volume a node stands for, m^3; they sum to the body's volume
  std::vector<Edge> edges;      ///< sorted by (a, b)
  /// Hexahedral cells (corner c at bit 0 = x, bit 1 = y, bit 2 = z), empty when the graph has none; they tell
  /// how many cells are inverted.
  std::vector<std::array<Index, 8>> cells;
  /// Material in the eighth of a cell at each of its corners, m^3; empty = cells are full of it.
  std::vector<std::array<double, 8>> cell_material;
  /// A tetrahedron of positive volume.
  struct Tetrahedron {
    std::array<Index, 4> node;
    double material = 0;  ///< in it, m^3
  };
  std::vector<Tetrahedron> tetrahedra;  ///< of a filled surface (geometry/tetrahedral_shape.hpp); empty else
  /// Of nodes, when the nodes are the vertices of a surface (geometry/surface_graph.hpp); empty else.
  std::vector<Triangle> triangles;
  double thickness = 0;  ///< of the sheet that the triangles are, m
  double enclosed =
      0;  ///< by the solid that closed triangles stand for, m^3; 0 = by the triangles themselves
};

/// Compressed adjacency: the neighbours of node i are target[begin[i]] .. target[begin[i + 1] - 1],
/// ascending, edge[k] is the index of the undirected edge behind entry k.
struct Adjacency {
  std::vector<Index> begin, target, edge;
};
Adjacency adjacency(Index nodes, const std::vector<NodeGraph::Edge>& edges);

/// Connected components; the label of every node, 0-based in order of the lowest node.
std::vector<Index> components(Index nodes, const std::vector<NodeGraph::Edge>& edges);

/// Edges lead from each node to every other.
bool is_connected(const NodeGraph& graph);

}  // namespace pliant
