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

/// Four points and their ways, less the mean of these: what all share brings nothing nearer.
struct Moving {
  const PairPoints& begin;
  PairPoints way;
  int side_a;

  Moving(PairKind kind, const PairPoints& from, const PairPoints& to)
      : begin(from), side_a(side_a_size(kind)) {
    Vec3 mean = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
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
  /// Time from now until the first point of side A is no more than `keep` before a point of side B, seen along
  /// the unit vector n from B to A. Until then a plane parts the two sides, which are convex, and they are
  /// farther apart than `keep`.
  double parted_along(const Vec3& n, const PairPoints& x, double keep) const {
    double time = std::numeric_limits<double>::infinity();
    for (int a = 0; a < side_a; ++a)
      for (int b = side_a; b < 4; ++b) {
        const double gap = n.dot(x[a] - x[b]) - keep, opening = n.dot(way[a] - way[b]);
        if (!(gap > 0)) return 0;
        if (opening < 0) time = std::min(time, gap / -opening);
      }
    return time;
  }
};

double largest_coordinate(const PairPoints& begin, const PairPoints& end) {
  double largest = 0;
  for (int k = 0; k < 4; ++k)
    largest = std::max({largest, begin[k].cwiseAbs().maxCoeff(), end[k].cwiseAbs().maxCoeff()});
  return largest;
}

/// How far the pair may go on from x: for all that the largest of its velocities can do [Li21], or, longer where
/// the sides slide or part, for what they do along the line between the closest points [Mirtich96].
double free_way(const Moving& pair, const PairPoints& x, const ClosestPoints& closest, double keep,
                double fastest) {
  const Vec3 n = closest.difference / closest.distance;
  return std::max((closest.distance - keep) / fastest, pair.parted_along(n, x, keep));
}

}  // namespace

Impact time_of_impact(PairKind kind, const PairPoints& begin, const PairPoints& end,
                      const ImpactMargin& margin) {
  return time_of_impact(kind, begin, end, margin, closest_points(kind, begin));
}

Impact time_of_impact(PairKind kind, const PairPoints& begin, const PairPoints& end,
                      const ImpactMargin& margin, const ClosestPoints& at_begin) {
  const Moving pair(kind, begin, end);
  Impact out;
  const double fastest = pair.fastest();
  out.distances = 1;
  if (fastest == 0) return out;
  const double floor =
      margin.floor + roundings * std::numeric_limits<double>::epsilon() * largest_coordinate(begin, end);
  out.time = 0;
  if (!(at_begin.distance > floor)) return out;
  const double keep = std::max(std::min(0.1 * at_begin.distance, 0.3 * margin.delta), floor);
  PairPoints x = begin;
  ClosestPoints closest = at_begin;
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
