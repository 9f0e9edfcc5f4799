// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pliant/methods/method.hpp"

namespace pliant {

/// What a picture can show of the inside of a body.
struct Inside {
  /// Cells turned inside out, by their corners as they are (bit 0 of a corner = x, bit 1 = y, bit 2 = z), m;
  /// none: the method cannot tell which.
  std::optional<std::vector<std::array<Vec3, 8>>> inverted = {};
  /// Pieces of an elastic skeleton as it is, m; a skeleton with keys is in Controls (methods/entry.hpp).
  std::vector<std::array<Vec3, 2>> rod = {};
  /// Of a body in reduced space: the functions of the nodes that it moves by, each one value a node.
  std::vector<std::vector<double>> functions = {};
};

/// Of a body of any method in the catalogue.
Inside inside_of(const Method& method);

}  // namespace pliant
