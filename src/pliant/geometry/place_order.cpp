// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/place_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace pliant {

std::vector<Index> place_order(std::span<const Vec3> points) {
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  if (points.empty()) return order;
  Vec3 low = points[0], high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double unit = std::max(1e-7 * (high - low).maxCoeff(), 1e-300);
  // Half a unit off the corner: what lies on it, a flat side, is not between two cells.
  std::vector<std::array<double, 3>> cells;
  for (const Vec3& p : points) {
    const Vec3 at = (p - low) / unit;
    cells.push_back({std::floor(at[0] + 0.5), std::floor(at[1] + 0.5), std::floor(at[2] + 0.5)});
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const auto &p = cells[std::size_t(a)], &q = cells[std::size_t(b)];
    return p != q ? p < q : a < b;
  });
  return order;
}

}  // namespace pliant
