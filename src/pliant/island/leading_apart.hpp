// SPDX-License-Identifier: Apache-2.0
// Bodies that overlap at the start are led apart slowly. Pairs of primitives that cross must not be left out one by
// one: the others would see each other from inside, and lock the bodies for ever. So the two bodies have neither rows
// of their distances nor a search for times of impact while they overlap, but
//   1. ONE direction for both: the mean of the ways out of all vertices that are inside the other body, by their
//      lengths. Where these cancel, and where a surface bounds no volume: to the side of a sheet on which the other
//      body has its centre; from centre to centre; up. It changes slowly: 0.9 of the last.
//   2. a row along it for each vertex that is inside, with the nearest triangle, for each that is outside but near,
//      and for each pair of triangles that cross, with their closest edges: without the last two kinds, bodies hover
//      at the last percent, by turns in and out
//   3. n . u >= 0 in the step: they do not go deeper, and no energy is put in; and 0.1 of their size a second in the
//      position pass, together with all other rows and with the search for times of impact against other bodies.
// They have parted when no edge passes through a triangle and no vertex is inside.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/island/member.hpp"
#include "pliant/island/pair_rows.hpp"
#include "pliant/proximity/crossing.hpp"

namespace pliant {

/// How two bodies overlap.
struct Overlap {
  Index first = 0, second = 0;  ///< bodies of the simulation
  Index crossings = 0;          ///< edges of one that pass through triangles of the other
  Index inside = 0;             ///< vertices of one inside the other
  double depth = 0;             ///< of the deepest of these, m
  Vec3 place{0, 0, 0};          ///< in the middle of all these, m
  bool any() const { return crossings > 0 || inside > 0; }
};

class LeadingApart {
 public:
  static constexpr double speed = 0.1;  ///< sizes of the smaller body a second

  /// At the places `begin` of both, in the boxes of the last refit. near: how far from the other's surface vertices
  /// have a row, m.
  const Overlap& look(const Member& first, const Member& second, double near = 0);
  /// The direction from the second to the first, after `before` (zero: none is known yet). Call it after look().
  Vec3 direction(const Member& first, const Member& second, const Vec3& before) const;
  /// Rows along the direction, by key. Their distances are beyond the given one by what is free. Call it after
  /// look().
  void rows(const Member& first, const Member& second, const Vec3& along, double distance,
            std::vector<PairRow>& out) const;

 private:
  /// A vertex inside the other body or near it, and the way to its surface.
  struct Inside {
    Index vertex = 0, triangle = 0;
    Vec3 barycentric{0, 0, 0}, way{0, 0, 0};
  };
  void find_inside(const Member& of, const Member& in, double near, int side);
  PairRow row_of(const Inside& v, const Member& other, bool swapped) const;
  Vec3 away_from_sheets(const Member& first, const Member& second) const;

  Overlap overlap_;
  CrossingSearch search_;
  std::vector<EdgeCrossing> crossings_;  // through alone
  std::array<std::vector<Inside>, 2> inside_, near_;
  Points normals_;
};

}  // namespace pliant
