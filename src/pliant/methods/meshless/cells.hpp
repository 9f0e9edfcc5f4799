// SPDX-License-Identifier: Apache-2.0
// Where the energy is integrated: cubes of half the nodes' spacing with smoothed gradients. By the divergence
// theorem, with one point a face, edge e and the shape functions phi of moving least squares,
//   g_I = (1/e) [ phi_I(face centre + d) - phi_I(face centre - d) ],   d = x, y, z
// is the mean of grad phi_I over the cube: no derivative of phi is needed, faces are shared, and constant
// strain is exact for any layout of nodes (the patch test). Gauss points fail it [ZJU06 uses them].
// Where nodes are finer, cells are halved, once or more. A cell beside halved ones has their faces for its own:
// phi on its side is the mean over them, and the patch test holds.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/meshless/finer_ball.hpp"

namespace pliant::meshless {

struct Cells {
  // Of cell c: node[k], gradient[k] = g_I, 1/m, and centre_value[k] = phi_I at its centre, for k in
  // [begin[c], begin[c + 1]), nodes ascending.
  std::vector<Index> begin{0}, node;
  Points gradient;
  std::vector<double> centre_value;
  Points centre;               ///< at rest, m
  std::vector<double> weight;  ///< volume it stands for, m^3; they sum to the body's
  Vec3 edge{0, 0, 0};          ///< of a cell that is not halved, m
  std::vector<char> halved;    ///< how often the edge of a cell is halved (finer_nodes.hpp)

  // What was out of the ordinary.
  Index widened = 0;   ///< points whose neighbourhood had to be widened
  Index constant = 0;  ///< points where that did not help: constant shape functions
  Index lonely = 0;    ///< nodes of parts thinner than a cell, which got a cell of their own

  Index count() const { return Index(weight.size()); }
  Vec3 edge_of(Index cell) const { return edge / (1 << halved[std::size_t(cell)]); }
};

/// Edges that stay inside the body: those of the graph and all pairs of its hexahedra.
std::vector<std::array<Index, 2>> inner_pairs(const NodeGraph& graph);

/// Of a solid shape; problems are placed relative to the body.
Result<Cells> make_cells(const Shape& shape, const MovingLeastSquares& mls,
                         const std::vector<FinerBall>& finer, Pool& pool);

/// Rows of shape functions at `points`; each is anchored at the nearest of the nodes in its row of `rows`.
Gather mls_rows(const Points& points, const Gather& rows, const MovingLeastSquares& mls, Pool& pool);

}  // namespace pliant::meshless
