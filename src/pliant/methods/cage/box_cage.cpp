// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/box_cage.hpp"

#include "pliant/base/check.hpp"

namespace pliant::cage {

TriMesh box_cage(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells) {
  PLIANT_CHECK(cells[0] > 0 && cells[1] > 0 && cells[2] > 0);
  TriMesh out;
  const auto inner = [&](int c, int k) { return k > 0 && k < cells[c]; };
  std::vector<Index> number(std::size_t(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1), -1);
  const auto at = [&](const std::array<int, 3>& p) -> Index& {
    return number[std::size_t((p[2] * (cells[1] + 1) + p[1]) * (cells[0] + 1) + p[0])];
  };
  for (int k = 0; k <= cells[2]; ++k)
    for (int j = 0; j <= cells[1]; ++j)
      for (int i = 0; i <= cells[0]; ++i) {
        if (inner(0, i) && inner(1, j) && inner(2, k)) continue;
        at({i, j, k}) = Index(out.vertices.size());
        const Vec3 share(double(i) / cells[0], double(j) / cells[1], double(k) / cells[2]);
        out.vertices.push_back(low + share.cwiseProduct(high - low));
      }
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (int a = 0; a < cells[u]; ++a)
        for (int b = 0; b < cells[v]; ++b) {
          const auto corner = [&](int da, int db) {
            std::array<int, 3> p{};
            p[axis] = side * cells[axis];
            p[u] = a + da;
            p[v] = b + db;
            return at(p);
          };
          Index q[4] = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          if (side == 0) std::swap(q[1], q[3]);
          const int s = (a + b) % 2;
          out.triangles.push_back({q[s], q[s + 1], q[s + 2]});
          out.triangles.push_back({q[s], q[s + 2], q[(s + 3) % 4]});
        }
    }
  return out;
}

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
