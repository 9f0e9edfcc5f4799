// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/box_cage.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"

namespace pliant::cage {

TriMesh box_cage_around(std::span<const Vec3> points, const std::array<int, 3>& cells, double clearance) {
  PLIANT_CHECK(!points.empty());
  Vec3 low = points[0], high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double size = (high - low).maxCoeff();
  for (int c = 0; c < 3; ++c) {
    const double edge = (high[c] - low[c]) / cells[c];
    const double gap = clearance * std::max(edge, 0.01 * size);
    low[c] -= gap;
    high[c] += gap;
  }
  return box_cage(low, high, cells);
}

}  // namespace pliant::cage
