// SPDX-License-Identifier: Apache-2.0
// Do two places of a solid see each other through its material? Keeps fingers and legs that lie side by side
// from being glued: no edge of the graph and no embedding reaches through air.
#pragma once

#include <limits>

#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

/// A place in a solid, with what sight lines from it need.
struct Place {
  Vec3 x{0, 0, 0};
  double winding = 1;    ///< at x; not a number = the tree is asked when a line needs it
  double clearance = 0;  ///< no surface is nearer than this; 0 = unknown
};

class Sight {
 public:
  struct Scratch {
    std::vector<TriangleTree::Crossing> hits;
    Vec3 asked{0, 0, 0};  ///< the last place whose winding number was asked for: mostly it is asked again
    double winding = std::numeric_limits<double>::quiet_NaN();
  };
  /// spacing: the lattice constant a. always_ask: the winding number is asked of the tree between any two
  /// crossings, instead of counted along the line; for surfaces whose crossings do not add up.
  Sight(const TriangleTree& tree, double spacing, bool always_ask);

  /// Air on the line may add up to tolerance * 0.05 a where it shaves a concave surface; a gap between two
  /// steep crossings blocks however thin it is. Walls inside the material never block.
  bool clear(const Place& p, const Place& q, Scratch& scratch, double tolerance = 1) const;

  /// The winding number of a place.
  double winding(const Place& place, Scratch& scratch) const;
  /// The winding number at x, counted along the line from a place where it is known: for closed surfaces, and
  /// near ones much cheaper than to ask the tree.
  double winding(const Vec3& x, const Place& from, Scratch& scratch) const;

 private:
  const TriangleTree& tree_;
  double spacing_;
  bool always_ask_;
};

}  // namespace pliant
