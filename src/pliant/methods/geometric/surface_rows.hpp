// SPDX-License-Identifier: Apache-2.0
// Rows of a surface whose vertices are the nodes: edge rows, cotangent Laplacian rows, or both, in units.
//
// A sheet of thickness t has edge rows a_ij = k c_ij, c the clamped cotangents (geometry/surface_graph.hpp).
// For one strain e everywhere they store k e^2 per area: k = E t / 2 makes it that of Young's modulus E,
// Poisson's ratio 0, on every mesh. Laplacian rows are the bending energy B/2 int |Lap x - R Lap X|^2 dA,
//   l_i = A_i^-1/2 sum_j c_ij (x_j - x_i),  A_i the area of a node,  lambda = B = E t^3 / 12,
// again on every mesh. (Normalised rows of one weight, as printed in [Huang06, Eq. 3], soften with h^2.)
//
// A closed surface with Laplacian rows stands for the solid inside: its mass is that of the volume V, and
// each kind of row by itself makes a ball store as much energy as the solid when it is stretched along any
// axis:
//   k = 3/4 E V/S,   B = 27/4 E (V/S)^3,   S the area.
//
// Operator sheet (preset shell) has other rows: sheet/elements.hpp.
//
// Second-ring edges, `bending` k times the mean c each, resist bending (and stretching along with it).
#pragma once

#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// What the settings mean on a surface.
struct SurfaceWeights {
  double edge = 0, laplacian = 0, bending = 0;
};

/// The operator after the preset.
Operator operator_of(const Options& options);

/// The model has Laplacian rows of a surface: they are stiff where they resist and soft where they only turn.
bool has_soft_rows(const Model& model, const Options& options);

/// Problems of settings that contradict each other.
Result<SurfaceWeights> surface_weights(const Options& options);

/// The surface stands for the solid inside it.
bool stands_for_solid(const NodeGraph& graph, const SurfaceWeights& weights);

/// Rows of operator sheet. Settings that have no meaning for them are problems.
Result<Rows> make_sheet_rows(const NodeGraph& graph, double density, const Options& options);

/// density in kg/m^3; the graph has triangles. Of every operator on surfaces.
Result<Rows> make_surface_rows(const NodeGraph& graph, double density, const Options& options);

}  // namespace pliant::geometric
