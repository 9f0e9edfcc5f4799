// SPDX-License-Identifier: Apache-2.0
// What a checkpoint must find again of a mesh file: its vertices and its faces.
#pragma once

#include "pliant/base/hash.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

inline std::uint64_t mesh_fingerprint(const PolygonMesh& mesh, std::uint64_t seed) {
  seed = hash_bytes(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3), seed);
  seed = hash_bytes(mesh.normals.data(), mesh.normals.size() * sizeof(Vec3), seed);
  seed = hash_bytes(mesh.corner.data(), mesh.corner.size() * sizeof(Index), seed);
  return hash_bytes(mesh.face_begin.data(), mesh.face_begin.size() * sizeof(Index), seed);
}

}  // namespace pliant
