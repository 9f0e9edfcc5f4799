// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/triangle_gap.hpp"

#include <algorithm>

#include "pliant/geometry/triangle_geometry.hpp"

namespace pliant {
namespace {

/// Both ends are off the triangle's plane by the gap at least: nearer to it signs are noise, and distances of
/// ends and edges tell.
bool crosses(const Vec3& p, const Vec3& q, const Vec3* t, double gap) {
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
  const double at_p = normal.dot(p - t[0]), at_q = normal.dot(q - t[0]), least = gap * normal.norm();
  if (!((at_p > least && at_q < -least) || (at_p < -least && at_q > least))) return false;
  const double s0 = volume6(p, q, t[0], t[1]), s1 = volume6(p, q, t[1], t[2]), s2 = volume6(p, q, t[2], t[0]);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

bool boxes_apart(const Vec3& p, const Vec3& q, const Vec3* t, double gap) {
  for (int c = 0; c < 3; ++c) {
    const double low = std::min({t[0][c], t[1][c], t[2][c]}), high = std::max({t[0][c], t[1][c], t[2][c]});
    if (std::min(p[c], q[c]) > high + gap || std::max(p[c], q[c]) < low - gap) return true;
  }
  return false;
}

bool point_near(const Vec3& p, const Vec3* t, double gap) {
  return (closest_point(p, t[0], t[1], t[2]).point - p).squaredNorm() < gap * gap;
}

bool segment_near(const Vec3& p, const Vec3& q, const Vec3* t, double gap) {
  if (boxes_apart(p, q, t, gap)) return false;
  if (crosses(p, q, t, gap) || point_near(p, t, gap) || point_near(q, t, gap)) return true;
  for (int i = 0; i < 3; ++i)
    if (squared_distance(p, q, t[i], t[(i + 1) % 3]) < gap * gap) return true;
  return false;
}

}  // namespace

double squared_distance(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
  // [Ericson05, section 5.1.9]
  const Vec3 d1 = q - p, d2 = s - r, w = p - r;
  const double a = d1.squaredNorm(), e = d2.squaredNorm(), f = d2.dot(w), c = d1.dot(w), b = d1.dot(d2);
  double u = 0, v = 0;
  if (a > 0 && e > 0) {
    const double area = a * e - b * b;
    u = area > 1e-14 * a * e ? std::clamp((b * f - c * e) / area, 0.0, 1.0) : 0;
    v = (b * u + f) / e;
    if (v < 0)
      v = 0, u = std::clamp(-c / a, 0.0, 1.0);
    else if (v > 1)
      v = 1, u = std::clamp((b - c) / a, 0.0, 1.0);
  } else if (a > 0) {
    u = std::clamp(-c / a, 0.0, 1.0);
  } else if (e > 0) {
    v = std::clamp(f / e, 0.0, 1.0);
  }
  return (w + u * d1 - v * d2).squaredNorm();
}

bool triangles_meet(const Points& vertices, const Triangle& a, const Triangle& b, double gap) {
  bool a_shared[3], b_shared[3] = {false, false, false};
  int common = 0;
  for (int i = 0; i < 3; ++i) {
    a_shared[i] = false;
    for (int j = 0; j < 3; ++j)
      if (a[i] == b[j]) a_shared[i] = b_shared[j] = true, ++common;
  }
  if (common >= 3) return true;
  const Vec3 at[3] = {vertices[a[0]], vertices[a[1]], vertices[a[2]]};
  const Vec3 bt[3] = {vertices[b[0]], vertices[b[1]], vertices[b[2]]};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (common == 2) {
      if (!a_shared[i] && point_near(at[i], bt, gap)) return true;
      if (!b_shared[i] && point_near(bt[i], at, gap)) return true;
    } else {
      // With one vertex in common only the edge opposite to it is asked.
      if (!a_shared[j] && !a_shared[k] && segment_near(at[j], at[k], bt, gap)) return true;
      if (!b_shared[j] && !b_shared[k] && segment_near(bt[j], bt[k], at, gap)) return true;
    }
  }
  return false;
}

}  // namespace pliant
