// SPDX-License-Identifier: Apache-2.0
// Bodies that bend: what the methods' warnings of stiff bending ask of a shape.
#pragma once

#include <optional>

#include "pliant/base/types.hpp"

namespace pliant {

/// The box around a body, of the axes x, y, z: the longest, the thinnest and the one between.
struct SlenderBox {
  int along = 0, thin = 0, wide = 0;
  Vec3 size{0, 0, 0};  ///< m

  double length() const { return size[along]; }
  double thickness() const { return size[thin]; }
  double width() const { return size[wide]; }
};

/// None: at most three times as long as thick. Shorter bodies hardly bend.
std::optional<SlenderBox> slender_box(const Points& nodes);

}  // namespace pliant
