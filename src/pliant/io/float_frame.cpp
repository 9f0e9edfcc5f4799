// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/float_frame.hpp"

#include <algorithm>

#include "pliant/geometry/point_cloud.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

FloatFrame to_floats(std::span<const Vec3> positions) {
  FloatFrame xyz;
  xyz.reserve(3 * positions.size());
  for (const Vec3& p : positions)
    for (int axis = 0; axis < 3; ++axis) xyz.push_back(float(p[axis]));
  return xyz;
}

FloatFrame frame_normals(std::span<const float> xyz, const std::vector<Triangle>& triangles) {
  Points positions(xyz.size() / 3);
  for (std::size_t v = 0; v < positions.size(); ++v)
    positions[v] = Vec3(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
  return to_floats(vertex_normals(positions, triangles));
}

FloatFrame frame_normals(std::span<const float> xyz, const std::vector<Triangle>& triangles,
                         const PolygonMesh& faces) {
  if (!is_cloud(faces) || 3 * faces.vertices.size() != xyz.size()) return frame_normals(xyz, triangles);
  Points x(xyz.size() / 3);
  for (std::size_t v = 0; v < x.size(); ++v) x[v] = Vec3(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
  return to_floats(MovedNormals(faces.vertices, faces.normals).at(x));
}

FloatBounds bounds_of(std::span<const float> xyz) {
  FloatBounds bounds;
  if (xyz.size() < 3) return bounds;
  for (int axis = 0; axis < 3; ++axis) bounds.min[axis] = bounds.max[axis] = xyz[axis];
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    bounds.min[i % 3] = std::min(bounds.min[i % 3], xyz[i]);
    bounds.max[i % 3] = std::max(bounds.max[i % 3], xyz[i]);
  }
  return bounds;
}

}  // namespace pliant
