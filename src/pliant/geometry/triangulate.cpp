// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/triangulate.hpp"

#include <algorithm>

namespace pliant {

const std::vector<Triangle>& PolygonCutter::cut(const std::vector<Index>& polygon) {
  polygon_ = &polygon;
  triangles_.clear();
  if (polygon.size() == 3) triangles_.push_back({0, 1, 2});
  if (polygon.size() <= 3) return triangles_;
  normal_ = newell_normal();
  if (polygon.size() == 4)
    cut_quad();
  else
    clip_ears();
  return triangles_;
}

/// Twice the area vector; the mean plane of a polygon that is not flat.
Vec3 PolygonCutter::newell_normal() const {
  Vec3 sum = Vec3::Zero();
  const Index n = Index(polygon_->size());
  for (Index i = 1; i + 1 < n; ++i) sum += (at(i) - at(0)).cross(at(i + 1) - at(0));
  const double length = sum.norm();
  return length > 0 ? Vec3(sum / length) : sum;
}

/// Twice the area of triangle ijk seen along the normal; negative when it faces away.
double PolygonCutter::facing(Index i, Index j, Index k) const {
  return (at(j) - at(i)).cross(at(k) - at(i)).dot(normal_);
}

void PolygonCutter::cut_quad() {
  const bool first = facing(0, 1, 2) > 0 && facing(0, 2, 3) > 0;
  const bool second = facing(1, 2, 3) > 0 && facing(1, 3, 0) > 0;
  const bool shorter = (at(2) - at(0)).squaredNorm() <= (at(3) - at(1)).squaredNorm();
  if (first != second ? first : shorter)
    triangles_ = {{0, 1, 2}, {0, 2, 3}};
  else
    triangles_ = {{1, 2, 3}, {1, 3, 0}};
}

/// Area over the sum of squared edges: 0 for a needle, largest for an equilateral ear.
void PolygonCutter::measure(Index corner) {
  const Index p = previous_[corner], n = next_[corner];
  const double squares =
      (at(corner) - at(p)).squaredNorm() + (at(n) - at(corner)).squaredNorm() + (at(p) - at(n)).squaredNorm();
  quality_[corner] = squares > 0 ? facing(p, corner, n) / squares : 0;
}

/// No corner where the polygon turns the other way lies inside.
bool PolygonCutter::is_ear(Index corner) {
  const Index p = previous_[corner], n = next_[corner];
  const std::vector<Index>& vertex = *polygon_;
  for (Index other = next_[n]; other != p; other = next_[other]) {
    --patience_;
    if (quality_[other] > 0) continue;
    if (vertex[other] == vertex[p] || vertex[other] == vertex[corner] || vertex[other] == vertex[n]) continue;
    if (facing(p, corner, other) >= 0 && facing(corner, n, other) >= 0 && facing(n, p, other) >= 0)
      return false;
  }
  return true;
}

/// -1: no ear is left.
Index PolygonCutter::best_ear() {
  std::fill(refused_.begin(), refused_.end(), 0);
  while (patience_ > 0) {
    Index best = -1;
    Index corner = some_corner_;
    for (Index k = 0; k < left_; ++k, corner = next_[corner]) {
      --patience_;
      if (refused_[corner] || !(quality_[corner] > 0)) continue;
      if (best < 0 || quality_[corner] > quality_[best] ||
          (quality_[corner] == quality_[best] && corner < best))
        best = corner;
    }
    if (best < 0 || is_ear(best)) return best;
    refused_[best] = 1;
  }
  return -1;
}

void PolygonCutter::clip_ears() {
  const Index n = Index(polygon_->size());
  previous_.resize(n);
  next_.resize(n);
  quality_.resize(n);
  refused_.resize(n);
  for (Index i = 0; i < n; ++i) {
    previous_[i] = (i + n - 1) % n;
    next_[i] = (i + 1) % n;
  }
  for (Index i = 0; i < n; ++i) measure(i);
  some_corner_ = 0;
  for (left_ = n; left_ > 3; --left_) {
    Index ear = best_ear();
    if (ear < 0) ear = some_corner_;  // crossing itself: any cut is as good as another
    const Index p = previous_[ear], q = next_[ear];
    triangles_.push_back({p, ear, q});
    next_[p] = q;
    previous_[q] = p;
    some_corner_ = q;
    measure(p);
    measure(q);
  }
  triangles_.push_back({previous_[some_corner_], some_corner_, next_[some_corner_]});
}

}  // namespace pliant
