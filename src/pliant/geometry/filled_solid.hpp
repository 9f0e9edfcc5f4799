// SPDX-License-Identifier: Apache-2.0
// What bodies that fill a surface with cells have in common, whatever the cells are: the surface is repaired,
// judged to be a solid and measured before, and carried and described after.
#pragma once

#include <optional>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

struct SolidToFill {
  Repaired surface;
  TriangleTree tree;             ///< of the repaired surface
  std::optional<Moments> exact;  ///< of what is inside; none where the surface is open or of several parts
  double volume = 0;             ///< m^3, counted where it is not exact
};

/// The kind of cells.
struct CellKind {
  int least_nodes = 0;  ///< those of one cell
  std::string fills;    ///< "a lattice fills"
};

/// report: its repair and solidity are set. The error names no file.
Result<SolidToFill> solid_to_fill(const PolygonMesh& mesh, const MeshShapeOptions& options,
                                  const CellKind& kind, Laps& laps, MeshShapeReport& report);

/// The user's surface on the shape, whose graph is made.
void carry_surface(const PolygonMesh& mesh, Repaired&& surface, Shape& shape);

/// Nodes, volume and parts of a graph of spacing h, m; warns of parts that will fall apart.
void describe_filling(const NodeGraph& graph, double h, MeshShapeReport& report);

}  // namespace pliant
