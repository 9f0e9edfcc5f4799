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
  last_.clear();
}

/// sum (x - mean) X^T = sum (x - x_0) X^T, because the places sum to zero.
SelfClearance::Fit SelfClearance::fit(std::span<const Vec3> x) const {
  const Vec3 origin = x[0];
  Vec3 sum = Vec3::Zero();
  Mat3 f = Mat3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 r = x[i] - origin;
    sum += r;
    f.noalias() += r * places_[i].transpose();
  }
  Fit out{polar_rotation(f, Eigen::Quaterniond::Identity()), 0};
  const Mat3 r = out.turn.toRotationMatrix();
  const Vec3 mean = origin + sum / double(x.size());
  double squared = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    squared = std::max(squared, (x[i] - mean - r * places_[i]).squaredNorm());
  out.miss = std::sqrt(squared);
  return out;
}

double SelfClearance::bound(std::span<const Vec3> begin, std::span<const Vec3> end, double kept) {
  if (places_.empty()) return 0;
  PLIANT_CHECK(begin.size() == places_.size() && end.size() == places_.size());
  const auto is_last = [&](std::span<const Vec3> x) {
    return std::equal(x.begin(), x.end(), last_.begin(), last_.end());
  };
  const Fit at_begin = is_last(begin) ? last_fit_ : fit(begin);
  if (!is_last(end)) {
    last_fit_ = fit(end);
    last_.assign(end.begin(), end.end());
  }
  // |q1 . q2| is the cosine of half the angle from one rotation to the other.
  const double shortened = std::min(1.0, std::abs(at_begin.turn.dot(last_fit_.turn)));
  return std::max(0.0, shortened * (distance_ + kept) - kept - 2 * std::max(at_begin.miss, last_fit_.miss));
}

}  // namespace pliant
