// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/volume_target.hpp"

#include <algorithm>

namespace pliant::geometric {
namespace {

constexpr int most_rounds = 100;
constexpr double least_slope = 1.0 / 30;  // of det T, squared: where T is nearly singular

Mat3 cofactors(const Mat3& t) {
  Mat3 out;
  out << t.row(1).cross(t.row(2)), t.row(2).cross(t.row(0)), t.row(0).cross(t.row(1));
  return out;
}

double dot(const Mat3& a, const Mat3& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

Mat3 volume_target(const Star& star, const Mat3& covariance) {
  const Mat3 f = star.compliance * covariance * star.shape;
  Mat3 t = f;
  for (int k = 0; k < most_rounds; ++k) {
    const Mat3 cof = cofactors(t), direction = cof * star.shape;
    const double det = cof.row(0).dot(t.row(0));
    const double nu = (1 - det + dot(cof, t - f)) / std::max(dot(cof, direction), least_slope);
    const Mat3 next = f + nu * direction;
    const double change = (next - t).squaredNorm();
    t = next;
    if (change <= 1e-30 * t.squaredNorm()) break;
  }
  return t;
}

Mat3 volume_excess(const Star& star, const Mat3& covariance) {
  return star.compliance * covariance * star.shape - volume_target(star, covariance);
}

Mat3 volume_excess_change(const Star& star, const Mat3& target, const Mat3& covariance_change) {
  const Mat3 df = star.compliance * covariance_change * star.shape;
  const Mat3 cof = cofactors(target), direction = cof * star.shape;
  return dot(cof, df) / dot(cof, direction) * direction;
}

}  // namespace pliant::geometric
