// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/float_frame.hpp"

#include <algorithm>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

FloatFrame to_floats(std::span<const Vec3> positions) {
  FloatFrame xyz;
  xyz.reserve(3 * positions.size());
  for (const Vec3& p : positions)
    for (int axis = 0; axis < 3; ++axis) xyz.push_back(float(p[axis]));
  return xyz;
}

namespace {

Points to_points(std::span<const float> xyz) {
  Points points(xyz.size() / 3);
  for (std::size_t v = 0; v < points.size(); ++v)
    points[v] = Vec3(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
  return points;
}

}  // namespace

FloatFrame frame_normals(std::span<const float> xyz, const std::vector<Triangle>& triangles) {
  return to_floats(vertex_normals(to_points(xyz), triangles));
}

FrameNormals::FrameNormals(const PolygonMesh& faces) {
  if (!is_cloud(faces)) return;
  points_ = faces.vertices.size();
  cloud_.emplace(faces.vertices, faces.normals);
}

FloatFrame FrameNormals::at(std::span<const float> xyz, const std::vector<Triangle>& triangles) const {
  if (!cloud_ || 3 * points_ != xyz.size()) return frame_normals(xyz, triangles);
  return to_floats(cloud_->at(to_points(xyz)));
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
