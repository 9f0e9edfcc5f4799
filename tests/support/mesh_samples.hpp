// SPDX-License-Identifier: Apache-2.0
// Surfaces that tests make themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/shape.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant::samples {

/// Twelve triangles.
inline PolygonMesh box(const Vec3& low, const Vec3& high) {
  return as_polygons(make_shape(BoxShape{.size = high - low, .nodes = {2, 2, 2}, .corner = low}).surface);
}

inline PolygonMesh sphere(double radius = 1, const Vec3& centre = {0, 0, 0}, int across = 24) {
  PolygonMesh mesh = as_polygons(make_shape(EllipsoidShape{.radii = {1, 1, 1}, .nodes = across}).surface);
  for (Vec3& p : mesh.vertices) p = centre + radius * p;
  return mesh;
}

inline PolygonMesh turned_inside_out(PolygonMesh mesh) {
  for (Index f = 0; f < mesh.faces(); ++f)
    std::reverse(mesh.corner.begin() + mesh.face_begin[f], mesh.corner.begin() + mesh.face_begin[f + 1]);
  return mesh;
}

inline PolygonMesh together(PolygonMesh a, const PolygonMesh& b) {
  const Index first = Index(a.vertices.size()), corners = Index(a.corner.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Index c : b.corner) a.corner.push_back(c + first);
  for (Index f = 1; f <= b.faces(); ++f) a.face_begin.push_back(b.face_begin[f] + corners);
  return a;
}

/// Without the faces for which drop(f) is true.
template <class Drop>
PolygonMesh without_faces(const PolygonMesh& mesh, Drop&& drop) {
  PolygonMesh out;
  out.vertices = mesh.vertices;
  for (Index f = 0; f < mesh.faces(); ++f) {
    if (drop(f)) continue;
    out.corner.insert(out.corner.end(), mesh.corner.begin() + mesh.face_begin[f],
                      mesh.corner.begin() + mesh.face_begin[f + 1]);
    out.face_begin.push_back(Index(out.corner.size()));
  }
  return out;
}

/// A U: a plate 1 wide, 0.5 deep and 1 high with a slot of the given width from the top to a fifth of its
/// height.
inline PolygonMesh letter_u(double slot) {
  const double l = 0.5 - slot / 2, r = 0.5 + slot / 2, b = 0.2, depth = 0.5;
  const std::array<std::array<double, 2>, 8> outline{
      {{0, 0}, {1, 0}, {1, 1}, {r, 1}, {r, b}, {l, b}, {l, 1}, {0, 1}}};
  PolygonMesh mesh;
  for (const double z : {0.0, depth})
    for (const auto& p : outline) mesh.vertices.push_back({p[0], p[1], z});
  for (Index k = 0; k < 8; ++k) add_face(mesh, {k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k});
  // Front and back as three boxes each: left, bottom, right, with the corners of the slot on the way.
  for (const auto& q : {std::array<Index, 4>{0, 5, 6, 7}, {0, 1, 4, 5}, {1, 2, 3, 4}}) {
    add_face(mesh, {q[0] + 8, q[1] + 8, q[2] + 8, q[3] + 8});
    add_face(mesh, {q[3], q[2], q[1], q[0]});
  }
  return mesh;
}

}  // namespace pliant::samples
