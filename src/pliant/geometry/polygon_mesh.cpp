// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

double metres(LengthUnit unit) {
  switch (unit) {
    case LengthUnit::cm:
      return 0.01;
    case LengthUnit::mm:
      return 0.001;
    case LengthUnit::in:
      return 0.0254;
    case LengthUnit::ft:
      return 0.3048;
    default:
      return 1;
  }
}

void convert(PolygonMesh& mesh, double scale, UpAxis up) {
  for (Vec3& p : mesh.vertices) {
    if (up == UpAxis::z) p = Vec3(p.x(), p.z(), -p.y());
    p *= scale;
  }
  for (Vec3& n : mesh.normals) n = (scale < 0 ? -1 : 1) * (up == UpAxis::z ? Vec3(n.x(), n.z(), -n.y()) : n);
}

void move(PolygonMesh& mesh, const Mat3& rotation, const Vec3& translation) {
  for (Vec3& p : mesh.vertices) p = rotation * p + translation;
  for (Vec3& n : mesh.normals) n = rotation * n;
}

std::vector<Triangle> fan_triangles(const PolygonMesh& mesh) {
  std::vector<Triangle> triangles;
  for (Index f = 0; f < mesh.faces(); ++f) {
    const Index begin = mesh.face_begin[std::size_t(f)], end = mesh.face_begin[std::size_t(f) + 1];
    if (begin < 0 || end < begin || std::size_t(end) > mesh.corner.size()) continue;
    const Index* corner = mesh.corner.data() + begin;
    for (Index k = 2; k < end - begin; ++k) triangles.push_back({corner[0], corner[k - 1], corner[k]});
  }
  return triangles;
}

}  // namespace pliant
