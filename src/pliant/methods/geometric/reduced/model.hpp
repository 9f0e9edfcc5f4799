// SPDX-License-Identifier: Apache-2.0
// The geometric energy in the space x = X + Phi Z                                      [Huang06, Eq. 7]
//   V(Z) = sum_i weight_i V_i,  V_i the rows that node i owns
//   C_i  = sum over the rows of i of lambda_k (s_k Phi)^T d_k^T           k x 3, constant
//   A_i  = A_i(X) + Z^T C_i
//   dV/dZ = K Z + sum_i C_i (1 - R_i^T)          because  Phi^T K_full X = sum_i C_i
// with the relief (../model.hpp) in K, of which it is a constant part: C_i Q_i C_i^T less theta of the rows,
// so that the same 3k numbers a node serve the covariance and the gradient, no neighbour is read, and nothing
// large cancels. With all nodes and weights 1 it is the energy of the full body in the space; a few nodes
// with trained weights (cubature.hpp) are another energy of the same kind: as conservative, and blind to
// rigid motion.
#pragma once

#include <span>

#include "pliant/base/aligned.hpp"
#include "pliant/methods/geometric/reduced/basis.hpp"
#include "pliant/methods/geometric/reduced/coordinates.hpp"

namespace pliant::geometric {

/// Nodes that stand for all, each with a weight > 0, ascending.
struct Cubature {
  std::vector<Index> nodes;
  std::vector<double> weights;
};
Cubature every_node(const Model& model);

/// Immutable after build. Swept nodes are those of the cubature.
struct ReducedModel {
  Model full;  ///< of all nodes
  Basis basis;
  Cubature cubature;
  Eigen::MatrixXd mass, stiffness;        ///< Phi^T M Phi, kg; sum of weight_i K_i, N/m
  AlignedVector<float> pull, rest, slew;  ///< as ReducedArrays has them, weights included
  int batches = 0;

  std::vector<Index> piece_of;  ///< the held piece of every node, -1: none
  double size = 0;              ///< diagonal of the box around the nodes at rest, m
  /// Root of the sum of squares over the nodes of the force of all edges when each is stretched by its
  /// length, N.
  double unit_strain_force = 0;

  // The body as a whole, X from its centre of mass: sums over the nodes of m ...
  double total_mass = 0;
  Vec3 centre{0, 0, 0};
  Mat3 second = Mat3::Zero();       ///< ... X X^T
  Coordinates moment;               ///< ... Phi X
  Eigen::VectorXd sum;              ///< ... Phi
  Coordinates rest_coordinates;     ///< X in the space, as near as it can be: mass^-1 moment
  Eigen::VectorXd one_coordinates;  ///< the function 1 likewise

  int columns() const { return int(mass.rows()); }
  Index nodes() const { return full.nodes(); }
  bool sweeps_all_nodes() const { return Index(cubature.nodes.size()) == nodes(); }
  /// The place of a node at Z.
  Vec3 node_at(Index node, const Coordinates& z) const {
    return full.rest[node] + (basis.columns.row(node) * z).transpose();
  }
};

ReducedModel make_reduced_model(Model model, Basis basis, Cubature cubature);

/// C_i without weight, k x 3, and adds weight K_i to the stiffness when there is one.
Coordinates pull_of(const Model& model, const Basis::Columns& columns, Index node, double weight,
                    Eigen::MatrixXd* stiffness);

/// Phi^T field.
Coordinates pulled(const ReducedModel& model, std::span<const Vec3> field);
/// The coordinates whose field is nearest in the M norm: (Phi^T M Phi)^-1 Phi^T M field.
void project(const ReducedModel& model, std::span<const Vec3> field, Coordinates& out);

}  // namespace pliant::geometric
