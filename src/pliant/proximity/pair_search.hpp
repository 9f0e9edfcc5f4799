// SPDX-License-Identifier: Apache-2.0
// Which vertices and triangles, and which edges, of two moving surfaces or of one with itself may come near
// each other: those whose boxes overlap, each pair once.
#pragma once

#include <span>
#include <vector>

#include "pliant/proximity/moving_surface.hpp"
#include "pliant/proximity/pair_distance.hpp"

namespace pliant {

/// Each list is sorted.
struct PairCandidates {
  std::vector<IndexPair> vertex_triangle;  ///< vertex of the first surface, triangle of the second
  std::vector<IndexPair> triangle_vertex;  ///< triangle of the first, vertex of the second; within one: none
  std::vector<IndexPair> edge_edge;        ///< edge of the first, edge of the second; within one: ascending

  std::size_t size() const { return vertex_triangle.size() + triangle_vertex.size() + edge_edge.size(); }
  void clear() { vertex_triangle.clear(), triangle_vertex.clear(), edge_edge.clear(); }
};

/// Keeps memory between searches: after warm-up a search allocates nothing. One for each thread.
class PairSearch {
 public:
  /// Replaces what `out` held. The surfaces must have been refitted.
  void find(const MovingSurface& first, const MovingSurface& second, PairCandidates& out);
  /// Pairs within one surface that have no vertex in common.
  void find_within(const MovingSurface& surface, PairCandidates& out);

 private:
  std::vector<IndexPair> triangles_;
  std::vector<IndexPair> sorting_;
  std::vector<Index> places_;
};

/// The four points of a candidate, in the order of PairPoints. `x` are the vertices of the surface that has the
/// vertex or the first edge, `y` those of the other; within one surface both are the same.
PairPoints vertex_triangle_points(std::span<const Vec3> x, Index vertex, std::span<const Vec3> y,
                                  const Triangle& triangle);
PairPoints edge_edge_points(std::span<const Vec3> x, const SurfaceEdge& first, std::span<const Vec3> y,
                            const SurfaceEdge& second);

}  // namespace pliant
