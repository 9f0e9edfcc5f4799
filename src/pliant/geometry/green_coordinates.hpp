// SPDX-License-Identifier: Apache-2.0
// Green coordinates of points inside a closed triangle cage, and their gradients, in closed form.
//   x(X) = sum_i phi_i(X) x_i + sum_j psi_j(X) y_j,   y_j = s_j n_j the scaled normals of the faces
//   [Lipman08]
// For one triangle v_0 v_1 v_2 with unit outward normal n and a point X (edge k runs from v_k to v_k+1):
//   r_k = v_k - X, rho_k = |r_k|, A2 = twice the area, d = n . r_0 (> 0 on the inner side)
//   l, t = length and direction of an edge, m = t x n, h = m . r_k, a = r_k, b = r_k+1
//   q = rho_a rho_b + a . b, without cancellation |a x b|^2/(rho_a rho_b - a . b) where a . b < 0
//   L = log1p(l (rho_a + rho_b + l)/q) = int 1/r,   J = l (rho_a + rho_b)/(rho_a rho_b q) = int 1/r^3
//   e = d n + h m,   grad L = e J + t (1/rho_a - 1/rho_b)
//   Omega = 2 atan2(d A2, rho_0 rho_1 rho_2 + (r_0.r_1) rho_2 + (r_1.r_2) rho_0 + (r_2.r_0) rho_1)
//   [Oosterom83] V = sum_k m_k L_k,   grad Omega = -sum_k (t_k x e_k) J_k psi   = (sum_k h_k L_k - d
//   Omega)/(4 pi),   grad psi = (n Omega - V)/(4 pi) phi_i += c_i (h_o Omega + d m_o . V)/(4 pi),  o the edge
//   opposite to i, c_i = l_o/A2 grad phi_i += c_i (-m_o Omega + h_o grad Omega - n (m_o . V) + d sum_k (m_o .
//   m_k) grad L_k)/(4 pi)
// No case is special for a point inside: in the plane of a face or on the line of an edge everything stays
// finite. The signs are those of Lipman, Levin and Cohen-Or with G = -1/(4 pi r); then sum phi = 1, psi > 0.
// On the cage itself the gradient is singular at edges: keep points away from it (green_clearance).
#pragma once

#include <Eigen/Core>
#include <span>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Column p belongs to point p; rows are the vertices of the cage, then its faces.
struct GreenCoordinates {
  Eigen::MatrixXd value;     ///< [phi; psi], (vertices + faces) x points
  Eigen::MatrixXd gradient;  ///< the same by X: columns 3 p .. 3 p + 2; empty when not asked for
};

enum class Gradients { no, yes };

/// The cage must be closed with outward faces, none without area (check_cage tells). Points should be inside;
/// for points outside, phi sums to 0 instead of 1.
GreenCoordinates green_coordinates(const TriMesh& cage, std::span<const Vec3> points,
                                   Gradients gradients = Gradients::yes);

/// Points nearer to the cage than this share of the diagonal of its bounding box are refused: near an edge
/// the error of the identities grows as 1e-17 over the distance and the gradient as its logarithm.
inline constexpr double green_clearance = 1e-6;

/// Unit outward normals of the faces: the y_j at rest.
Points face_normals(const TriMesh& cage);

}  // namespace pliant
