// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/surface_fields.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {
namespace {

/// Edges and unit normal of a triangle as columns. A triangle without area has the zero matrix.
Mat3 frame(const Points& x, const Triangle& t) {
  Mat3 f;
  f.col(0) = x[std::size_t(t[1])] - x[std::size_t(t[0])];
  f.col(1) = x[std::size_t(t[2])] - x[std::size_t(t[0])];
  const Vec3 area = f.col(0).cross(f.col(1));
  const double norm = area.norm();
  if (norm <= 1e-12 * f.col(0).norm() * f.col(1).norm()) return Mat3::Zero();
  f.col(2) = area / norm;
  return f;
}

/// Deformation gradient of the surface, F E = e, with the normal carried along, and the singular values of F.
/// Vertex values are means over the triangles around, weighted by rest area.
template <class Value>
std::vector<float> vertex_means(const Points& rest, const Points& x, const std::vector<Triangle>& triangles,
                                double neutral, const Value& value) {
  std::vector<double> sum(x.size(), 0), weight(x.size(), 0);
  for (const Triangle& t : triangles) {
    const Mat3 before = frame(rest, t), after = frame(x, t);
    const double area = before.determinant();  // twice the rest area: the third column is a unit normal
    if (!(area > 0) || after.isZero(0)) continue;
    const Eigen::JacobiSVD<Mat3> svd(after * before.inverse(), Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double v = value(svd, after.col(2));
    for (Index i : t) sum[std::size_t(i)] += area * v, weight[std::size_t(i)] += area;
  }
  std::vector<float> means(x.size(), float(neutral));
  for (std::size_t i = 0; i < x.size(); ++i)
    if (weight[i] > 0) means[i] = float(sum[i] / weight[i]);
  return means;
}

}  // namespace

std::vector<float> speed_field(const Points& before, const Points& after, double seconds) {
  std::vector<float> speed(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) speed[i] = float((after[i] - before[i]).norm() / seconds);
  return speed;
}

std::vector<float> stretch_field(const Points& rest, const Points& x,
                                 const std::vector<Triangle>& triangles) {
  return vertex_means(rest, x, triangles, 1, [](const Eigen::JacobiSVD<Mat3>& svd, const Vec3& normal) {
    // One of the three singular values is the 1 of the normal: leave it out.
    double largest = 0;
    for (int k = 0; k < 3; ++k)
      if (std::abs(svd.matrixU().col(k).dot(normal)) < std::numbers::sqrt2 / 2)
        largest = std::max(largest, svd.singularValues()[k]);
    return largest;
  });
}

std::vector<float> rotation_field(const Points& rest, const Points& x,
                                  const std::vector<Triangle>& triangles) {
  return vertex_means(rest, x, triangles, 0, [](const Eigen::JacobiSVD<Mat3>& svd, const Vec3&) {
    const Mat3 r = svd.matrixU() * svd.matrixV().transpose();  // det F > 0: a proper rotation
    const Vec3 axis(r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1));
    return std::atan2(axis.norm(), r.trace() - 1) * 180 / std::numbers::pi;
  });
}

}  // namespace pliant
