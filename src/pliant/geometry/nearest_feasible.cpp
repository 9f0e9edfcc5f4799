// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/nearest_feasible.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr double slack = 1e-12;     // of the distances, in the measure of A
constexpr double parallel = 1e-10;  // sine of the angle between planes that count as parallel

/// Where A is the unit matrix and the centre the origin; normals are unit again.
struct Unit {
  std::vector<Halfspace> planes;

  bool violated(std::size_t k, const Vec3& y) const {
    return planes[k].normal.dot(y) < planes[k].offset - slack * (1 + std::abs(planes[k].offset));
  }

  /// On planes i and j, within the planes before j.
  std::optional<Vec3> on_line(std::size_t i, std::size_t j) const {
    const Vec3 &m = planes[i].normal, &n = planes[j].normal;
    Vec3 along = m.cross(n);
    const double sine = along.norm();
    if (sine < parallel) return std::nullopt;
    along /= sine;
    // The nearest point of the line: a combination of both normals.
    const double cosine = m.dot(n), e = planes[i].offset, f = planes[j].offset;
    const Vec3 nearest = ((e - cosine * f) * m + (f - cosine * e) * n) / (sine * sine);
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t k = 0; k < j; ++k) {
      const double slope = planes[k].normal.dot(along),
                   rest = planes[k].offset - planes[k].normal.dot(nearest);
      if (std::abs(slope) < parallel) {
        if (rest > slack * (1 + std::abs(planes[k].offset))) return std::nullopt;
      } else if (slope > 0) {
        low = std::max(low, rest / slope);
      } else {
        high = std::min(high, rest / slope);
      }
    }
    if (low > high) return std::nullopt;
    return nearest + std::clamp(0.0, low, high) * along;
  }

  /// On plane i, within the planes before it.
  std::optional<Vec3> on_plane(std::size_t i) const {
    Vec3 y = planes[i].offset * planes[i].normal;
    for (std::size_t j = 0; j < i; ++j) {
      if (!violated(j, y)) continue;
      const auto found = on_line(i, j);
      if (!found) return std::nullopt;
      y = *found;
    }
    return y;
  }
};

}  // namespace

std::optional<Vec3> nearest_feasible(const Mat3& a, const Vec3& centre,
                                     std::span<const Halfspace> halfspaces) {
  const Eigen::LLT<Mat3> factor(a);
  if (factor.info() != Eigen::Success) return std::nullopt;
  // y = L^T (x - centre): |y|^2 is the objective, n . x >= d becomes (L^-1 n) . y >= d - n . centre.
  Unit unit;
  unit.planes.reserve(halfspaces.size());
  for (const Halfspace& h : halfspaces) {
    const Vec3 m = factor.matrixL().solve(h.normal);
    const double length = m.norm();
    unit.planes.push_back({m / length, (h.offset - h.normal.dot(centre)) / length});
  }
  Vec3 y = Vec3::Zero();
  for (std::size_t i = 0; i < unit.planes.size(); ++i) {
    if (!unit.violated(i, y)) continue;
    const auto found = unit.on_plane(i);
    if (!found) return std::nullopt;
    y = *found;
  }
  return centre + Vec3(factor.matrixU().solve(y));
}

}  // namespace pliant
