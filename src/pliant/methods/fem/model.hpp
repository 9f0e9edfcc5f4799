// SPDX-License-Identifier: Apache-2.0
// Elements on hexahedral cells or on the tetrahedra that fill a mesh, immutable after build.
//
// Tetrahedra: a hexahedron splits into five in two ways: a large one on every other corner and four at the
// corners that are left, or the same on the other corners. Either way alone prefers some diagonals. Each cell
// takes both at half weight: every face has both its diagonals, no direction is preferred, neighbouring cells
// need not agree on a pattern, and on a lattice it is the mean of the two chequerboard meshes.
//
// Tetrahedra of a mesh (geometry/tetrahedral_shape.hpp) count with the material in them.
//
// Hexahedra: trilinear shape functions, two Gauss points along every axis. A Gauss point is to the rest of
// the method what a tetrahedron is: a place where F = sum_a x_a gradient_a^T is measured, with a volume. In a
// cell that material fills in part, each has the material of its eighth of the cell.
#pragma once

#include <span>

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/fem/options.hpp"

namespace pliant::fem {

/// A tetrahedron (4 corners) or a quadrature point of a hexahedron (8).
struct Element {
  std::span<const Index> node;
  std::span<const Vec3> gradient;  ///< of the shape functions at rest, 1/m: F = sum_a x_a gradient_a^T
  double weight = 0;               ///< material volume it stands for, m^3
};

struct Model {
  Points rest;               ///< X, m: of the nodes with freedom, then of the followers
  std::vector<double> mass;  ///< lumped, kg; 0 for followers
  Gather followers;          ///< the last nodes from those before
  double lambda = 0;         ///< Lame: E nu / ((1 + nu)(1 - 2 nu)), Pa
  double mu = 0;             ///< Lame: E / (2 (1 + nu)), Pa
  double hold = 0;           ///< stiffness of all held nodes together where holds are soft, N/m
  bool corotational = true;
  /// One byte an element: its R is what the state says (rig.hpp), not its nearest rotation; empty: none is.
  std::vector<unsigned char> given_rotation;
  double size = 0;  ///< diagonal of the bounding box at rest, m

  int corners = 4;            ///< of an element
  int elements_per_cell = 0;  ///< cell by cell
  std::vector<Index> node;    ///< `corners` of every element
  Points gradient;            ///< the same
  std::vector<double> weight;

  std::vector<std::vector<Index>> parts;  ///< nodes with freedom that elements join

  // The elements around node i: corner[k] = corners * element + place in it, for k in [begin[i], begin[i +
  // 1]).
  std::vector<Index> begin, corner;

  Index nodes() const { return Index(rest.size()); }
  Index carriers() const { return nodes() - followers.rows(); }  ///< nodes with freedom
  Index elements() const { return Index(weight.size()); }
  Element element(Index e) const {
    const std::size_t first = std::size_t(corners) * std::size_t(e), count = std::size_t(corners);
    return {{node.data() + first, count}, {gradient.data() + first, count}, weight[std::size_t(e)]};
  }
  bool has_given_rotations() const { return !given_rotation.empty(); }
  bool is_given(Index e) const { return has_given_rotations() && given_rotation[std::size_t(e)] != 0; }
  std::size_t element_bytes() const {
    return std::size_t(corners) * (sizeof(Index) + sizeof(Vec3)) + sizeof(double);
  }
};

/// Masses are density times the volumes of the graph: lumped. Problems are placed relative to the body.
Result<Model> make_model(const Shape& shape, double density, const Options& options);

}  // namespace pliant::fem
