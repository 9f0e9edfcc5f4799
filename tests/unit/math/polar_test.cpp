// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/polar.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <random>

namespace pliant {
namespace polar_test {

/// U V^T, the least stretch's sign turned where that would be a reflection.
Mat3 by_singular_values(const Mat3& f) {
  const Eigen::JacobiSVD<Mat3> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 sign(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant());
  return svd.matrixU() * sign.asDiagonal() * svd.matrixV().transpose();
}

TEST(PolarRotation, is_that_of_the_singular_values_for_any_matrix_and_warm_start) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 2000; ++round) {
    const Mat3 f = Mat3::NullaryExpr([&] { return normal(random); });
    const Vec3 stretch = Eigen::JacobiSVD<Mat3>(f).singularValues();
    const double margin = stretch[1] + (f.determinant() > 0 ? 1 : -1) * stretch[2];
    if (margin < 0.01) continue;  // hardly determined
    const Eigen::Quaterniond warm = Eigen::Quaterniond::UnitRandom();
    EXPECT_LT((polar_rotation(f, warm).toRotationMatrix() - by_singular_values(f)).norm(), 1e-10);
  }
}

TEST(PolarRotation, is_a_rotation_for_matrices_that_determine_none) {
  Mat3 rank_one = Vec3(1, 2, 3) * Vec3(0, 1, 0).transpose();
  const Mat3 bad = Mat3::Constant(std::nan(""));
  for (const Mat3& f : {Mat3(Mat3::Zero()), rank_one, Mat3(-Mat3::Identity()), bad}) {
    const Mat3 r = polar_rotation(f, Eigen::Quaterniond::Identity()).toRotationMatrix();
    EXPECT_LT((r * r.transpose() - Mat3::Identity()).norm(), 1e-12);
    EXPECT_GT(r.determinant(), 0);
  }
}

}  // namespace polar_test
}  // namespace pliant
