// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/momentum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace pliant::geometric {
namespace {

Vec3 center_of(const std::vector<double>& mass, const Points& x, double& total) {
  Vec3 sum = Vec3::Zero();
  total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += mass[i] * x[i], total += mass[i];
  return sum / total;
}

}  // namespace

Spin spin(const std::vector<double>& mass, const Points& x, const Points& v) {
  Spin out;
  out.center = center_of(mass, x, out.mass);
  out.velocity = center_of(mass, v, out.mass);
  for (std::size_t i = 0; i < x.size(); ++i)
    out.angular += mass[i] * (x[i] - out.center).cross(v[i] - out.velocity);
  return out;
}

Vec3 rotation_rate(const std::vector<double>& mass, const Points& x, const Vec3& wanted) {
  double total = 0;
  const Vec3 center = center_of(mass, x, total);
  Mat3 second = Mat3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 r = x[i] - center;
    second += (mass[i] * r) * r.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> inertia(second.trace() * Mat3::Identity() - second);
  const Vec3 values = inertia.eigenvalues();
  Vec3 along = inertia.eigenvectors().transpose() * wanted;
  for (int k = 0; k < 3; ++k) along[k] = values[k] > 1e-9 * values[2] ? along[k] / values[k] : 0;
  return inertia.eigenvectors() * along;
}

}  // namespace pliant::geometric
