// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "pliant/methods/skin.hpp"

namespace pliant::geometric {

/// With the cells that can turn inside out.
struct Skin : pliant::Skin {
  std::vector<std::array<Index, 8>> cells;  ///< as in NodeGraph
};

/// Cells of which the Jacobian at any of the eight corners is not positive.
int inverted_cells(const Skin& skin, const Points& x);

}  // namespace pliant::geometric
