// SPDX-License-Identifier: Apache-2.0
// PLY: a text header that describes the elements, then their data.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Binary little endian; vertices as float x y z nx ny nz, faces as lists of int.
[[nodiscard]] std::optional<Error> write_ply(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles);

/// Text, binary little and big endian. Polygons are cut into fans; other elements and properties are passed
/// over. Problems carry the line, or the element's number in binary data.
Result<TriMesh> read_ply(const std::filesystem::path& path);

}  // namespace pliant
