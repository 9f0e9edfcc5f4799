// SPDX-License-Identifier: Apache-2.0
// Thin lines painted on the rest shape where planes of constant rest x, y or z cut its surface.
#pragma once

#include <Eigen/Core>

#include "pliant/base/types.hpp"

namespace pliant {

class RestGrid {
 public:
  /// About four squares across the narrowest side, never more than 48 along the longest; lines fall on the
  /// faces of the bounding box.
  explicit RestGrid(const Points& rest);

  /// How much of a pixel is line, 0 .. 1. rest: rest position; normal: rest normal; dx, dy: change of the
  /// rest position to the next pixel across and down.
  float coverage(const Eigen::Vector3f& rest, const Eigen::Vector3f& normal, const Eigen::Vector3f& dx,
                 const Eigen::Vector3f& dy) const;

 private:
  Eigen::Vector3f origin_, spacing_;
  float half_width_ = 0;
};

/// Share of a box of width `pixel` around a place at `distance` from a line's middle that the line covers.
float line_coverage(float distance, float half_width, float pixel);

}  // namespace pliant
