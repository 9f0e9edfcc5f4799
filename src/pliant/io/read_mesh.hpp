// SPDX-License-Identifier: Apache-2.0
// Any surface file the user has. Reading is about syntax only: faces, vertices and texture coordinates come
// as the file has them, polygons and dirt included (geometry/repair.hpp judges that). Unreadable numbers,
// coordinates that are not finite, corners that do not exist and data that is cut off are errors that name
// their place. Memory is bounded by the size of the file, whatever its header promises.
#pragma once

#include <filesystem>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// A surface from an .obj, .ply, .stl, .off or .glb file (by extension, in any case).
Result<PolygonMesh> read_polygons(const std::filesystem::path& path);

/// The same with its polygons cut into fans.
Result<TriMesh> read_mesh(const std::filesystem::path& path);

}  // namespace pliant
