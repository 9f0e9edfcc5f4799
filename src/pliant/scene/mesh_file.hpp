// SPDX-License-Identifier: Apache-2.0
// The mesh files that a scene names, for bodies and for colliders.
#pragma once

#include <filesystem>
#include <string>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/physics/motion.hpp"

namespace pliant {

/// From the scene's folder, else from where the command runs.
std::filesystem::path find_mesh_file(const std::string& name, const std::filesystem::path& scene_folder);

/// p -> turn p + translate.
void place(PolygonMesh& mesh, const Turn& turn, const Vec3& translate);

}  // namespace pliant
