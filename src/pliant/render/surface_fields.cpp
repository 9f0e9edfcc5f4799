// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/surface_fields.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

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

/// Largest and smallest stretch within the surface: one of the three singular values is the 1 of the normal.
std::pair<double, double> stretches(const Eigen::JacobiSVD<Mat3>& svd, const Vec3& normal) {
  Eigen::Index out = 0;
  (svd.matrixU().transpose() * normal).cwiseAbs().maxCoeff(&out);
  const Vec3& s = svd.singularValues();  // descending
  return {s[out == 0 ? 1 : 0], s[out == 2 ? 1 : 2]};
}

/// The angle between the normals of two triangles that share the edge ab, signed by its direction, rad.
double fold(const Points& x, const Triangle& s, const Triangle& t, Index a, Index b) {
  const auto normal = [&](const Triangle& of) {
    const Vec3& p = x[std::size_t(of[0])];
    return Vec3((x[std::size_t(of[1])] - p).cross(x[std::size_t(of[2])] - p));
  };
  const Vec3 m = normal(s), n = normal(t), turn = m.cross(n);
  const double angle = std::atan2(turn.norm(), m.dot(n));
  return turn.dot(x[std::size_t(b)] - x[std::size_t(a)]) > 0 ? angle : -angle;
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
    return stretches(svd, normal).first;
  });
}

std::vector<float> distortion_field(const Points& rest, const Points& x,
                                    const std::vector<Triangle>& triangles) {
  return vertex_means(rest, x, triangles, 1, [](const Eigen::JacobiSVD<Mat3>& svd, const Vec3& normal) {
    const auto [largest, smallest] = stretches(svd, normal);
    return largest / smallest;
  });
}

SurfaceDistortion surface_distortion(const Points& rest, const Points& x,
                                     const std::vector<Triangle>& triangles) {
  SurfaceDistortion out;
  std::vector<std::pair<double, double>> ratios;  // and rest areas
  double whole = 0;
  std::map<std::pair<Index, Index>, const Triangle*> across;
  for (const Triangle& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      const auto [other, first] = across.insert({{std::min(a, b), std::max(a, b)}, &t});
      if (first) continue;
      const double turned = fold(x, t, *other->second, a, b) - fold(rest, t, *other->second, a, b);
      out.kink =
          std::max(out.kink, std::abs(std::remainder(turned, 2 * std::numbers::pi)) * 180 / std::numbers::pi);
    }
    const Mat3 before = frame(rest, t), after = frame(x, t);
    const double area = before.determinant();
    if (!(area > 0) || after.isZero(0)) continue;
    const Eigen::JacobiSVD<Mat3> svd(after * before.inverse(), Eigen::ComputeFullU | Eigen::ComputeFullV);
    const auto [largest, smallest] = stretches(svd, after.col(2));
    ratios.emplace_back(largest / smallest, area);
    whole += area;
  }
  std::sort(ratios.begin(), ratios.end());
  double below = 0;
  for (const auto& [ratio, area] : ratios) {
    out.p95 = ratio;
    if ((below += area) >= 0.95 * whole) break;
  }
  return out;
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
