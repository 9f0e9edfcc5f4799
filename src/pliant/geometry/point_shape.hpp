// SPDX-License-Identifier: Apache-2.0
// A cloud of points with normals as a body: nodes inside it, and the points riding on them. No mesh.
#pragma once

#include "pliant/geometry/mesh_shape.hpp"

namespace pliant {

/// The surface of the shape is the points, without triangles; Shape::discs bounds it. Refuses clouds that have
/// no inside: normals that point inward or at random, sheets. The error names no file.
Result<MeshShape> make_point_shape(const PolygonMesh& cloud, const MeshShapeOptions& options, Pool& pool);

/// What is wrong with a cloud as the boundary of a solid; nothing: it is one.
struct CloudFacts;
std::optional<Error> no_solid(const CloudFacts& facts);

}  // namespace pliant
