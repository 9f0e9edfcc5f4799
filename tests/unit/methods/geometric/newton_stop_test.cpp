// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/newton_stop.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pliant::geometric {
namespace newton_stop_test {

/// The iteration after which it is over, with `first` left by the first and `later(k)` by the k-th.
template <class Later>
int stopped_after(NewtonStop stop, double first, const Later& later) {
  for (int k = 1; k <= 30; ++k)
    if (stop.reached(k == 1 ? first : later(k))) return k;
  return -1;
}

/// Whether `rho` is enough in the second iteration, after `first` was not in the first.
bool enough(double tolerance, double start, double first, double rho) {
  NewtonStop stop(tolerance, start);
  EXPECT_FALSE(stop.reached(first));
  return stop.reached(rho);
}

TEST(NewtonStop, is_reached_by_the_square_of_the_tolerance_from_the_start) {
  // The first iteration leaves so much that ten times it is more than the start.
  EXPECT_TRUE(enough(0.1, 5, 0.5, 0.99 * 0.01 * 5));
  EXPECT_FALSE(enough(0.1, 5, 0.5, 1.01 * 0.01 * 5));
  EXPECT_TRUE(enough(0.02, 5, 0.5, 0.99 * 4e-4 * 5));
  EXPECT_FALSE(enough(0.02, 5, 0.5, 1.01 * 4e-4 * 5));
}

TEST(NewtonStop, counts_from_ten_times_what_the_first_iteration_leaves_where_that_is_less) {
  EXPECT_TRUE(enough(0.1, 1, 0.02, 0.99 * 0.01 * 0.2));
  EXPECT_FALSE(enough(0.1, 1, 0.02, 1.01 * 0.01 * 0.2));
  // The first iteration itself is never enough by that, however much it took.
  EXPECT_FALSE(NewtonStop(0.1, 1).reached(1e-3));
}

TEST(NewtonStop, does_not_follow_rounding_below_a_hundred_thousandth) {
  // A thousandth of ten times 2e-5 is 2e-7: the floor is in force.
  EXPECT_TRUE(enough(0.03, 1, 2e-5, 0.99e-5));
  EXPECT_FALSE(enough(0.03, 1, 2e-5, 1.01e-5));
  EXPECT_TRUE(NewtonStop(0.1, 1).reached(0.9e-5));
  EXPECT_TRUE(NewtonStop(0.1, 1e6).reached(9));
}

TEST(NewtonStop, a_tolerance_below_the_floor_is_obeyed) {
  EXPECT_FALSE(enough(1e-3, 1, 0.5, 1.01e-6));
  EXPECT_TRUE(enough(1e-3, 1, 0.5, 0.99e-6));
  // Also after many iterations: the floor never raises it.
  EXPECT_EQ(stopped_after(NewtonStop(1e-3, 1), 0.5, [](int) { return 1.01e-6; }), -1);
}

TEST(NewtonStop, asks_for_a_tenth_from_the_eighth_iteration_on) {
  const auto from = [](int iteration, double rho) {
    return stopped_after(NewtonStop(0.1, 1), 0.5, [=](int k) { return k < iteration ? 0.5 : rho; });
  };
  EXPECT_EQ(from(7, 0.99e-2), 7);
  EXPECT_EQ(from(8, 0.99e-2), -1);
  EXPECT_EQ(from(8, 1.01e-3), -1);
  EXPECT_EQ(from(8, 0.99e-3), 8);
  EXPECT_EQ(from(12, 0.99e-3), 12);
  EXPECT_EQ(from(12, 1.01e-3), -1);  // once, not once more in every iteration, and not less later
}

TEST(NewtonStop, that_tenth_is_never_below_the_floor) {
  // A hundredth of ten times 5e-4 is 5e-5, a tenth of that 5e-6.
  const auto from = [](double rho) {
    return stopped_after(NewtonStop(0.1, 1), 5e-4, [=](int k) { return k < 8 ? 5e-4 : rho; });
  };
  EXPECT_EQ(from(0.99e-5), 8);
  EXPECT_EQ(from(1.01e-5), -1);
}

TEST(NewtonStop, what_is_not_a_number_ends_it) {
  EXPECT_TRUE(NewtonStop(0.1, 1).reached(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace newton_stop_test
}  // namespace pliant::geometric
