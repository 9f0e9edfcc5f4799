// SPDX-License-Identifier: Apache-2.0
// One surface to one file, the format by its extension.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "pliant/base/result.hpp"
#include "pliant/io/frame_writer.hpp"

namespace pliant {

/// ".obj, .ply, .stl, .glb, .vtu or .usda".
std::string mesh_formats();

/// The extension is one that write_mesh knows.
bool can_write_mesh(const std::filesystem::path& path);

/// The surface at the positions x (one a vertex), in single precision, with the user's faces and texture
/// coordinates where the format has them (frame_writer.hpp); stl has triangles only. vtu also has the
/// displacement from rest. The error also tells corners that do not exist and positions that are not finite.
[[nodiscard]] std::optional<Error> write_mesh(const std::filesystem::path& path, const SurfaceInfo& surface,
                                              const Points& x);

}  // namespace pliant
