// SPDX-License-Identifier: Apache-2.0
// How far along straight ways a vertex and a triangle, or two edges, may go before they touch: additive
// continuous collision detection [Li21], which needs distances only. Deviation: a step is longer where the velocities
// along the line between the closest points allow it (conservative advancement [Mirtich96]), because sides that
// slide past each other would take as many steps as their way is longer than their distance.
#pragma once

#include "pliant/proximity/pair_distance.hpp"

namespace pliant {

/// Which distance a way may leave over: max(min(0.1 d, 0.3 delta), floor), d the distance at the beginning.
struct ImpactMargin {
  double delta = 0;  ///< the distance contact keeps, m
  double floor = 0;  ///< m; what rounding of the positions may take away is always added
};

struct Impact {
  double time = 1;    ///< share of the way that is free; 1: all of it
  int distances = 0;  ///< evaluated distances: the cost
  bool hit() const { return time < 1; }
};

/// Four points that go from `begin` to `end`, all by the same share of their ways at a time. At every time
/// from 0 up to the answer the two sides are apart, unless they begin nearer than the floor: then the answer is 0
/// (1 when the four points move as one).
Impact time_of_impact(PairKind kind, const PairPoints& begin, const PairPoints& end,
                      const ImpactMargin& margin);
/// The same where closest_points(kind, begin) is known.
Impact time_of_impact(PairKind kind, const PairPoints& begin, const PairPoints& end,
                      const ImpactMargin& margin, const ClosestPoints& at_begin);

}  // namespace pliant
