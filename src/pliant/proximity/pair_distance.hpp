// SPDX-License-Identifier: Apache-2.0
// Closest points of a vertex and a triangle, and of two edges. Four points in all: side A is the vertex or
// the first edge, side B the triangle or the second edge. Every input has an answer, also edges and triangles
// without extent, parallel and collinear edges.
#pragma once

#include <array>
#include <cstdint>

#include "pliant/base/types.hpp"

namespace pliant {

/// Vertex-triangle: the vertex, then the three corners. Edge-edge: the ends of one edge, then of the other.
using PairPoints = std::array<Vec3, 4>;

enum class PairKind : std::uint8_t { vertex_triangle, edge_edge };

/// What the two closest points lie on.
enum class PairFeature : std::uint8_t { vertex_vertex, vertex_edge, vertex_triangle, edge_edge };

/// Closest points p on side A and q on side B:
///   p - q = sum over k of weight_k x_k,
///   weights (1, -b1, -b2, -b3) of vertex-triangle and (1 - s, s, -(1 - t), -t) of edge-edge.
/// A weight is exactly 0 where its point is not part of the feature, and not 0 where it is.
struct ClosestPoints {
  double distance = 0;             ///< |p - q|, m
  Vec3 difference{0, 0, 0};        ///< p - q, m; over `distance` it is the normal from B to A
  std::array<double, 4> weight{};  ///< side A sums to 1, side B to -1
  PairFeature feature = PairFeature::vertex_vertex;
};

/// Errors of distance and points are a few roundings of the largest edge or distance among the points, however
/// thin the triangle. The points of a needle and of parallel edges may slide where the distance hardly changes.
ClosestPoints vertex_triangle_closest(const PairPoints& x);
ClosestPoints edge_edge_closest(const PairPoints& x);
ClosestPoints closest_points(PairKind kind, const PairPoints& x);

/// Squared sine of the angle between edges x0 x1 and x2 x3, 0 when one of them has no length. Contact makes no
/// edge-edge row of nearly parallel edges: rows of their ends hold them apart.
double squared_sine_of_edges(const PairPoints& x);

}  // namespace pliant
