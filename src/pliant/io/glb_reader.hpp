// SPDX-License-Identifier: Apache-2.0
// glTF 2.0 binary, as a surface: every triangle of every mesh of the scene, placed by the scene's nodes.
#pragma once

#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// Vertices in the order of the scene's nodes (depth first), their primitives and their accessors; primitives
/// of a mesh that share an accessor share its vertices. Triangles, strips and fans; points and lines are
/// passed over, so are morph targets and animations. A skinned mesh comes as its accessor has it, without
/// the transforms of nodes, as glTF demands. TEXCOORD_0 is turned to v up. Compressed, quantised and sparse
/// data and buffers in other files are refused by name. Problems carry the JSON path.
Result<PolygonMesh> parse_glb(std::string_view bytes, const std::string& name);

}  // namespace pliant
