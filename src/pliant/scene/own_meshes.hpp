// SPDX-License-Identifier: Apache-2.0
// Surfaces that a scene names: those of the program, which are in no file, and files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "pliant/geometry/check_geometry.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/scene/find_file.hpp"

namespace pliant {

/// Surfaces of the program, by the names that its scene has in the place of files.
using OwnMeshes = std::map<std::string, PolygonMesh>;

inline Result<PolygonMesh> read_surface(const std::string& name, const std::filesystem::path& folder,
                                        const OwnMeshes& own) {
  const auto known = own.find(name);
  if (known == own.end()) return read_polygons(find_file(name, folder));
  if (std::vector<Problem> wrong = check_mesh(known->second); !wrong.empty())
    return Error{name, std::move(wrong)};
  return known->second;
}

}  // namespace pliant
