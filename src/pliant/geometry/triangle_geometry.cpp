// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/triangle_geometry.hpp"

#include <algorithm>

namespace pliant {
namespace {

TrianglePoint on_edge(const Vec3* corner, int i, int j, double along) {
  TrianglePoint result;
  result.barycentric[i] = 1 - along;
  result.barycentric[j] = along;
  result.point = corner[i] + along * (corner[j] - corner[i]);
  return result;
}

TrianglePoint on_corner(const Vec3* corner, int i) {
  TrianglePoint result;
  result.barycentric[i] = 1;
  result.point = corner[i];
  return result;
}

TrianglePoint closest_on_edges(const Vec3& p, const Vec3* corner) {
  TrianglePoint best;
  double best_squared = -1;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const Vec3 edge = corner[j] - corner[i];
    const double squared = edge.squaredNorm();
    const double along = squared > 0 ? edge.dot(p - corner[i]) / squared : 0;
    const TrianglePoint here = along <= 0   ? on_corner(corner, i)
                               : along >= 1 ? on_corner(corner, j)
                                            : on_edge(corner, i, j, along);
    const double d2 = (here.point - p).squaredNorm();
    if (best_squared < 0 || d2 < best_squared) {
      best_squared = d2;
      best = here;
    }
  }
  return best;
}

/// The inside of edge pq passes the inside of triangle t.
bool edge_crosses(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const double at_p = volume6(p, a, b, c), at_q = volume6(q, a, b, c);
  if (!((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0))) return false;
  const double s0 = volume6(p, q, a, b), s1 = volume6(p, q, b, c), s2 = volume6(p, q, c, a);
  return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

bool has(const Index* vertices, Index v) { return vertices[0] == v || vertices[1] == v || vertices[2] == v; }

bool an_edge_crosses(const Points& x, const Index* a, const Index* b) {
  for (int i = 0; i < 3; ++i) {
    const Index from = a[i], to = a[(i + 1) % 3];
    if (has(b, from) || has(b, to)) continue;
    if (edge_crosses(x[from], x[to], x[b[0]], x[b[1]], x[b[2]])) return true;
  }
  return false;
}

}  // namespace

TrianglePoint closest_point(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 corner[3] = {a, b, c};
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return on_corner(corner, 0);
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return on_corner(corner, 1);
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return on_corner(corner, 2);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  // Twice the area squared. Of a needle the signs below are noise: ask its edges one by one.
  const double area = va + vb + vc;
  if (!(area > 1e-10 * ab.squaredNorm() * ac.squaredNorm())) return closest_on_edges(p, corner);
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return on_edge(corner, 0, 1, d1 / (d1 - d3));
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return on_edge(corner, 0, 2, d2 / (d2 - d6));
  if (va <= 0 && d4 >= d3 && d5 >= d6) return on_edge(corner, 1, 2, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
  TrianglePoint inside;
  inside.barycentric = Vec3(va, vb, vc) / area;
  inside.point = a + inside.barycentric[1] * ab + inside.barycentric[2] * ac;
  return inside;
}

bool triangles_cross(const Points& vertices, const Index* a, const Index* b) {
  return an_edge_crosses(vertices, a, b) || an_edge_crosses(vertices, b, a);
}

}  // namespace pliant
