// SPDX-License-Identifier: Apache-2.0
// Dirt far away from a mesh: a vertex that no face uses, a speck of a few tiny faces. One of them is enough to make
// the bounds of the mesh, and with them its pictures and the resolution of its frames, those of empty space.
#pragma once

#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// Parts farther than 10 diagonals from the rest, with less than 1e-4 of the area all together, lose their faces. Vertices
/// of no face that lie outside the box of those of faces go to one of these. Numbers of vertices stay as they are. What
/// was done is said in mesh.remarks. Meshes without such dirt are left alone.
void leave_out_stray_parts(PolygonMesh& mesh);

}  // namespace pliant
