// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "pliant/math/gather.hpp"

namespace pliant::geometric {

/// The part of a shape that shows the nodes: nothing of it moves them.
struct Skin {
  Gather embedding;                         ///< surface vertices from nodes
  std::vector<std::array<Index, 8>> cells;  ///< as in NodeGraph
  Gather contact;                           ///< points that meet colliders; no rows = the embedding

  const Gather& contact_points() const { return contact.rows() > 0 ? contact : embedding; }
};

/// Cells of which the Jacobian at any of the eight corners is not positive.
int inverted_cells(const Skin& skin, const Points& x);

}  // namespace pliant::geometric
