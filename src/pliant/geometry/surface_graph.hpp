// SPDX-License-Identifier: Apache-2.0
// A surface as its own body: every vertex is a node, every side of a triangle an edge. Borders, edges of
// three and more triangles, edges without a triangle (wires) and lone vertices are all allowed.
#pragma once

#include "pliant/geometry/body_graph.hpp"
#include "pliant/geometry/mesh_shape.hpp"

namespace pliant {

/// c_ij = 1/2 sum over the triangles at an edge of the cotangent of the angle opposite to it: one term at a
/// border, two inside, all of them where more sheets meet. Then sum over edges of c_ij |M r_ij|^2 is the
/// integral of |M|^2 for any linear map M of the sheet's plane. Obtuse triangles make c negative and slivers
/// make it huge: c is kept between 1e-3 and 1e3 of the mean of |c|. Edges without a triangle have 1.
std::vector<double> cotangent_weights(const Points& vertices, const std::vector<Triangle>& triangles,
                                      const std::vector<NodeGraph::Edge>& edges);

/// Nodes of a sheet: volumes are thickness times a third of the triangles around, shares thickness c_ij, so
/// that edge rows of weight E/2 share resist stretching with Young's modulus times thickness.
NodeGraph surface_graph(const Points& vertices, const std::vector<Triangle>& triangles, double thickness,
                        const std::vector<NodePair>& wires = {});

/// The surface of a shape as a body of its own; thickness 0 = 0.01 of the diagonal.
Shape on_surface(Shape shape, double thickness);

/// The welded vertices of any surface as nodes. `options.nodes` and `options.solid` are not read.
Result<MeshShape> make_surface_shape(const PolygonMesh& mesh, const MeshShapeOptions& options, Pool& pool);

}  // namespace pliant
