// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/time_of_impact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

/// Share of the free way that one step takes [Li21].
constexpr double boldness = 0.9;
/// Where no step stops the loop, this does: what is found so far is free.
constexpr int most_distances = 1000;
/// Roundings of coordinates, of ways and of distances together stay below this many units in the last place of
/// the largest coordinate.
constexpr double roundings = 64;

constexpr int side_a_size(PairKind kind) { return kind == PairKind::vertex_triangle ? 1 : 2; }

/// Four points in coordinates of their own: the first is at the origin, and the mean of the ways is 0, because
/// what they share brings nothing nearer.
struct Moving {
  PairPoints begin, way;
  int side_a;

  Moving(PairKind kind, const PairPoints& from, const PairPoints& to) : side_a(side_a_size(kind)) {
    Vec3 mean = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
      begin[k] = from[k] - from[0];
      way[k] = to[k] - from[k];
      mean += 0.25 * way[k];
    }
    for (Vec3& w : way) w -= mean;
  }
  PairPoints at(double t) const {
    PairPoints x;
    for (int k = 0; k < 4; ++k) x[k] = begin[k] + t * way[k];
    return x;
  }
  /// No two points of the two sides come nearer by more than this in a unit of time.
  double fastest() const {
    double a = 0, b = 0;
    for (int k = 0; k < 4; ++k) {
      double& side = k < side_a ? a : b;
      side = std::max(side, way[k].norm());
    }
    return a + b;
  }
  /// Along the unit vector n, from B to A: least coordinate of side A less the largest of side B. Both sides
  /// are convex, so that no two of their points are nearer than this.
  double gap_along(const Vec3& n, const PairPoints& x) const {
    double a = std::numeric_limits<double>::infinity(), b = -a;
    for (int k = 0; k < 4; ++k)
      if (k < side_a)
        a = std::min(a, n.dot(x[k]));
      else
        b = std::max(b, n.dot(x[k]));
    return a - b;
  }
};

double largest_coordinate(const PairPoints& begin, const PairPoints& end) {
  double largest = 0;
  for (int k = 0; k < 4; ++k)
    largest = std::max({largest, begin[k].cwiseAbs().maxCoeff(), end[k].cwiseAbs().maxCoeff()});
  return largest;
}

/// How far the pair may go on from x, for all that its velocities can do: by the largest of them [Li21], or,
/// longer where the sides slide or part, by those along the line between the closest points.
double free_way(const Moving& pair, const PairPoints& x, const ClosestPoints& closest, double keep,
                double fastest) {
  const double by_speed = (closest.distance - keep) / fastest;
  const Vec3 n = closest.difference / closest.distance;
  const double gap = pair.gap_along(n, x) - keep, opening = pair.gap_along(n, pair.way);
  if (!(gap > 0)) return by_speed;
  if (opening >= 0) return std::numeric_limits<double>::infinity();
  return std::max(by_speed, gap / -opening);
}

}  // namespace

Impact time_of_impact(PairKind kind, const PairPoints& begin, const PairPoints& end,
                      const ImpactMargin& margin) {
  const Moving pair(kind, begin, end);
  Impact out;
  const double fastest = pair.fastest();
  if (fastest == 0) return out;
  const double floor =
      margin.floor + roundings * std::numeric_limits<double>::epsilon() * largest_coordinate(begin, end);
  ClosestPoints closest = closest_points(kind, pair.begin);
  out.distances = 1;
  out.time = 0;
  if (!(closest.distance > floor)) return out;
  const double keep = std::max(std::min(0.1 * closest.distance, 0.3 * margin.delta), floor);
  PairPoints x = pair.begin;
  while (out.distances < most_distances) {
    out.time += boldness * free_way(pair, x, closest, keep, fastest);
    if (out.time >= 1) {
      out.time = 1;
      break;
    }
    x = pair.at(out.time);
    closest = closest_points(kind, x);
    ++out.distances;
    if (!(closest.distance >= 1.1 * keep)) break;
  }
  return out;
}

}  // namespace pliant
