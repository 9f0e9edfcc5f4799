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

  Index nodes() const { return Index(rest.size()); }
  /// The field of the parameters x at the place of a node.
  Vec3 field_at(Index node, const Points& x) const;
  /// Of the scalar matrix that preconditions the elasticity: the mean of its diagonal blocks over directions.
  double scalar_stiffness() const { return mu + kappa + (mu - kappa) / 2 + lambda / 2; }
};

/// How many of the nearest nodes tell a support: lattices know their neighbours.
MlsOptions mls_options(const Shape& shape, const Options& options);

/// density in kg/m^3. Problems are placed relative to the body.
Result<Model> make_model(const Shape& shape, const MovingLeastSquares& mls, double density,
                         const Options& options, Pool& pool);

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
