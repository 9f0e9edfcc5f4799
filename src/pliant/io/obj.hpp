// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: `v x y z` and `f a b c`, indices from 1.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Positions as the shortest text that reads back as the same floats.
[[nodiscard]] std::optional<Error> write_obj(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles);

/// Positions and faces; polygons are cut into fans, everything else (normals, materials, groups) is passed
/// over. Problems carry the line.
Result<TriMesh> read_obj(const std::filesystem::path& path);

}  // namespace pliant
