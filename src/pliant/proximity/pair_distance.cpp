// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/pair_distance.hpp"

#include <cmath>
#include <limits>

namespace pliant {
namespace {

/// Below this squared sine of the angle between the two columns their coefficients are not trusted: every
/// border is asked, too.
constexpr double well_shaped = 1e-8;
/// A coefficient nearer than this to its border is not trusted either.
constexpr double near_border = 1e-3;

/// w ~ u e1 + v e2 in least squares, by Gram-Schmidt: the error of the fitted vector is a few roundings of the
/// largest length however small the angle is. Of normal equations it would grow with 1 / sine^2.
struct Fit {
  double u = 0, v = 0;
  double squared_sine = 0;
  bool trusted() const { return squared_sine > well_shaped; }
};
Fit fit(const Vec3& w, const Vec3& e1, const Vec3& e2) {
  Fit out;
  const double l1 = e1.squaredNorm(), l2 = e2.squaredNorm();
  if (!(l1 > 0) || !(l2 > 0)) return out;
  const double k = e1.dot(e2) / l1;
  const Vec3 across = e2 - k * e1;
  const double l = across.squaredNorm();
  if (!(l > 0)) return out;
  out.squared_sine = l / l2;
  out.v = across.dot(w) / l;
  out.u = e1.dot(w - out.v * e2) / l1;
  return out;
}

/// Point `end` against the segment from `from` to `to` (indices of x): kept when nearer than `best`.
/// `sign` is 1 when the point is on side A, -1 when the segment is.
void offer_segment(const PairPoints& x, int end, int from, int to, double sign, ClosestPoints& best) {
  const Vec3 edge = x[to] - x[from], w = x[end] - x[from];
  const double squared = edge.squaredNorm(), along = edge.dot(w);
  const bool at_from = !(squared > 0) || along <= 0, at_to = !at_from && along >= squared;
  const double t = at_from || at_to ? 0 : along / squared;
  // Small quotients vanish, large ones round to 1: then it is the end.
  const bool first = at_from || t == 0, last = at_to || t == 1;
  const Vec3 away = last ? Vec3(x[end] - x[to]) : first ? w : Vec3(w - t * edge);
  const double distance = away.norm();
  if (!(distance < best.distance)) return;
  best.distance = distance;
  best.difference = sign * away;
  best.weight = {0, 0, 0, 0};
  best.weight[end] = sign;
  if (last || first) {
    best.weight[last ? to : from] = -sign;
    best.feature = PairFeature::vertex_vertex;
  } else {
    best.weight[from] = -sign * (1 - t);
    best.weight[to] = -sign * t;
    best.feature = PairFeature::vertex_edge;
  }
}

ClosestPoints nothing_yet() {
  ClosestPoints out;
  out.distance = std::numeric_limits<double>::infinity();
  return out;
}

/// Points inside both sides: kept when nearer than what lies on a border.
void offer_inside(const Vec3& difference, const std::array<double, 4>& weight, PairFeature feature,
                  ClosestPoints& best) {
  const double distance = difference.norm();
  if (distance < best.distance) best = {distance, difference, weight, feature};
}

}  // namespace

// The minimum of a convex function over a convex polygon lies on a border that separates the polygon from the
// minimum over the whole plane, or is that minimum. So only borders on whose outer side (or near which) the
// fit lies are asked. [Ericson05, sections 5.1.5 and 5.1.9] pick one border by signs, which are noise on
// needles and of parallel edges.
ClosestPoints vertex_triangle_closest(const PairPoints& x) {
  const Vec3 w = x[0] - x[1], e1 = x[2] - x[1], e2 = x[3] - x[1];
  const Fit f = fit(w, e1, e2);
  const double b1 = 1 - f.u - f.v, b2 = f.u, b3 = f.v;
  const double least = f.trusted() ? near_border : std::numeric_limits<double>::infinity();
  ClosestPoints best = nothing_yet();
  if (b3 < least) offer_segment(x, 0, 1, 2, 1, best);
  if (b1 < least) offer_segment(x, 0, 2, 3, 1, best);
  if (b2 < least) offer_segment(x, 0, 3, 1, 1, best);
  if (b1 > 0 && b2 > 0 && b3 > 0)
    offer_inside(w - b2 * e1 - b3 * e2, {1, -b1, -b2, -b3}, PairFeature::vertex_triangle, best);
  return best;
}

ClosestPoints edge_edge_closest(const PairPoints& x) {
  const Vec3 w = x[0] - x[2], e1 = x[1] - x[0], e2 = x[3] - x[2];
  const Fit f = fit(w, -e1, e2);
  const double s = f.u, t = f.v;
  const double least = f.trusted() ? near_border : std::numeric_limits<double>::infinity();
  ClosestPoints best = nothing_yet();
  if (s < least) offer_segment(x, 0, 2, 3, 1, best);
  if (1 - s < least) offer_segment(x, 1, 2, 3, 1, best);
  if (t < least) offer_segment(x, 2, 0, 1, -1, best);
  if (1 - t < least) offer_segment(x, 3, 0, 1, -1, best);
  if (s > 0 && s < 1 && t > 0 && t < 1)
    offer_inside(w + s * e1 - t * e2, {1 - s, s, -(1 - t), -t}, PairFeature::edge_edge, best);
  return best;
}

ClosestPoints closest_points(PairKind kind, const PairPoints& x) {
  return kind == PairKind::vertex_triangle ? vertex_triangle_closest(x) : edge_edge_closest(x);
}

double squared_sine_of_edges(const PairPoints& x) {
  return fit(Vec3::Zero(), x[1] - x[0], x[3] - x[2]).squared_sine;
}

}  // namespace pliant
