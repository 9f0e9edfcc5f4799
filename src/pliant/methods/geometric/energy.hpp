// SPDX-License-Identifier: Apache-2.0
// The geometric energy in double precision, written for reading: what the step's single-precision kernels
// are measured against; used for reported energies and forces, statics and tests. Equations in model.hpp.
//
// With the consistent covariance A_i = sum over the rows of i of lambda_k (s_k x) d_k^T the rotation
// R_i = argmax tr(R^T A_i) minimises V at fixed x, so that
//   g(x) = S^T Lambda (S x - R d)                                                           [Huang06, Eq. 5]
// is the exact gradient of V. With the paper's covariance, sum_j m_j^2 (x_j - x_i)(X_j - X_i)^T, it is not.
//
// Where d is an argument it holds the rest vectors of the edges after plastic flow (plastic_flow.hpp).
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "pliant/math/symmetric_matrix.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

using Rotations = std::vector<Eigen::Quaterniond>;  ///< one an owner of rows

/// Of a node, or of an element of a sheet.
Mat3 covariance(const Model& model, std::span<const Vec3> x, Index owner, RestVectors d = {});

/// R_i(x), from the warm start that is in `rotations`.
void update_rotations(const Model& model, std::span<const Vec3> x, Rotations& rotations, RestVectors d = {});

double energy(const Model& model, std::span<const Vec3> x, const Rotations& rotations, RestVectors d = {});
/// What the relief of a node's star leaves out of the energy of its edge rows (model.hpp).
double relieved_energy(const Model& model, std::span<const Vec3> x, Index node, RestVectors d = {});

void gradient(const Model& model, std::span<const Vec3> x, const Rotations& rotations, std::span<Vec3> out,
              RestVectors d = {});

/// S^T Lambda (S x - T d) for any 3x3 T_i in place of R_i, less the relief; without volume rows.
void row_forces(const Model& model, std::span<const Vec3> x, std::span<const Mat3> tensors,
                std::span<Vec3> out, RestVectors d = {});

/// The turn w = J axial(R^T A) of a star, zero at R = R(A), and the change dR = R [w]x by it.
Vec3 star_turn(const Mat3& slew, const Mat3& r, const Mat3& a);
Mat3 turned(const Mat3& r, const Vec3& w);

/// K = S^T Lambda S, the same for x, y and z: constant, singular only for translations. Laplacian rows make
/// it reach two rings.
SymmetricMatrix stiffness_matrix(const Model& model);

/// The model Hessian of V with the rotations' own motion taken from the star at rest, semidefinite in every
/// state and never above K:
///   dA_i = sum of lambda_k (s_k p) d_k^T,  w_i = J_i axial(R_i^T dA_i),  dR_i = R_i [w_i]x
///   out = S^T Lambda (S p - dR d), of volume rows with dT (volume_target.hpp) for dR
/// Volume targets that are not given are the rotations: zero strain. Sheets have their own (sheet/energy.hpp).
void hessian_product(const Model& model, const Rotations& rotations, std::span<const Vec3> p,
                     std::span<Vec3> out, RestVectors d = {}, std::span<const Mat3> targets = {});

/// The volume targets at x; empty without volume rows.
std::vector<Mat3> volume_targets(const Model& model, std::span<const Vec3> x, RestVectors d = {});

}  // namespace pliant::geometric
