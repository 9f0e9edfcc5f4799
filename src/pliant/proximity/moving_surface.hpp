// SPDX-License-Identifier: Apache-2.0
// A triangle surface on its way through a step: its edges, and boxes around where its vertices, edges and
// triangles pass. Vertices without a triangle are no part of it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/proximity/box_tree.hpp"

namespace pliant {

using SurfaceEdge = std::array<Index, 2>;

inline bool has_vertex(const Triangle& triangle, Index v) {
  return triangle[0] == v || triangle[1] == v || triangle[2] == v;
}

class MovingSurface {
 public:
  MovingSurface(std::span<const Vec3> rest, std::span<const Triangle> triangles);

  /// The ways are straight. Boxes reach `grow` (m) beyond them on all sides: two surfaces find each other up to
  /// the sum of both. One of the two lists may be the other. Allocates nothing.
  void refit(std::span<const Vec3> begin, std::span<const Vec3> end, double grow);

  std::span<const Triangle> triangles() const { return triangles_; }
  /// Every edge once, its lower vertex first, sorted. Edges of a vertex with itself are left out.
  std::span<const SurfaceEdge> edges() const { return edges_; }

  /// What the pair searches read. Each vertex and edge belongs to the first triangle that has it, so that
  /// overlapping triangles list their vertices and edges once.
  const BoxTree& tree() const { return tree_; }
  std::span<const Index> own_vertices(Index triangle) const;
  std::span<const Index> own_edges(Index triangle) const;
  const MotionBox& vertex_box(Index vertex) const { return boxes_[std::size_t(vertex)]; }
  MotionBox edge_box(Index edge) const;
  const MotionBox& triangle_box(Index triangle) const { return triangle_boxes_[std::size_t(triangle)]; }

 private:
  void bound(std::span<const Vec3> begin, std::span<const Vec3> end, double grow);

  std::vector<Triangle> triangles_;
  std::vector<SurfaceEdge> edges_;
  std::vector<Index> first_vertex_, own_vertices_;  ///< of triangle t: own_vertices_[first_vertex_[t]] ..
  std::vector<Index> first_edge_, own_edges_;
  std::vector<MotionBox> boxes_, triangle_boxes_;
  BoxTree tree_;
};

}  // namespace pliant
