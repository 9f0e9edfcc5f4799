// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/self_clearance.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/math/polar.hpp"

namespace pliant {
namespace {

Vec3 mean_of(std::span<const Vec3> x) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : x) sum += p;
  return sum / double(x.size());
}

/// The rotation about the mean that carries the places nearest to x, and how far off it leaves a vertex.
struct RigidFit {
  Eigen::Quaterniond turn;
  double largest_miss = 0;

  RigidFit(const Points& places, std::span<const Vec3> x) {
    const Vec3 mean = mean_of(x);
    Mat3 f = Mat3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) f += (x[i] - mean) * places[i].transpose();
    turn = polar_rotation(f, Eigen::Quaterniond::Identity());
    const Mat3 r = turn.toRotationMatrix();
    double squared = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      squared = std::max(squared, (x[i] - mean - r * places[i]).squaredNorm());
    largest_miss = std::sqrt(squared);
  }
};

}  // namespace

double least_self_distance(const MovingSurface& surface, std::span<const Vec3> x,
                           const PairCandidates& within, double reach) {
  double least = reach;
  for (const auto [v, t] : within.vertex_triangle)
    least = std::min(
        least, vertex_triangle_closest(vertex_triangle_points(x, v, x, surface.triangles()[t])).distance);
  for (const auto [e, f] : within.edge_edge)
    least = std::min(
        least, edge_edge_closest(edge_edge_points(x, surface.edges()[e], x, surface.edges()[f])).distance);
  return least;
}

void SelfClearance::remember(std::span<const Vec3> x, double distance) {
  const Vec3 mean = x.empty() ? Vec3::Zero().eval() : mean_of(x);
  places_.assign(x.begin(), x.end());
  for (Vec3& p : places_) p -= mean;
  distance_ = distance;
}

double SelfClearance::bound(std::span<const Vec3> begin, std::span<const Vec3> end) const {
  if (places_.empty()) return 0;
  PLIANT_CHECK(begin.size() == places_.size() && end.size() == places_.size());
  const RigidFit at_begin(places_, begin), at_end(places_, end);
  // |q1 . q2| is the cosine of half the angle from one rotation to the other.
  const double shortened = std::abs(at_begin.turn.dot(at_end.turn));
  return std::max(
      0.0, std::min(1.0, shortened) * distance_ - 2 * std::max(at_begin.largest_miss, at_end.largest_miss));
}

}  // namespace pliant
