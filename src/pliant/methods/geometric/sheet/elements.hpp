// SPDX-License-Identifier: Apache-2.0
// The rows of a thin sheet: of the kind of model.hpp, but owned by triangles instead of nodes. Each triangle
// has one rotation, two membrane rows and up to three bending rows:
//   V(x) = 1/2 sum_k lambda_k |s_k x - R_o(k) d_k|^2,   d_k = s_k X,   R_T nearest to A_T = sum lambda_k (s_k x) d_k^T
// An edge row sees the rotations of both its ends and so resists bending with its full stretching stiffness;
// a membrane row sees one rotation only, and bending costs what the bending rows say.
//
// Membrane: s_1, s_2 the two components of the gradient, lambda = E t A. Young's modulus E, Poisson's ratio 0,
// on any triangulation, without clamped cotangents.
// Bending: curvature of the triangle by the divergence theorem from one normal derivative an edge, shared by
// the triangles at the edge (Morley's element), which comes from quadratic interpolation of both patches of six
// points (rotation-free triangles EBST [Flores05]); lambda = D A, D = E t^3 / (12 (1 - nu^2)).
// sheet/bending.hpp has the formulas. Coefficients that triangles of no height or spacings far below the
// thickness would make huge are capped (elements.cpp).
//
// An edge without a triangle (a wire) is an element, too: its own row and those of the edges at its ends, so
// that it is welded to them. The sides of a triangle without area are such wires, weak ones.
#pragma once

#include <span>

#include "pliant/geometry/node_graph.hpp"

namespace pliant::geometric {

/// What a sheet is made of.
struct SheetMaterial {
  double stretch = 0;  ///< E t, N/m, > 0
  double bend = 0;     ///< D, N m, >= 0
  double poisson = 0;  ///< nu of bending, 0 to 1/2
};

/// Immutable. Weights are inside: rows are sqrt(lambda_k) s_k, their rest vectors sqrt(lambda_k) d_k.
struct SheetElements {
  std::vector<Index> begin{0};  ///< first member of every element, and the end
  std::vector<Index> node;      ///< of every member
  /// The rotation of an element depends on so many of its members, the first ones: at flat rest the three
  /// corners, else all.
  std::vector<Index> turning;
  /// One byte an element: a triangle at flat rest. Its first two rows are those of the membrane, and only they
  /// have rest vectors: sqrt(lambda) times the axes of its plane.
  std::vector<unsigned char> flat;
  std::vector<std::size_t> row_begin{0};  ///< first row of every element, and the end
  Points rest;                            ///< of every row: sqrt(lambda) d
  std::vector<std::size_t> coefficient_begin{0};
  std::vector<double> coefficient;  ///< of an element: row by row, sqrt(lambda) s at each member
  Points arm;  ///< of every member v: c_v = sum_k lambda_k s_kv d_k; A = sum_v x_v c_v^T, and they sum to 0
  std::vector<Mat3> inertia;  ///< G0 = tr(B) I - B, B = sum_k lambda_k d_k d_k^T, of every element

  /// One element.
  struct View {
    std::span<const Index> node;
    Index turning = 0;
    std::span<const Vec3> rest;           ///< one a row
    std::span<const double> coefficient;  ///< rows x members
    std::span<const Vec3> arm;            ///< one a member

    Index members() const { return Index(node.size()); }
    Index rows() const { return Index(rest.size()); }
    double at(Index row, Index member) const { return coefficient[std::size_t(row) * node.size() + member]; }
  };

  Index count() const { return Index(turning.size()); }
  View operator[](Index e) const;
};

/// The graph has triangles (geometry/surface_graph.hpp). An edge of three and more triangles welds them.
SheetElements make_sheet_elements(const NodeGraph& graph, const SheetMaterial& material);

}  // namespace pliant::geometric
