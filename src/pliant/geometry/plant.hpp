// SPDX-License-Identifier: Apache-2.0
// A potted plant made by rule: a stem that is a tube, and leaves of three sheets each - two half blades and a
// keel - that meet in the midrib and grow out of an edge of the stem. So edges with three and more triangles
// are the rule: what tetrahedra and manifold meshes cannot take.
#pragma once

#include "pliant/geometry/shape.hpp"

namespace pliant {

/// A stem with leaves: surfaces without thickness of their own.
struct PlantShape {
  int seed = 1;              ///< same seed, same plant
  int leaves = 20;           ///< >= 1; 366 + 112 nodes a leaf
  double height = 1;         ///< of the stem, m
  double thickness = 0.002;  ///< of stem wall and leaves, m
  Vec3 base{0, 0, 0};        ///< foot of the stem, m
};

/// Nodes are the vertices of the surface (geometry/surface_graph.hpp). At most 10000 leaves; `problems` as those of the
/// other shapes.
Shape make_shape(const PlantShape& plant);

}  // namespace pliant
