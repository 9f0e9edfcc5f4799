// SPDX-License-Identifier: Apache-2.0
// Is a surface the skin of a solid, or a sheet? Inside means winding number > 0.5.
#pragma once

#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

/// Share of the view from just inside that escapes through holes, 0 closed .. 0.5 flat sheet; solid up to
/// solid_defect.
inline constexpr double solid_defect = 0.18;
struct Solidity {
  double defect = 0;                     ///< of the whole surface, area-weighted
  std::vector<double> component_defect;  ///< one a component
  std::vector<char> component_solid;
  bool any_solid = false, any_shell = false;
  bool closed = false;    ///< without borders
  bool doubtful = false;  ///< of any component: worth a word to the user
};
/// So near the limit that a human should look: bowls, boxes without a lid, bells.
inline bool is_doubtful(double defect) { return defect > 0.12 && defect < 0.25; }
/// Same surface, same answer: points are drawn by a seeded generator.
Solidity solidity(const Repaired& surface, const TriangleTree& tree);

/// Volume (m^3) of the points with winding number > 0.5, counted on a lattice of about `points` points over
/// the bounding box: for surfaces with holes or overlapping parts, where the signed volume is no volume.
double counted_volume(const TriMesh& mesh, const TriangleTree& tree, int points);

}  // namespace pliant
