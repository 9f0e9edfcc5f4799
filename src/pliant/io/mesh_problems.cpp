// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/mesh_problems.hpp"

#include <fmt/format.h>

namespace pliant {

void MeshProblems::at(std::string place, std::string found, std::string expected) {
  if (!full()) error_.problems.push_back({std::move(place), std::move(found), std::move(expected), ""});
}

void MeshProblems::at_line(std::size_t number, std::string found, std::string expected) {
  at(fmt::format("line {}", number), std::move(found), std::move(expected));
}

Result<TriMesh> MeshProblems::mesh_or_error(TriMesh mesh) {
  if (!any() && mesh.triangles.empty())
    at("", fmt::format("{} vertices and no face", mesh.vertices.size()), "a surface with faces");
  if (any()) return error_;
  return mesh;
}

}  // namespace pliant
