// SPDX-License-Identifier: Apache-2.0
// A cloud of points with normals as a body: nodes inside it, and the points riding on them. No mesh.
#pragma once

#include <optional>
#include <string>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/point_cloud.hpp"

namespace pliant {

/// The surface of the shape is the points, without triangles; Shape::discs bounds it. Refuses clouds that have
/// no inside: normals that point inward or at random, sheets. The error names no file.
Result<MeshShape> make_point_shape(const PolygonMesh& cloud, const MeshShapeOptions& options, Pool& pool);

/// What a cloud encloses, and what is wrong with it as a body.
struct CloudSolid {
  TriMesh discs;
  std::optional<TriangleTree> tree;  ///< of the discs
  CloudFacts facts;                  ///< zeros: too few points, or all in one place
  std::optional<Error> wrong;        ///< why make_point_shape refuses it; nothing: it is usable
};
CloudSolid cloud_solid(const Points& points, const Points& normals, Pool& pool);
/// CloudSolid::wrong in words.
std::string reason(const Error& wrong);

}  // namespace pliant
