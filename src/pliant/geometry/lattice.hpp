// SPDX-License-Identifier: Apache-2.0
// Points of a lattice that lie inside a surface. Blocks of cells away from the surface are decided by one
// winding number, so that a thin part in a large box costs its surface, not its box.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/node_grid.hpp"
#include "pliant/geometry/sight.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

/// A surface as the boundary of a solid.
struct Interior {
  const TriangleTree& tree;
  Vec3 low, high;  ///< bounding box
  bool closed;     ///< then the winding number changes at the surface only
};

/// Body-centred cubic points of constant a inside, two a cell; a block after the other.
Points inside_points(const Interior& interior, double a, Pool& pool);

/// Volume inside by stratified samples, refined until some thousands are inside or they are `finest` apart.
double counted_volume(const Interior& interior, double finest, Pool& pool);

/// Nodes in a solid.
struct SolidNodes {
  const std::vector<Place>& places;
  const NodeGrid& grid;  ///< of the same, in the same order
  const Sight& sight;
};

/// The share of the solid that is nearest to each node, by stratified samples (a / 3 apart; the generator
/// depends on the cell alone). Deep nodes (no surface within their cell) keep a^3 / 2, the volume of a
/// lattice point.
std::vector<double> nearest_volumes(const Interior& interior, const SolidNodes& nodes,
                                    const std::vector<char>& deep, double a, Pool& pool);

}  // namespace pliant
