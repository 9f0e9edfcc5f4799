// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/mesh_problems.hpp"

#include <fmt/format.h>

#include <limits>

namespace pliant {
namespace {

bool has_face(const PolygonMesh& mesh) {
  for (Index f = 0; f < mesh.faces(); ++f)
    if (mesh.corners_of(f) >= 3) return true;
  return false;
}

}  // namespace

void MeshProblems::at(std::string place, std::string found, std::string expected, std::string hint) {
  if (full()) return;
  error_.problems.push_back({std::move(place), std::move(found), std::move(expected), std::move(hint)});
}

Result<PolygonMesh> MeshProblems::mesh_or_error(PolygonMesh mesh) {
  constexpr std::size_t most = std::numeric_limits<Index>::max();
  if (mesh.vertices.size() > most || mesh.corner.size() > most || mesh.texcoords.size() > most)
    at("", fmt::format("{} vertices and {} corners of faces", mesh.vertices.size(), mesh.corner.size()),
       fmt::format("at most {} of each", most));
  if (!any() && !has_face(mesh) && !is_cloud(mesh))
    at(fmt::format(
           "no faces ({} points). A soft body needs a surface, or points with normals (PLY: nx, ny, nz; "
           "OBJ: vn and p).",
           mesh.vertices.size()),
       "", "");
  if (any()) return error_;
  return mesh;
}

}  // namespace pliant
