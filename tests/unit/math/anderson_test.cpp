// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/anderson.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>

namespace pliant {
namespace anderson_test {

using Vector = Eigen::Vector4d;

/// x <- b + t x: a linear iteration that contracts slowly.
struct Iteration {
  Eigen::Matrix4d t = Vector(0.99, -0.9, 0.7, 0.3).asDiagonal();
  Vector b{1, 2, 3, 4};
  Vector operator()(const Vector& x) const { return b + t * x; }
  Vector fixed_point() const { return (Eigen::Matrix4d::Identity() - t).inverse() * b; }
};

template <int window>
Vector accelerated(const Iteration& next, int count, std::array<Vector, window + 1>& increment) {
  Anderson<window> anderson;
  std::array<Vector, window + 1> iterate;
  Vector x = Vector::Zero();
  for (int k = 0; k < count; ++k) {
    const int now = anderson.next();
    iterate[now] = x;
    increment[now] = next(x) - x;
    anderson.weigh([&](int a, int b) { return increment[a].dot(increment[b]); });
    x.setZero();
    double shares = 0;
    for (int j = 0; j <= anderson.known(); ++j) {
      const int slot = anderson.slot(j);
      x += anderson.share(j) * (iterate[slot] + increment[slot]);
      shares += anderson.share(j);
    }
    EXPECT_NEAR(shares, 1, 1e-9);
  }
  return x;
}

TEST(Anderson, solves_a_linear_iteration_in_as_many_steps_as_it_has_unknowns) {
  const Iteration next;
  std::array<Vector, 6> increment;
  const Vector x = accelerated<5>(next, 6, increment);
  EXPECT_LT((x - next.fixed_point()).norm(), 1e-4 * next.fixed_point().norm());
}

TEST(Anderson, a_short_window_still_beats_the_plain_iteration) {
  const Iteration next;
  std::array<Vector, 3> increment;
  const Vector x = accelerated<2>(next, 20, increment);
  Vector plain = Vector::Zero();
  for (int k = 0; k < 20; ++k) plain = next(plain);
  EXPECT_LT((x - next.fixed_point()).norm(), 0.1 * (plain - next.fixed_point()).norm());
}

TEST(Anderson, stays_at_a_fixed_point) {
  Iteration next;
  next.b.setZero();
  std::array<Vector, 6> increment;
  EXPECT_EQ(accelerated<5>(next, 10, increment), Vector(Vector::Zero()));
}

}  // namespace anderson_test
}  // namespace pliant
