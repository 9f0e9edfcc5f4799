// SPDX-License-Identifier: Apache-2.0
// Plastic flow of the edge rows [Huang06, Sec. 3.3, Eq. 6], after a step:
//   e_ij = R_i^T (x_j - x_i),  rho = |e_ij - d_ij|/|d_ij|
//   rho > yield:  d_ij += kappa (e_ij - d_ij),  kappa by physics/plasticity.hpp
// The paper prints the same rho, but lets d_ij flow along x_j - x_i - d_ij, without R_i^T: rest edges of the
// body's frame go towards edges of the world's. A body that only turns has rho = 0 and keeps its shape; where a
// part is turned and yields, rho need not fall. `printed` keeps that form for comparison.
//
// Clay, wax and metals keep their volume as they flow; rows that flow one by one do not (a bar stretched by a
// fifth kept 1.18 of its volume). So a star with a volume flows as a whole, towards its shape without the change of volume:
//   F = (sum_j a_ij e_ij X_ij^T)(sum_j a_ij X_ij X_ij^T)^-1, X_ij = X_j - X_i,  J = det F,  e'_ij = J^(-1/3) e_ij,  rho = max_j |e'_ij - d_ij|/|d_ij|
//   rho > yield:  d_ij += kappa (e'_ij - d_ij), and all are scaled alike so that they keep the star's first volume
// Stars without one (of sheets and wires) flow row by row, as `rows` and `printed` do.
//
// d_ij and d_ji, the two rows of one edge, flow each in its owner's frame. Weights do not change, so K does
// not either; sums of rows stay zero, so momentum is kept.
#pragma once

#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// What the cap leaves to flow, of a rest length, is not worth a change.
inline constexpr double no_plastic_change = 1e-9;

/// Lets the rows of a node flow. Returns how many did. The flow of a star as a whole is shortened where it would
/// raise the energy of the star, and does not happen where that does not help.
int flow_star(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index node,
              const Mat3& rotation, std::span<Vec3> rest_vectors);

/// Some node's star, as built, has a volume.
bool has_solid_stars(const Model& model);

/// Where no row of a star is strained by this share of yield, none flows: taking the change of volume out can
/// add as much strain again to a row.
inline constexpr double strain_without_volume = 0.45;

/// Lets row k of a node flow by itself; false when it does not.
bool flow_row(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index node,
              Index k, const Mat3& rotation, Vec3& d);

/// X_j - X_i of every directed edge: where flow begins.
Points rest_vectors(const Model& model);

/// For every directed edge the index of the one that goes the other way.
std::vector<Index> opposite_edges(const Adjacency& adjacency);

}  // namespace pliant::geometric
