// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/crossing.hpp"

#include <algorithm>

#include "pliant/proximity/orientation.hpp"

namespace pliant {
namespace {

bool opposite(int a, int b) { return a * b < 0; }

MotionBox box_of(std::initializer_list<const Vec3*> points) {
  MotionBox box;
  for (const Vec3* p : points) box.add(*p);
  return box;
}

/// Closed segments pq and ab.
bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  if (orientation_sign(p, q, a, b) != 0) return false;
  // In one plane: seen along an axis that does not lie in the plane.
  for (int axis = 0; axis < 3; ++axis) {
    const int at_a = area_sign(p, q, a, axis), at_b = area_sign(p, q, b, axis);
    const int at_p = area_sign(a, b, p, axis), at_q = area_sign(a, b, q, axis);
    if (at_a != 0 || at_b != 0 || at_p != 0 || at_q != 0) return at_a * at_b <= 0 && at_p * at_q <= 0;
  }
  return box_of({&p, &q}).overlaps(box_of({&a, &b}));  // on one line
}

/// A point of the triangle's plane; of a triangle without area: never.
bool holds_point(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  for (int axis = 0; axis < 3; ++axis) {
    if (area_sign(a, b, c, axis) == 0) continue;
    const int ab = area_sign(p, a, b, axis), bc = area_sign(p, b, c, axis), ca = area_sign(p, c, a, axis);
    return !opposite(ab, bc) && !opposite(bc, ca) && !opposite(ca, ab);
  }
  return false;
}

/// The ends lie on both sides of the plane.
Meeting line_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int ab = orientation_sign(p, q, a, b), bc = orientation_sign(p, q, b, c);
  if (opposite(ab, bc)) return Meeting::apart;
  const int ca = orientation_sign(p, q, c, a);
  if (opposite(bc, ca) || opposite(ca, ab)) return Meeting::apart;
  return ab != 0 && bc != 0 && ca != 0 ? Meeting::through : Meeting::touch;
}

/// Edges that belong to triangle `owner` of one surface against a triangle of another.
struct Query {
  const MovingSurface& edges;
  std::span<const Vec3> x;
  const MovingSurface& triangles;
  std::span<const Vec3> y;
  bool edge_of_second, same;

  void add(Index owner, Index triangle, std::vector<EdgeCrossing>& out) const {
    const Triangle& t = triangles.triangles()[triangle];
    const Vec3 &a = y[t[0]], &b = y[t[1]], &c = y[t[2]];
    const MotionBox box = box_of({&a, &b, &c});
    for (const Index e : edges.own_edges(owner)) {
      const SurfaceEdge& edge = edges.edges()[e];
      if (same && (has_vertex(t, edge[0]) || has_vertex(t, edge[1]))) continue;
      const Vec3 &p = x[edge[0]], &q = x[edge[1]];
      if (!box.overlaps(box_of({&p, &q}))) continue;
      const Meeting meeting = edge_meets_triangle(p, q, a, b, c);
      if (meeting != Meeting::apart) out.push_back({edge_of_second, e, triangle, meeting});
    }
  }
};

}  // namespace

Meeting edge_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int at_p = orientation_sign(a, b, c, p), at_q = orientation_sign(a, b, c, q);
  if (opposite(at_p, at_q)) return line_meets_triangle(p, q, a, b, c);
  if (at_p != 0 && at_q != 0) return Meeting::apart;
  if (at_p != 0 || at_q != 0)
    return holds_point(a, b, c, at_p == 0 ? p : q) ? Meeting::touch : Meeting::apart;
  const bool meets = holds_point(a, b, c, p) || segments_meet(p, q, a, b) || segments_meet(p, q, b, c) ||
                     segments_meet(p, q, c, a);
  return meets ? Meeting::touch : Meeting::apart;
}

void CrossingSearch::find(const MovingSurface& first, std::span<const Vec3> x, const MovingSurface& second,
                          std::span<const Vec3> y, std::vector<EdgeCrossing>& out) {
  out.clear();
  const Query there{first, x, second, y, false, false}, back{second, y, first, x, true, false};
  first.tree().pairs_with(second.tree(), triangles_);
  for (const auto [a, b] : triangles_) {
    there.add(a, b, out);
    back.add(b, a, out);
  }
  std::sort(out.begin(), out.end());
}

void CrossingSearch::find_within(const MovingSurface& surface, std::span<const Vec3> x,
                                 std::vector<EdgeCrossing>& out) {
  out.clear();
  const Query query{surface, x, surface, x, false, true};
  surface.tree().pairs_within(triangles_);
  for (const auto [a, b] : triangles_) {
    query.add(a, b, out);
    query.add(b, a, out);
  }
  std::sort(out.begin(), out.end());
}

}  // namespace pliant
