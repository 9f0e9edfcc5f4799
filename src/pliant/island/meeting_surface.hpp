// SPDX-License-Identifier: Apache-2.0
// The surface of a body as other bodies meet it: where it moves in a step, and what lies beside each vertex and
// edge.
#pragma once

#include "pliant/proximity/moving_surface.hpp"

namespace pliant {

class MeetingSurface {
 public:
  MeetingSurface(std::span<const Vec3> rest, std::span<const Triangle> triangles);

  MovingSurface& moving() { return moving_; }
  const MovingSurface& moving() const { return moving_; }
  double size() const { return size_; }            ///< largest edge of the bounding box at rest, m
  double mean_edge() const { return mean_edge_; }  ///< at rest, m

  /// Vertices that share an edge with this one.
  std::span<const Index> beside_vertex(Index v) const {
    return std::span(neighbour_)
        .subspan(std::size_t(first_[std::size_t(v)]),
                 std::size_t(first_[std::size_t(v) + 1] - first_[std::size_t(v)]));
  }
  /// Third corners of up to two triangles with this edge; -1: none.
  const std::array<Index, 2>& beside_edge(Index e) const { return beside_[std::size_t(e)]; }
  Index edge_between(Index a, Index b) const;
  /// Vertices that edges join have the same.
  Index component(Index v) const { return component_[std::size_t(v)]; }

 private:
  void find_components();

  MovingSurface moving_;
  double size_ = 0, mean_edge_ = 0;
  std::vector<Index> first_, neighbour_, component_;
  std::vector<std::array<Index, 2>> beside_;
};

}  // namespace pliant
