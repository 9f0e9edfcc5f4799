// SPDX-License-Identifier: Apache-2.0
// Texture coordinates of a surface in the ways the formats want them: per corner, per vertex, or per vertex
// with the vertices on seams copied.
#pragma once

#include <array>
#include <vector>

#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

using Texcoord = std::array<float, 2>;  ///< u, v; v up

/// One texture coordinate a vertex (zero where no face is); nothing when there are none, when a vertex has
/// two different ones or when a corner lacks one.
std::vector<Texcoord> vertex_texcoords(const PolygonMesh& faces, std::size_t vertices);

/// Faces that formats can hold: those of three corners and more.
std::size_t written_faces(const PolygonMesh& faces);

/// Triangles with one texture coordinate a vertex: a vertex that has several keeps its place with the first
/// of them, and is copied behind the last vertex for each other.
struct SeamSplit {
  std::vector<Triangle> triangles;
  std::vector<Index> copied;        ///< copy k, vertex `vertices + k`, is this vertex again
  std::vector<Texcoord> texcoords;  ///< of vertices and copies; empty = none
};

/// The triangles are cut from the faces: each takes the texture coordinates of a face that has its corners.
SeamSplit split_seams(const std::vector<Triangle>& triangles, const PolygonMesh& faces, std::size_t vertices);

}  // namespace pliant
