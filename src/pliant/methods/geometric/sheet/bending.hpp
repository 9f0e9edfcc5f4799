// SPDX-License-Identifier: Apache-2.0
// Second derivatives on a triangulated surface: for every triangle a linear form of node positions whose three
// components (uu, vv, sqrt(2) uv) are the curvature in the plane of the triangle, so that their square sum is
// the Frobenius norm. Applied to x, y and z alike, and to rest positions of any shape.
//
// Triangle of corners 0, 1, 2 at u_v in its plane, area A, barycentric functions phi_v. Edge k is opposite
// corner k, from i = k + 1 to j = k + 2 (mod 3): length l_k, direction t_k, outward normal n_k, midpoint m_k.
//   1. Corners across the edges are unfolded into the plane: u_3+k. Where several triangles are across an edge
//      (a joint of three and more), what follows is their mean.
//   2. mon(u) = (u^2/2, v^2/2, u v/sqrt(2)); b barycentric coordinates of u_3+k:
//      r_k = x_q - sum_v b_v x_v,  Q_k = mon(u_3+k) - sum_v b_v mon(u_v),  both over |Q_k|; 0 at a border
//   3. Quadratic interpolation of the six points: kappa6 = (Q^T Q + delta^2)^-1 Q^T r. delta keeps points near a
//      conic tame; at borders it gives the least curvature.
//   4. Normal derivative at m_k as the triangle sees it:
//      y_k = sum_v (n_k . grad phi_v) x_v + [(d mon/du)(m_k) n_k - sum_v (n_k . grad phi_v) mon(u_v)] . kappa6
//   5. Shared by the triangles at the edge: y_e = (y of this one - mean y of the others)/2, outward.
//   6. kappa = 1/A sum_k [l_k y_e nn_k + (x_j - x_i) nt_k],  nn = n n^T, nt = sym(n t^T) as vectors
// Shared values make constant moments do no work inside (force patch test), and exactness for quadratics makes
// constant curvature exact. At a border y_e is what costs least: it drops out of a modulus C projected by
//   C <- C - (C nn)(C nn)^T / (nn . C nn)
#pragma once

#include "pliant/geometry/node_graph.hpp"

namespace pliant::geometric {

/// A linear form with values in R^3: sum of weight * x_node; nodes may repeat.
struct CurvatureForm {
  struct Term {
    Index node = 0;
    Vec3 weight{0, 0, 0};
  };
  std::vector<Term> terms;      ///< empty: the triangle has no bending rows
  Mat3 modulus = Mat3::Zero();  ///< C after its borders; energy density D/2 kappa . C kappa
};

/// A triangle in its own plane.
struct FlatTriangle {
  double area = 0;  ///< 0: too thin to have a plane
  Eigen::Vector2d corner[3], gradient[3];
  Vec3 axis[2];  ///< of the plane, in space
};
FlatTriangle flatten(const Points& x, const Triangle& triangle);

/// One form a triangle.
std::vector<CurvatureForm> curvature_forms(const Points& rest, const std::vector<Triangle>& triangles,
                                           double poisson);

}  // namespace pliant::geometric
