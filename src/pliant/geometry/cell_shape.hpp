// SPDX-License-Identifier: Apache-2.0
// Any surface in a few coarse hexahedra: what embedding in a lattice is compared with [Martin09, Fig. 1].
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"

namespace pliant {

/// The bounding box cut into cells; those without material or vertices are left out. Nodes are the corners of
/// the cells, then the vertices of the mesh, which follow them by trilinear weights (Shape::followers). Cells
/// know the material in each of their eighths, counted by winding number and scaled to the enclosed volume
/// when the surface is closed. The surface must enclose something. The error names no file.
Result<Shape> make_cell_shape(const PolygonMesh& mesh, const std::array<int, 3>& cells, Pool& pool);

}  // namespace pliant
