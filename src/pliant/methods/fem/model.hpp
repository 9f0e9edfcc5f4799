// SPDX-License-Identifier: Apache-2.0
// Linear tetrahedra on hexahedral cells, immutable after build.
//
// A hexahedron splits into five tetrahedra in two ways: a large one on every other corner and four at the
// corners that are left, or the same on the other corners. Either way alone prefers some diagonals. Each cell
// takes both at half weight: every face has both its diagonals, no direction is preferred, neighbouring cells
// need not agree on a pattern, and on a lattice it is the mean of the two chequerboard meshes.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/node_graph.hpp"
#include "pliant/methods/fem/options.hpp"

namespace pliant::fem {

inline constexpr int tets_per_cell = 10;

struct Tet {
  std::array<Index, 4> node;
  std::array<Vec3, 4> gradient;  ///< of the shape functions at rest, 1/m: F = sum_a x_a gradient_a^T
  double weight = 0;             ///< material volume it stands for, half its own, m^3
};

struct Model {
  Points rest;               ///< X, m
  std::vector<double> mass;  ///< lumped, kg
  std::vector<Tet> tets;     ///< tets_per_cell of every cell, cell by cell
  double lambda = 0;         ///< Lame: E nu / ((1 + nu)(1 - 2 nu)), Pa
  double mu = 0;             ///< Lame: E / (2 (1 + nu)), Pa
  bool corotational = true;
  double size = 0;  ///< diagonal of the bounding box at rest, m

  // The tetrahedra around node i: corner[k] = 4 * tet + place in it, for k in [begin[i], begin[i + 1]).
  std::vector<Index> begin, corner;

  Index nodes() const { return Index(rest.size()); }
};

/// Masses are density times the volumes of the graph: lumped. Problems are placed relative to the body.
Result<Model> make_model(const NodeGraph& graph, double density, const Options& options);

}  // namespace pliant::fem
