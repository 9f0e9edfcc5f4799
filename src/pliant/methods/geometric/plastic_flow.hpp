// SPDX-License-Identifier: Apache-2.0
// Plastic flow of the edge rows [Huang06, Sec. 3.3, Eq. 6], after a step:
//   e_ij = R_i^T (x_j - x_i),  rho = |e_ij - d_ij|/|d_ij|
//   rho > yield:  d_ij += kappa (e_ij - d_ij),  kappa by physics/plasticity.hpp
// The paper prints x_j - x_i without R_i^T: that pushes rest edges of the body's frame towards edges of the
// world's, and a turned body flows for ever with no load. `printed` keeps that form for comparison.
//
// d_ij and d_ji, the two rows of one edge, flow each in its owner's frame. Weights do not change, so K does
// not either; sums of rows stay zero, so momentum is kept.
#pragma once

#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// What the cap leaves to flow, of a rest length, is not worth a change.
inline constexpr double no_plastic_change = 1e-9;

/// Lets the rows of a node flow. Returns how many did. Volume rows hold what volume the rest vectors say, at
/// any shape: rows that flow one by one would change it and drive the body apart. With them a star's flow
/// keeps its volume (all its rest vectors are scaled alike), is shortened where it would raise the energy of
/// the star, and does not happen where that does not help.
int flow_star(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index node,
              const Mat3& rotation, std::span<Vec3> rest_vectors);

/// Lets row k of a node flow by itself; false when it does not.
bool flow_row(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index node,
              Index k, const Mat3& rotation, Vec3& d);

/// X_j - X_i of every directed edge: where flow begins.
Points rest_vectors(const Model& model);

/// For every directed edge the index of the one that goes the other way.
std::vector<Index> opposite_edges(const Adjacency& adjacency);

}  // namespace pliant::geometric
