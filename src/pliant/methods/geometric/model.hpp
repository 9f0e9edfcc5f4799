// SPDX-License-Identifier: Apache-2.0
// The rows of the geometric energy [Huang06, Eq. 3, 4], immutable after build. A row k has an owner node
// o(k), a stencil s_k whose coefficients sum to zero, a rest vector d_k = s_k X and a weight:
//   V(x) = 1/2 sum_k lambda_k |s_k x - R_o(k)(x) d_k|^2                                                (E)
// Edge rows: for every edge, from both ends, a_ij |x_j - x_i - R_i (X_j - X_i)|^2 / 2.
// Laplacian rows: for every node, lambda |l_i - R_i d_i|^2 / 2, l_i = s_i sum_j c_ij (x_j - x_i); c = 1 and
// s_i = 1/|N(i)| make it the mean over the neighbours.
// Volume rows: how far the gradient F_i of a node's star is from the nearest map T_i of determinant 1:
// w_i a_ij |(F_i - T_i) (X_j - X_i)|^2 / 2 (volume_target.hpp). Flat stars have w_i = 0.
// Relief: the share theta of the energy of a star's ripples is left out. A ripple is what no linear map of the
// star explains, x_j - x_i - F_i d_ij with F_i = A_i B_i^-1, the map that fits its edges best. Ripples have no
// strain. A body that bends has them all the same, second differences of its positions, and edge rows alone
// make it 1 + 3 r^2/N^2 too stiff with N cells through the thickness, r times as long as high. Some of their
// energy must stay: without it the nodes of a lattice could move to and fro at no cost (hourglass modes).
//   V -= 1/2 sum_i (sum_j theta_ij a_ij |x_j - x_i|^2 - tr(A_i Q_i A_i^T))
//   Q_i = B_i^-1 (sum_j theta_ij a_ij d_ij d_ij^T) B_i^-1
// which is a constant quadratic form, zero for every linear map: moduli and rotations stay what they are. It is
// the energy of the ripples where theta is the same for all edges of a star (Q = theta B^-1), or for all edges
// along one axis of a lattice, whose ripples do not meet. Row ij of star i then pulls with
//   a_ij ((1 - theta_ij) (x_j - x_i) - (R_i - A_i Q_i) d_ij)
// A sheet has none of these: its rows belong to triangles (sheet/elements.hpp), and its edges, of weight 0, only
// say which nodes are neighbours.
#pragma once

#include <optional>
#include <span>

#include "pliant/base/result.hpp"
#include "pliant/geometry/node_graph.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/methods/geometric/sheet/elements.hpp"

namespace pliant::geometric {

/// What a model is made of, in the caller's hands: tests and special bodies set weights directly.
struct Rows {
  Points rest;                          ///< X, m
  std::vector<double> mass;             ///< kg, > 0
  std::vector<NodeGraph::Edge> edges;   ///< a < b, sorted; share is not read
  std::vector<double> edge_weight;      ///< a_ij, N/m, one per edge, >= 0
  double laplacian_weight = 0;          ///< lambda of the Laplacian rows, N/m, >= 0
  std::vector<double> laplacian_share;  ///< c_ij, one per edge, >= 0; none = 1 everywhere
  std::vector<double> laplacian_scale;  ///< s_i, one per node, >= 0; none = 1 / sum_j c_ij
  double volume = 0;                    ///< w of the volume rows, >= 0
  std::vector<double> relief;           ///< theta, one per edge, in [0, 1); none = 0 everywhere
  Covariance covariance = Covariance::consistent;
  std::optional<SheetElements> sheet = {};  ///< rows of triangles; then all edge weights are 0
};

/// Rest vectors d_ij of the directed edges in the order of the adjacency; empty = as built, X_j - X_i.
using RestVectors = std::span<const Vec3>;

/// What a step asks of the edge rows of one node. B = sum_j a_ij d_ij d_ij^T.
struct Star {
  Vec3 sum;  ///< sum_j a_ij d_ij
  /// J = (tr(B) I - B)^-1, B with the node's Laplacian row: rotation of the star at rest per axial vector of
  /// its covariance.
  Mat3 slew;
  Mat3 shape;         ///< B^-1 by its trace; zero without volume rows and where the star is flat
  Mat3 relief;        ///< Q
  double compliance;  ///< tr(B^-1)
};

struct Model {
  Points rest;
  std::vector<double> mass;
  std::vector<NodeGraph::Edge> edges;
  std::vector<double> edge_weight;
  double laplacian_weight = 0;
  std::vector<double> laplacian_share, laplacian_scale;  ///< c, s; empty without Laplacian rows
  Covariance covariance = Covariance::consistent;
  std::optional<SheetElements> sheet;  ///< in place of all other rows

  Adjacency adjacency;
  Points laplacian_rest;            ///< d_i of the Laplacian rows
  std::vector<Star> stars;          ///< at the rest vectors as built
  std::vector<double> pull;         ///< per edge, half its entry in K: a_ij (1 + (w_i + w_j)/2), above H
  std::vector<double> volume_rows;  ///< w_i; empty without volume rows
  std::vector<double> relief;       ///< theta of the edges; empty without relief
  std::vector<char> relieved;       ///< stars that have it: flat ones have none
  std::vector<std::vector<Index>> parts;  ///< the nodes of each connected part, ascending
  std::vector<Index> part_of;             ///< the part of every node
  /// Of a sheet: g . A^-1 g below which a step is solved, kg m^2: all its mass moved by 1e-6 of its size.
  double negligible = 0;
  double edge_energy = 0;      ///< 2 sum pull |X_j - X_i|^2 over the edges, J: what K makes of the rest shape
  double stiffness_ratio = 0;  ///< max_i K_ii / (12 m_i), 1/s^2; a/m on a lattice

  Index nodes() const { return Index(rest.size()); }
  /// Owners of rows, each with one rotation: nodes, or the elements of a sheet.
  Index owners() const { return sheet ? sheet->count() : nodes(); }
  bool has_laplacian() const { return laplacian_weight > 0; }
  bool has_volume() const { return !volume_rows.empty(); }
  bool has_relief() const { return !relief.empty(); }
  bool is_relieved(Index i) const { return has_relief() && relieved[i]; }
  double relief_of(Index i, Index edge) const { return is_relieved(i) ? relief[edge] : 0; }
  /// Half of what x_j - x_i has in the forces of an edge, without the part by A_i: a_ij (1 - theta_ij), the mean of
  /// both stars.
  double linear_weight(Index edge) const {
    return edge_weight[edge] * (1 - (relief_of(edges[edge].a, edge) + relief_of(edges[edge].b, edge)) / 2);
  }
  /// The coefficient of directed edge k of node i in the node's Laplacian row, s_i c_ij.
  double laplacian_coefficient(Index i, Index k) const {
    return laplacian_scale[i] * laplacian_share[adjacency.edge[k]];
  }
  /// d_ij of the directed edge k of node i.
  Vec3 rest_vector(Index i, Index k, RestVectors d) const {
    return d.empty() ? Vec3(rest[adjacency.target[k]] - rest[i]) : d[k];
  }
};

/// Checks the rows and prepares what the step needs of them. Problems name the offending node or edge.
Result<Model> make_model(Rows rows);

Star star_of(const Model& model, Index node, RestVectors d);
/// The same from the sum, from B and from the sum of theta a d d^T.
Star star_of(const Model& model, Index node, const Vec3& sum, const Mat3& b, const Mat3& relieved);

/// B^-1; of a star that has become flat, on the directions it has.
Mat3 inverse_moment(const Mat3& b);

/// The weight of neighbour j's edge in the covariance of node i: a_ij (consistent), or m_j^2 as printed in
/// the paper [Huang06, Sec. 3.2].
double covariance_weight(const Model& model, Index edge, Index j);

}  // namespace pliant::geometric
