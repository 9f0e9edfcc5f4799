// SPDX-License-Identifier: Apache-2.0
// What does not change about a caged body. N vertices and T faces of the cage; Z = [x_1 .. x_N | y_1 .. y_T];
// b(X) = [phi | psi] and its gradient at every point (geometry/green_coordinates.hpp):
//   place of a point  Z b,   deformation gradient  F = Z G
#pragma once

#include "pliant/base/aligned.hpp"
#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/cage/cage_kernels.hpp"
#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/cage/scaled_normals.hpp"

namespace pliant::cage {

/// Gradients at the quadrature points as the kernels read them, in one precision.
template <class T>
struct PointFields {
  AlignedVector<T> gradient;             ///< [batch][row][3][16], row = vertex or N + face
  AlignedVector<T> by_point;             ///< of the vertices: [point][3][16 zeros, N, 16 zeros]
  AlignedVector<T> weight, root_weight;  ///< m^3 and its root; 0 in lanes without a point

  const T* batch(int b, Index rows) const {
    return gradient.data() + std::size_t(b) * std::size_t(rows) * 3 * lanes;
  }
};

struct Model {
  TriMesh cage;  ///< at rest
  std::vector<FaceRest> faces;
  Columns rest;          ///< Z at rest from the centre of the cage: vertices - centre | normals
  Vec3 centre{0, 0, 0};  ///< mean of the cage's vertices at rest

  Points nodes;                   ///< at rest
  std::vector<double> node_mass;  ///< kg
  std::vector<Index> points;      ///< the nodes that are quadrature points (those with mass)
  std::vector<Index> skin;        ///< the other nodes
  std::vector<Index> place;       ///< of a node: index into points, or ~index into skin
  Gather embedding;               ///< surface vertices from nodes

  std::vector<double> weight;  ///< of the quadrature points, m^3
  Eigen::MatrixXd value;       ///< b of the quadrature points, (N + T) x Q
  Eigen::MatrixXd fit;         ///< cage vertices from the quadrature points' places, N x Q; see fit_matrix()
  AlignedVector<float> skin_value;  ///< b of the other nodes as the kernels read them: [batch][row][16]
  Eigen::MatrixXd mass;             ///< sum of rho w b b^T, (N + T) x (N + T), kg
  Eigen::VectorXd mass_sum;         ///< sum of rho w b, kg
  Eigen::MatrixXd laplacian;        ///< sum of w grad phi_i . grad phi_j, N x N, m
  double total_mass = 0;            ///< kg
  double volume = 0;                ///< of the quadrature points, m^3
  double size = 0;                  ///< largest edge of the bounding box, m
  double mu = 0, lambda = 0;        ///< Pa

  PointFields<double> twice;
  PointFields<float> single;  ///< empty in double precision

  // The faces around every vertex: face, corner of the vertex in it.
  std::vector<int> around_begin, around_face, around_corner;

  Index n() const { return Index(cage.vertices.size()); }
  Index t() const { return Index(cage.triangles.size()); }
  Index rows() const { return n() + t(); }
  Index count() const { return Index(points.size()); }
  int batches() const { return (int(points.size()) + lanes - 1) / lanes; }
  int skin_batches() const { return (int(skin.size()) + lanes - 1) / lanes; }

  template <class T>
  const PointFields<T>& fields() const;
};
template <>
inline const PointFields<float>& Model::fields() const {
  return single;
}
template <>
inline const PointFields<double>& Model::fields() const {
  return twice;
}

/// Nodes with volume are quadrature points, the others ride along (geometry/voxel_quadrature.hpp makes such
/// shapes). The cage must pass check_cage for all nodes; what is wrong is told.
Result<Model> make_model(const Shape& shape, TriMesh cage, double density, const Options& options);

/// A matrix as the kernels read it: batches of 16 columns, [row][16].
AlignedVector<double> blocked(const Eigen::MatrixXd& m);

/// The b of any node, exact: for holds.
Eigen::VectorXd node_value(const Model& model, Index node);

}  // namespace pliant::cage
