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
/// passed over, so are morph targets and animations. A skinned mesh comes in its bind pose, placed
/// by the root joint of its skin as the file stands. TEXCOORD_0 is turned to v up. Compressed, quantised and
/// sparse data and buffers in other files are refused by name. Problems carry the JSON path.
Result<PolygonMesh> parse_glb(std::string_view bytes, const std::string& name);

/// The joints a vertex of a skinned mesh follows: nodes of the file, -1 = none; weights sum to 1 or are all
/// 0.
struct VertexBinding {
  std::array<Index, 4> node{-1, -1, -1, -1};
  std::array<double, 4> weight{0, 0, 0, 0};
};
struct GlbSurface {
  PolygonMesh mesh;
  std::vector<VertexBinding> bindings;  ///< one a vertex, when asked for
};
class GlbFile;
/// The same surface for readers of more; throws GlbRefusal (io/glb_file.hpp).
GlbSurface glb_surface(const GlbFile& file, bool bindings);

}  // namespace pliant
