// SPDX-License-Identifier: Apache-2.0
// PLY: a text header that describes the elements, then their data.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/io/float_frame.hpp"

namespace pliant {

/// Binary little endian; vertices as float x y z nx ny nz, faces as lists of int. The faces of `faces`, or
/// the triangles when it has none. Texture coordinates as s t of the vertices when no vertex has two of them,
/// else as the list `texcoord` of the faces.
[[nodiscard]] std::optional<Error> write_ply(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles,
                                             const PolygonMesh& faces = {});
/// One of many frames: the normals of those faces.
[[nodiscard]] std::optional<Error> write_ply(const std::filesystem::path& path, std::span<const float> xyz,
                                             const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                                             const FrameNormals& normals);

/// Text, binary little and big endian. Texture coordinates as s t, u v or texture_u texture_v of the
/// vertices, or as a list `texcoord` of the faces; other elements and properties are passed over. Problems
/// carry the line, or in binary data the byte and the element.
Result<PolygonMesh> parse_ply(std::string_view bytes, const std::string& name);

}  // namespace pliant
