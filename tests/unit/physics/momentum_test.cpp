// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/momentum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <random>

namespace pliant {
namespace momentum_test {

struct Cloud {
  Points a, b;  ///< of mass 1

  Mat3 moments() const {
    Mat3 sum = Mat3::Zero();
    for (std::size_t i = 0; i < a.size(); ++i) sum += b[i] * a[i].transpose();
    return sum;
  }
  Vec3 gain(const Mat3& change) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].cross(change * b[i]);
    return sum;
  }
};

/// b is a, turned by 0.3 rad and a little deformed.
Cloud cloud(const Vec3& size) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Eigen::AngleAxisd turned(0.3, Vec3(1, 2, -1).normalized());
  Cloud out;
  for (int i = 0; i < 20; ++i) {
    const Vec3 p = size.cwiseProduct(Vec3(unit(random), unit(random), unit(random)));
    out.a.push_back(p);
    out.b.push_back(turned * (1.01 * p));
  }
  return out;
}

void expect_rotation(const Mat3& change) {
  const Mat3 q = change + Mat3::Identity();
  EXPECT_LT((q.transpose() * q - Mat3::Identity()).norm(), 1e-14);
  EXPECT_GT(q.determinant(), 0);
}

TEST(Momentum, a_turn_gives_the_spin_that_is_lacking) {
  const Cloud c = cloud({1, 2, 3});
  for (double scale : {1e-12, 1e-3, 10.0}) {
    const Vec3 lack = scale * Vec3(1, -0.5, 0.7);
    const SpinTurn turn = turn_for(c.moments(), lack);
    expect_rotation(turn.change);
    EXPECT_LT((c.gain(turn.change) - lack).norm(), 1e-13 * std::max(scale, 1e-2)) << scale;
    EXPECT_LT(turn.left.norm(), 1e-13 * lack.norm()) << scale;
  }
}

TEST(Momentum, a_rod_turns_about_the_axes_that_have_inertia) {
  const Cloud c = cloud({0, 0, 3});
  const Vec3 along = c.a[0].cross(c.b[0]).normalized();
  const SpinTurn turn = turn_for(c.moments(), 0.1 * along);
  expect_rotation(turn.change);
  EXPECT_LT((c.gain(turn.change) - 0.1 * along).norm(), 1e-13);
}

TEST(Momentum, a_spin_that_no_rotation_has_is_left_over) {
  const Cloud c = cloud({1, 2, 3});
  const Vec3 lack(1e4, 0, 0);
  for (const Mat3& moments : {c.moments(), Mat3(Mat3::Zero()), Mat3(-c.moments())}) {
    const SpinTurn turn = turn_for(moments, lack);
    EXPECT_EQ(turn.change, Mat3(Mat3::Zero()));
    EXPECT_EQ(turn.left, lack);
  }
}

}  // namespace momentum_test
}  // namespace pliant
