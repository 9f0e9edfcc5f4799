// SPDX-License-Identifier: Apache-2.0
// The geometric energy in the space x = X + Phi Z                                      [Huang06, Eq. 7]
//   V(Z) = sum_i weight_i V_i,  V_i the rows that node i owns
//   C_i  = sum over the rows of i of lambda_k (s_k Phi)^T d_k^T           k x 3, constant
//   A_i  = A_i(X) + Z^T C_i
//   dV/dZ = K Z + sum_i C_i (1 - R_i^T)          because  Phi^T K_full X = sum_i C_i
// so that the same 3k numbers a node serve the covariance and the gradient, no neighbour is read, and nothing
// large cancels. With all nodes and weights 1 it is the energy of the full body in the space; a few nodes
// with trained weights (cubature.hpp) are another energy of the same kind: as conservative, and blind to
// rigid motion.
#pragma once

#include <Eigen/Core>

#include "pliant/base/aligned.hpp"
#include "pliant/methods/geometric/reduced/basis.hpp"

namespace pliant::geometric {

using Coordinates = Eigen::Matrix<double, Eigen::Dynamic, 3>;  ///< Z: one row a column of Phi

/// Nodes that stand for all, each with a weight > 0, ascending.
struct Cubature {
  std::vector<Index> nodes;
  std::vector<double> weights;
};
Cubature every_node(const Model& model);

struct ReducedModel {
  Eigen::MatrixXd mass, stiffness;  ///< Phi^T M Phi, kg; sum of weight_i K_i, N/m
  Cubature cubature;
  AlignedVector<float> pull, rest, slew;  ///< as ReducedArrays has them, weights included
  int batches = 0;
  double stiffness_ratio = 0;  ///< as in Model

  // The body as a whole, X from its centre of mass: sums over the nodes of m ...
  double total_mass = 0;
  Vec3 centre{0, 0, 0};
  Mat3 second = Mat3::Zero();       ///< ... X X^T
  Coordinates moment;               ///< ... Phi X
  Eigen::VectorXd sum;              ///< ... Phi
  Coordinates rest_coordinates;     ///< X in the space, as near as it can be: mass^-1 moment
  Eigen::VectorXd one_coordinates;  ///< the function 1 likewise

  int columns() const { return int(mass.rows()); }
};

ReducedModel make_reduced_model(const Model& model, const Basis& basis, Cubature cubature);

/// C_i without weight, k x 3, and adds weight K_i to the stiffness when there is one.
Coordinates pull_of(const Model& model, const Basis::Columns& columns, Index node, double weight,
                    Eigen::MatrixXd* stiffness);

}  // namespace pliant::geometric
