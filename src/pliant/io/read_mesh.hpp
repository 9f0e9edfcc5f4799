// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// A triangle surface from an .obj or .ply file (by extension, in any case).
Result<TriMesh> read_mesh(const std::filesystem::path& path);

}  // namespace pliant
