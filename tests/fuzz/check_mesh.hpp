// SPDX-License-Identifier: Apache-2.0
// What every reader promises, whatever the bytes: a mesh whose corners exist and whose numbers are finite, or
// an error that says something.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

inline std::string_view as_text(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void demand(bool kept) {
  if (!kept) std::abort();
}

inline void check_mesh(const Result<PolygonMesh>& mesh) {
  if (!mesh) {
    demand(!mesh.error().problems.empty() && !mesh.error().text().empty());
    return;
  }
  demand(mesh->faces() > 0 && mesh->face_begin.front() == 0);
  demand(mesh->face_begin.back() == Index(mesh->corner.size()));
  for (Index f = 0; f < mesh->faces(); ++f) demand(mesh->corners_of(f) >= 0);
  for (Index v : mesh->corner) demand(v >= 0 && v < Index(mesh->vertices.size()));
  for (const Vec3& p : mesh->vertices) demand(p.allFinite());
  demand(mesh->corner_texcoord.empty() || mesh->corner_texcoord.size() == mesh->corner.size());
  for (Index t : mesh->corner_texcoord) demand(t >= -1 && t < Index(mesh->texcoords.size()));
  for (const auto& [u, v] : mesh->texcoords) demand(std::isfinite(u) && std::isfinite(v));
  for (const Triangle& t : fan_triangles(*mesh))
    for (Index v : t) demand(v >= 0 && v < Index(mesh->vertices.size()));
}

}  // namespace pliant
