// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pliant/base/check.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// A surface as a file gives it: polygons, dirt included, in the user's own order. Every export shows these
/// vertices, faces and texture coordinates again.
struct PolygonMesh {
  Points vertices;  ///< m
  /// The corners of face f are corner[face_begin[f]] .. corner[face_begin[f + 1] - 1], counter-clockwise.
  std::vector<Index> face_begin{0}, corner;
  std::vector<std::array<float, 2>> texcoords;  ///< u, v; v up; empty = none
  std::vector<Index> corner_texcoord;           ///< one a corner, -1 = none; empty = none at all
  /// Of a cloud of points: outward, of length 1, one a vertex. A surface with faces has none.
  Points normals;
  /// What the reader of its file passed over or took for granted, whole sentences.
  std::vector<std::string> remarks;

  Index faces() const { return face_begin.empty() ? 0 : Index(face_begin.size()) - 1; }
  /// face: 0 .. faces() - 1.
  Index corners_of(Index face) const {
    PLIANT_CHECK(face >= 0 && face < faces());
    return face_begin[std::size_t(face) + 1] - face_begin[std::size_t(face)];
  }
};

/// Points without faces.
inline bool is_cloud(const PolygonMesh& mesh) { return mesh.faces() == 0 && !mesh.normals.empty(); }

enum class LengthUnit { m, cm, mm, in, ft };
double metres(LengthUnit unit);

/// Which axis of a file points up.
enum class UpAxis { y, z };

/// To metres and y up: `scale` metres a file unit; from z up, (x, y, z) becomes (x, z, -y).
void convert(PolygonMesh& mesh, double scale, UpAxis up);

/// p -> rotation p + translation.
void move(PolygonMesh& mesh, const Mat3& rotation, const Vec3& translation);

/// Every polygon as a fan around its first corner; faces of fewer than three corners, and of corners that are not
/// there, give none.
std::vector<Triangle> fan_triangles(const PolygonMesh& mesh);

}  // namespace pliant
