// SPDX-License-Identifier: Apache-2.0
// A solid on a regular lattice of cubes: all cells that are inside the surface or that it passes through, so
// that every vertex of the surface lies in a cell and follows its eight corners (trilinear). Cells that the
// surface cuts weigh what is inside of them.
#pragma once

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/moments.hpp"

namespace pliant {

/// A closed surface on cubes of the given edge, m; the lattice is centred on its bounding box. The nodes have
/// the moments of the solid that the surface stands for.
Shape on_lattice(const TriMesh& surface, const Moments& solid, double spacing, Pool& pool);

/// Any solid surface on at most options.nodes nodes. options.join is not read; sheets are refused. The error
/// names no file.
Result<MeshShape> make_lattice_shape(const PolygonMesh& mesh, const MeshShapeOptions& options, Pool& pool);

}  // namespace pliant
