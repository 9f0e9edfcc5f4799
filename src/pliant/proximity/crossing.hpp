// SPDX-License-Identifier: Apache-2.0
// Do edges of a surface pass through triangles of another, or of itself? Asked of positions alone, with exact
// signs (proximity/orientation.hpp): the answer does not hang on rounding, and owes nothing to distances or
// times of impact.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/proximity/moving_surface.hpp"

namespace pliant {

/// How a closed edge and a closed triangle lie.
enum class Meeting : std::uint8_t {
  apart,    ///< no common point
  touch,    ///< a common point that is no `through`: an end in the triangle, a point of the triangle's
            ///< border, an overlap in one plane, a triangle without area
  through,  ///< the ends lie off the triangle's plane on both sides, and the edge passes its inside
};
Meeting edge_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

struct EdgeCrossing {
  bool edge_of_second = false;  ///< the edge is of the second surface, the triangle of the first
  Index edge = 0, triangle = 0;
  Meeting meeting = Meeting::through;
  auto operator<=>(const EdgeCrossing&) const = default;
};

/// Surfaces that pass through each other have an edge `through` a triangle of the other, or meet in points that
/// lie on edges of both: those are told as `touch`. No entry at all: they have no point in common. A shared
/// point moves apart or through by the least change of positions, so callers treat `touch` as they need: as
/// no crossing of a start that lies face on face, as one when positions must be apart.
/// Keeps memory between searches, as PairSearch.
class CrossingSearch {
 public:
  /// Edges of each surface against triangles of the other at positions x and y, which must lie in the boxes of
  /// the last refit. Sorted; replaces what `out` held.
  void find(const MovingSurface& first, std::span<const Vec3> x, const MovingSurface& second,
            std::span<const Vec3> y, std::vector<EdgeCrossing>& out);
  /// Within one surface: edges against triangles that have no vertex in common with them.
  void find_within(const MovingSurface& surface, std::span<const Vec3> x, std::vector<EdgeCrossing>& out);

 private:
  std::vector<IndexPair> triangles_;
};

}  // namespace pliant
