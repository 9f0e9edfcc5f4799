// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/cell_volume.hpp"

namespace pliant::metric {

double signed_volume(const std::array<Index, 8>& cell, std::span<const Vec3> x) {
  const Vec3& origin = x[cell[0]];
  Vec3 area = Vec3::Zero(), before = x[cell[cell_ring[5]]] - origin;
  for (const int k : cell_ring) {
    const Vec3 now = x[cell[k]] - origin;
    area += before.cross(now);
    before = now;
  }
  return (x[cell[7]] - origin).dot(area) / 6;
}

double signed_volume(const std::array<Index, 8>& cell, std::span<const Vec3> x,
                     std::array<Vec3, 8>& gradient) {
  const Vec3 &origin = x[cell[0]], d = x[cell[7]] - origin;
  Vec3 area = Vec3::Zero(), sum = Vec3::Zero();
  for (int k = 0; k < 6; ++k) {
    const Vec3 &before = x[cell[cell_ring[(k + 5) % 6]]], &after = x[cell[cell_ring[(k + 1) % 6]]];
    area += (x[cell[cell_ring[k]]] - origin).cross(after - origin);
    gradient[cell_ring[k]] = (after - before).cross(d) / 6;
    sum += gradient[cell_ring[k]];
  }
  gradient[7] = area / 6;
  gradient[0] = -(sum + gradient[7]);
  return d.dot(area) / 6;
}

}  // namespace pliant::metric
