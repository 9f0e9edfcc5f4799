// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rigid_fit.hpp"

#include <cmath>

#include "pliant/math/rotation.hpp"

namespace pliant {

double shape_error(std::span<const Vec3> x, std::span<const Vec3> rest, std::span<const double> mass) {
  Vec3 centre = Vec3::Zero(), rest_centre = Vec3::Zero();
  double total = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    centre += mass[i] * x[i], rest_centre += mass[i] * rest[i], total += mass[i];
  centre /= total, rest_centre /= total;
  Mat3 covariance = Mat3::Zero();
  for (std::size_t i = 0; i < rest.size(); ++i)
    covariance += mass[i] * (x[i] - centre) * (rest[i] - rest_centre).transpose();
  const Mat3 turn = nearest_rotation(covariance, Eigen::Quaterniond::Identity()).q.toRotationMatrix();
  double squares = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    squares += mass[i] * (x[i] - centre - turn * (rest[i] - rest_centre)).squaredNorm();
  return std::sqrt(squares / total);
}

}  // namespace pliant
