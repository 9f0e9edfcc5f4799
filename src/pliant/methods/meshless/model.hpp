// SPDX-License-Identifier: Apache-2.0
// Meshless nodes, cells and material, immutable after build.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/math/symmetric_matrix.hpp"
#include "pliant/methods/meshless/cells.hpp"
#include "pliant/methods/meshless/options.hpp"

namespace pliant::meshless {

struct Model {
  Points rest;               ///< X, m
  std::vector<double> mass;  ///< lumped: density sum_c w_c phi_I(centre), kg
  Cells cells;
  std::vector<double> relative;           ///< Young's modulus of a cell over the body's
  double young = 0;                       ///< E, Pa
  double lambda = 0;                      ///< Lame: E nu / ((1 + nu)(1 - 2 nu)), Pa
  double mu = 0;                          ///< Lame: E / (2 (1 + nu)), Pa
  double kappa = 0;                       ///< against spin, Pa
  double spacing = 0;                     ///< a, m
  double size = 0;                        ///< diagonal of the bounding box at rest, m
  SymmetricMatrix laplacian;              ///< L_ij = sum_c w_c g_i . g_j, m
  std::vector<std::vector<Index>> parts;  ///< nodes of the pieces that nothing joins
  std::vector<Index> part_of;             ///< the part of every node
  Gather at_nodes;                        ///< the field at the places of the nodes, from their parameters
  Gather ties;                            ///< of crowded nodes: the field at their place less their parameter

  Index nodes() const { return Index(rest.size()); }
  /// The field of the parameters x at the place of a node.
  Vec3 field_at(Index node, const Points& x) const;
  double tie_stiffness() const { return young * spacing; }  ///< N/m
  /// Of the scalar matrix that preconditions the elasticity: the mean of its diagonal blocks over directions.
  double scalar_stiffness() const { return mu + kappa + (mu - kappa) / 2 + lambda / 2; }
};

/// How many of the nearest nodes tell a support: lattices know their neighbours.
MlsOptions mls_options(const Shape& shape, const Options& options);

/// density in kg/m^3. Problems are placed relative to the body.
Result<Model> make_model(const Shape& shape, const MovingLeastSquares& mls, double density,
                         const Options& options, Pool& pool);

/// Nodes that lie much nearer to one another than their supports reach share nearly one shape function: in the tip
/// of a claw a node and its frame (geometry/volumetric_graph.hpp). Their parameters may then part without a field
/// that shows it, and so nearly without stiffness, but their masses are lumped: such a mode swings for seconds,
/// far from where the node is. A spring holds the parameter of a crowded node to the field at its place. Linear
/// fields, rigid motions among them, do not strain it, so that it has neither resultant nor moment.
Gather ties_of(const Points& rest, const MovingLeastSquares& mls, const Gather& at_nodes);
/// The energy of the ties, J; and minus its gradient, N, added to `forces`.
double tie_energy(const Model& model, const Points& x);
void add_tie_forces(const Model& model, const Points& x, std::span<Vec3> forces);

/// sum_c w_c s_c g_i . g_j with a factor s_c a cell.
SymmetricMatrix cell_laplacian(const Cells& cells, const std::vector<double>& factor, Index nodes,
                               Pool& pool);

/// The matrix of linear elasticity at R = I for all coordinates, row 3 i + coordinate:
///   diagonal + sum_c w_c [ lambda g_i g_j^T + (mu - kappa) g_j g_i^T + (mu + kappa)(g_i . g_j) I ] stiffness
/// plus hold times rows^T rows. The design that section 5 of the notes rejects; `warping: node` needs it.
SymmetricMatrix block_matrix(const Model& model, const std::vector<double>& diagonal, double stiffness,
                             const Gather& rows, double hold);

/// a + factor rows^T rows, and `diagonal` on the diagonal.
SymmetricMatrix with_rows(const SymmetricMatrix& a, double scale, const std::vector<double>& diagonal,
                          const Gather& rows, double factor);

}  // namespace pliant::meshless
