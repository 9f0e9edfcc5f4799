// SPDX-License-Identifier: Apache-2.0
// The energy of linear elasticity seen from given rotations R_c of the cells, in double precision. With
// F_c = sum_I x_I g_I^T and G = R_c^T F_c - I:
//   E(x) = sum_c w_c [ mu |sym G - E_p|^2 + kappa |skew G|^2 + lambda/2 tr(sym G - E_p)^2 ]
// E_p the plastic strain. Its derivative by F_c is w_c P,
//   P = (mu + kappa) F + (mu - kappa) R F^T R + (lambda tr(R^T F) - 2 mu - 3 lambda) R - R (2 mu E_p + lambda
//   tr(E_p) I)
// "Stiffness warping" [ZJU06, Eqs. 9-11] at the cells: rotations that vary from place to place leave no net
// force, which those at nodes [Eq. 11] do. kappa holds the spin that given rotations leave free. At polar
// rotations skew G = 0, and E is the corotational energy.
#pragma once

#include <span>

#include "pliant/methods/meshless/model.hpp"
#include "pliant/methods/meshless/state.hpp"

namespace pliant::meshless {

Mat3 deformation_gradient(const Cells& cells, Index cell, std::span<const Vec3> x);

/// Of the cell; any but zero makes a rotation.
Eigen::Quaterniond quaternion(const PackedCells::Quaternions& q, Index cell);
void set_quaternion(PackedCells::Quaternions& q, Index cell, const Eigen::Quaterniond& value);

double energy(const Model& model, const PackedCells::Quaternions& q, const AlignedVector<double>& flow,
              std::span<const Vec3> x);

/// The same with the polar rotations of x, from the warm starts q.
double polar_energy(const Model& model, const PackedCells::Quaternions& q, const AlignedVector<double>& flow,
                    std::span<const Vec3> x);
/// dE/dx; `polar`: at the polar rotations of x, where their change drops out of it.
void gradient(const Model& model, const PackedCells::Quaternions& q, const AlignedVector<double>& flow,
              bool polar, std::span<const Vec3> x, std::span<Vec3> out);

/// The energy at the polar rotations of every cell: what any state costs, however its rotations were chosen.
double corotational_energy(const Model& model, std::span<const Vec3> x);

/// Smallest det F of the cells.
double least_jacobian(const Model& model, std::span<const Vec3> x);

/// [Mueller02] Rows turned by their own node: out_i = sum_c w_c P(R_i, F_c) g_i, P as above. rest: forces at
/// x; else the matrix alone, which plastic strain does not change.
void row_forces(const Model& model, std::span<const Mat3> turned, const AlignedVector<double>& flow,
                bool rest, std::span<const Vec3> x, std::span<Vec3> out);

/// Plastic stress 2 mu E_p + lambda tr(E_p) I in the layout of the strain.
void plastic_stress(const Model& model, const AlignedVector<double>& flow, AlignedVector<double>& stress);

}  // namespace pliant::meshless
