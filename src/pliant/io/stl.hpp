// SPDX-License-Identifier: Apache-2.0
// STL, text and binary: facets with their own three corners each. It knows no shared vertices: every corner
// becomes a vertex, in the order of the file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// Binary, with the normal of every triangle.
[[nodiscard]] std::optional<Error> write_stl(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles);

/// A file is binary when its size is the one its triangle count tells, also when it begins with "solid".
/// Normals are passed over. Problems carry the line, or in binary data the byte and the triangle.
Result<PolygonMesh> parse_stl(std::string_view bytes, const std::string& name);

}  // namespace pliant
