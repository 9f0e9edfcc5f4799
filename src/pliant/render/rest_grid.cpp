// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/rest_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

float line_coverage(float distance, float half_width, float pixel) {
  const float low = std::max(distance - pixel / 2, -half_width),
              high = std::min(distance + pixel / 2, half_width);
  return std::max(high - low, 0.0f) / std::max(pixel, std::numeric_limits<float>::min());
}

RestGrid::RestGrid(const Points& rest) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vec3& p : rest) low = low.cwiseMin(p), high = high.cwiseMax(p);
  if (rest.empty()) low = high = Vec3::Zero();
  const Vec3 extent = high - low;
  const double longest = std::max(extent.maxCoeff(), 1e-9);
  double narrow = longest;
  for (int c = 0; c < 3; ++c)
    if (extent[c] > 0.02 * longest) narrow = std::min(narrow, extent[c]);  // a sheet's thickness is no side
  const double wanted = std::max(narrow / 4, longest / 48);
  for (int c = 0; c < 3; ++c)
    spacing_[c] = float(std::max(extent[c], wanted) / std::max(1.0, std::round(extent[c] / wanted)));
  origin_ = low.cast<float>();
  half_width_ = 0.022f * float(wanted);
}

// A plane X_c = const meets the surface at an angle; seen along the surface, X_c changes by g = sqrt(1 -
// N_c^2) per metre. Dividing by g makes every line equally wide. Where g is small the plane is nearly the
// surface itself (the end face of a box) and the line fades.
float RestGrid::coverage(const Eigen::Vector3f& rest, const Eigen::Vector3f& normal,
                         const Eigen::Vector3f& dx, const Eigen::Vector3f& dy) const {
  float bare = 1;
  for (int c = 0; c < 3; ++c) {
    const float slope = std::sqrt(std::max(1 - normal[c] * normal[c], 0.0f));
    const float strength = std::clamp((slope - 0.55f) / 0.25f, 0.0f, 1.0f);
    if (strength <= 0) continue;
    const float at = (rest[c] - origin_[c]) / spacing_[c];
    const float distance = std::abs(at - std::round(at)) * spacing_[c] / slope;
    const float pixel = std::hypot(dx[c], dy[c]) / slope;
    // Lines closer than a few pixels would only flicker: they melt into their mean.
    const float melt = std::clamp((spacing_[c] / slope / std::max(pixel, 1e-12f) - 2) / 4, 0.0f, 1.0f);
    const float mean = 2 * half_width_ * slope / spacing_[c];
    bare *= 1 - strength * (melt * line_coverage(distance, half_width_, pixel) + (1 - melt) * mean);
  }
  return 1 - bare;
}

}  // namespace pliant
