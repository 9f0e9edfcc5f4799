// SPDX-License-Identifier: Apache-2.0
// The constraints of `lattice: mesh`, on the graph of any shape:
//   lengths   its edges
//   areas     nodes two edges apart with two common neighbours: the other diagonal of two triangles, or of the
//             square, that a pair of edges spans; on a cubic lattice the face diagonals [Kelager05, Sec. 4.1]
//   volumes   the same pairs, squared [Kelager05, Sec. 6]
// and tetrahedra where the shape has no cells, for the orientation term (energy.hpp).
//
// Pascals. Directions n of all sets are taken as evenly spread. Uniform strain e then has, for S the sum of eta
// of the linear constraints in a volume V,
//   S <(n.e.n)^2> = S (2 e:e + (tr e)^2)/15:   isotropic, Poisson's ratio 1/4, Young's modulus E = S/(3 V)
// In the plane of a sheet E = 2 S/(3 V); along a rod E = 2 S/V. The lattice in pascals (calibration.hpp) has
// 3 lengths, 3 pillars, 6 face diagonals and 4 spatial diagonals a node, so that strengths mean the same when
//   S of lengths : areas : volumes = 3 (length + pillar) : 6 area : 4 volume
// Pillars are part of the lengths, with a strength in J, too. Each set is spread over its pairs by sum share H^2 = d V (body_graph.hpp), d
// the dimension: eta = (d + 1)/4 E share H^2 (part of the set). A cubic lattice gets the
// energy that it has by itself, exactly, at small strain. Directions of a body-centred lattice are not spread evenly:
// its energy is within 6 % of the continuum's.
#pragma once

#include "pliant/geometry/node_graph.hpp"
#include "pliant/methods/metric/model.hpp"

namespace pliant::metric {

/// Edges have a length; options.length > 0.
std::vector<EdgeConstraint> mesh_constraints(const NodeGraph& graph, const Options& options);

/// Four nodes that are all joined, a positive volume at rest, and no sliver. As cells whose corners coincide,
/// such that the six tetrahedra of cell_volume.hpp are this one.
std::vector<std::array<Index, 8>> tetrahedra(const NodeGraph& graph);

/// eta_J of each of the cells, J.
double mesh_orientation(const NodeGraph& graph, std::size_t cells, const Options& options);

}  // namespace pliant::metric
