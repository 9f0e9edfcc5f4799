// SPDX-License-Identifier: Apache-2.0
// Small surfaces for tests of geometry.
#pragma once

#include <cmath>

#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

inline PolygonMesh as_polygons(const TriMesh& mesh) {
  PolygonMesh polygons;
  polygons.vertices = mesh.vertices;
  for (const Triangle& t : mesh.triangles) {
    polygons.corner.insert(polygons.corner.end(), t.begin(), t.end());
    polygons.face_begin.push_back(Index(polygons.corner.size()));
  }
  return polygons;
}

inline void add_face(PolygonMesh& mesh, std::initializer_list<Index> corners) {
  mesh.corner.insert(mesh.corner.end(), corners.begin(), corners.end());
  mesh.face_begin.push_back(Index(mesh.corner.size()));
}

/// An axis-aligned box of 12 triangles, outward.
inline TriMesh box_surface(const Vec3& low = {0, 0, 0}, const Vec3& high = {1, 1, 1}) {
  TriMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? high.x() : low.x(), i & 2 ? high.y() : low.y(),
                               i & 4 ? high.z() : low.z());
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// A sphere of `rings` x `2 rings` quads cut in two, closed by fans at the poles, outward.
inline TriMesh sphere_surface(int rings, double radius = 1, const Vec3& centre = {0, 0, 0}) {
  const double pi = std::acos(-1.0);
  const int around = 2 * rings;
  TriMesh mesh;
  mesh.vertices.push_back(centre + Vec3(0, radius, 0));
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double theta = pi * i / rings, phi = 2 * pi * j / around;
      mesh.vertices.push_back(centre + radius * Vec3(std::sin(theta) * std::cos(phi), std::cos(theta),
                                                     std::sin(theta) * std::sin(phi)));
    }
  mesh.vertices.push_back(centre - Vec3(0, radius, 0));
  const auto at = [&](int i, int j) { return Index(1 + (i - 1) * around + j % around); };
  const Index last = Index(mesh.vertices.size()) - 1;
  for (int j = 0; j < around; ++j) {
    mesh.triangles.push_back({0, at(1, j + 1), at(1, j)});
    for (int i = 1; i + 1 < rings; ++i) {
      mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
      mesh.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
    }
    mesh.triangles.push_back({last, at(rings - 1, j), at(rings - 1, j + 1)});
  }
  return mesh;
}

inline void append(TriMesh& mesh, const TriMesh& other) {
  const Index first = Index(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Triangle& t : other.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

inline TriMesh turned(TriMesh mesh) {
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

}  // namespace pliant
