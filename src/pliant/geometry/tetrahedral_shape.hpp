// SPDX-License-Identifier: Apache-2.0
// A solid on the tetrahedra of a body-centred lattice, with the surface embedded.
//
// The bounding box is cut into equal cells. Those inside the surface or touched by it are kept; their corners
// and their centres are nodes. Between two kept cells lie four tetrahedra, each from one centre to the other
// and along one edge of the face between the cells: all are alike and none is a sliver. At a face without a
// neighbour the pyramid on it splits in two along a diagonal, by both diagonals at half weight.
//
// A tetrahedron that the surface cuts keeps its shape and counts with the volume inside the surface. Strain
// is constant in it, so that this one number integrates its elastic energy exactly; the centre of the material
// in it does the same for the masses of its corners. Nothing moves to the surface, so nothing is squeezed.
#pragma once

#include "pliant/geometry/mesh_shape.hpp"

namespace pliant {

/// Any solid surface on at most options.nodes nodes, or the fewest that fill it. options.thickness and join
/// are not read; sheets are refused. Surface vertices are the input's, in its order. The error names no file.
Result<MeshShape> make_tetrahedral_shape(const PolygonMesh& mesh, const MeshShapeOptions& options,
                                         Pool& pool);

}  // namespace pliant
