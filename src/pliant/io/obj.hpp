// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: `v x y z`, `vt u v` and `f a b c ...`, indices from 1.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/io/float_frame.hpp"

namespace pliant {

/// Positions as the shortest text that reads back as the same floats. The faces of `faces` with their texture
/// coordinates, or the triangles when it has none.
[[nodiscard]] std::optional<Error> write_obj(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles,
                                             const PolygonMesh& faces = {});
/// One of many frames: the normals of those faces.
[[nodiscard]] std::optional<Error> write_obj(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                                             const FrameNormals& normals);

/// Positions, faces and texture coordinates; everything else (normals, materials, groups) is passed over.
/// Problems carry the line.
Result<PolygonMesh> parse_obj(std::string_view text, const std::string& name);

}  // namespace pliant
