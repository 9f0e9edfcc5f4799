// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/slender_box.hpp"

#include "pliant/physics/selection.hpp"

namespace pliant {

std::optional<SlenderBox> slender_box(const Points& nodes) {
  constexpr double slender = 3;
  if (nodes.empty()) return std::nullopt;
  const Bounds box = bounds_of(nodes);
  SlenderBox out;
  out.size = box.max - box.min;
  out.size.maxCoeff(&out.along);
  out.size.minCoeff(&out.thin);
  out.wide = 3 - out.along - out.thin;
  if (!(out.length() > slender * out.thickness())) return std::nullopt;
  return out;
}

}  // namespace pliant
