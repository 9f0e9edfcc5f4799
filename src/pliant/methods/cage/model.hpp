// SPDX-License-Identifier: Apache-2.0
// What does not change about a caged body. N vertices and T faces of the cage; Z = [x_1 .. x_N | y_1 .. y_T];
// b(X) = [phi | psi] and its gradient at every point (geometry/green_coordinates.hpp):
//   place of a point  Z b,   deformation gradient  F = Z G
#pragma once

#include <algorithm>

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
  Gather contact;  ///< points that meet other bodies, from nodes; no rows = the surface vertices

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

  double hold_stiffness = 0;          ///< of a pin or handle as a whole, N/m
  double opening = 0;                 ///< of a face that closes (open_faces.hpp), J
  double fictitious_mass = 0;         ///< of a vertex of the cage, kg; it has no weight
  AlignedVector<double> mass_blocks;  ///< mass as the kernels read it: [batch][row][16]

  PointFields<double> twice;
  PointFields<float> single;  ///< empty in double precision

  // The faces around every vertex: face, corner of the vertex in it.
  std::vector<int> around_begin, around_face, around_corner;

  const Gather& contact_points() const { return contact.rows() > 0 ? contact : embedding; }
  Index n() const { return Index(cage.vertices.size()); }
  Index t() const { return Index(cage.triangles.size()); }
  Index rows() const { return n() + t(); }
  Index count() const { return Index(points.size()); }
  int batches() const { return (int(points.size()) + lanes - 1) / lanes; }
  int skin_batches() const { return (int(skin.size()) + lanes - 1) / lanes; }

  /// Entry `row` of the b of a node; of a node that rides along in single precision.
  double basis(Index row, Index node) const {
    const Index at = place[std::size_t(node)], s = ~at;
    return at >= 0 ? value(row, at)
                   : double(skin_value[std::size_t((s / lanes * rows() + row) * lanes + s % lanes)]);
  }

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

/// Z of a cage with vertices at x, seen along given axes: z = R^T [x - c | y].
void set_z(const Model& model, const Columns& x, const Vec3& c, const Mat3& rotation, Columns& z);

/// A matrix as the kernels read it: batches of 16 columns, [row][16].
AlignedVector<double> blocked(const Eigen::MatrixXd& m);

/// Calls put(row, (m z)_row) for the first `used` rows, m the mass of the first `used` entries of Z; z: three
/// numbers a row.
template <class Put>
void each_mass_row(const Model& model, Index used, const double* z, Put&& put) {
  const CageKernels<double>& kernel = kernels<double>();
  alignas(64) double product[3 * lanes];
  for (Index b = 0; b * lanes < used; ++b) {
    kernel.gather(model.mass_blocks.data() + std::size_t(b) * std::size_t(model.rows()) * lanes, int(used), z,
                  product);
    for (Index r = b * lanes; r < std::min((b + 1) * lanes, used); ++r) {
      const Index lane = r % lanes;
      put(r, Vec3(product[lane], product[lanes + lane], product[2 * lanes + lane]));
    }
  }
}

}  // namespace pliant::cage
