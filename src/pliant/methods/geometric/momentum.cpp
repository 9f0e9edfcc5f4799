// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/momentum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

namespace pliant::geometric {

Spin spin(std::span<const Index> nodes, const std::vector<double>& mass, const Points& x, const Points& v) {
  // One pass, about the first node: near the body nothing cancels that matters.
  const Vec3 origin = x[nodes[0]];
  Spin out;
  Vec3 first = Vec3::Zero(), momentum = Vec3::Zero(), angular = Vec3::Zero();
  for (Index i : nodes) {
    const Vec3 r = x[i] - origin, p = mass[i] * v[i];
    out.mass += mass[i];
    first += mass[i] * r;
    momentum += p;
    angular += r.cross(p);
  }
  out.center = origin + first / out.mass;
  out.velocity = momentum / out.mass;
  out.angular = angular - (out.center - origin).cross(momentum);
  return out;
}

Vec3 rotation_rate(std::span<const Index> nodes, const std::vector<double>& mass, const Points& x,
                   const Vec3& wanted) {
  const Vec3 origin = x[nodes[0]];
  double total = 0;
  Vec3 first = Vec3::Zero();
  Vec3 squares = Vec3::Zero(), products = Vec3::Zero();  // of m r r^T
  for (Index i : nodes) {
    const Vec3 r = x[i] - origin, s = mass[i] * r;
    total += mass[i];
    first += s;
    squares += s.cwiseProduct(r);
    products += Vec3(s.y() * r.z(), s.x() * r.z(), s.x() * r.y());
  }
  Mat3 second = squares.asDiagonal();
  second(1, 2) = second(2, 1) = products.x();
  second(0, 2) = second(2, 0) = products.y();
  second(0, 1) = second(1, 0) = products.z();
  second -= first * first.transpose() / total;
  const Eigen::SelfAdjointEigenSolver<Mat3> inertia(second.trace() * Mat3::Identity() - second);
  const Vec3 values = inertia.eigenvalues();
  Vec3 along = inertia.eigenvectors().transpose() * wanted;
  for (int k = 0; k < 3; ++k) along[k] = values[k] > 1e-9 * values[2] ? along[k] / values[k] : 0;
  return inertia.eigenvectors() * along;
}

}  // namespace pliant::geometric
