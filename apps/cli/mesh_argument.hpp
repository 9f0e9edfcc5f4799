// SPDX-License-Identifier: Apache-2.0
// The mesh that a command is given: its file, its unit, its upward axis.
#pragma once

#include <string>

#include "commands.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant::cli {

struct MeshArgument {
  std::string file, unit = "m", up = "y";
};

/// MESH, --unit and --up.
void add_mesh_argument(CLI::App& command, MeshArgument& argument);

/// In metres, y up. Throws InputError.
PolygonMesh read_argument(const MeshArgument& argument);

}  // namespace pliant::cli
