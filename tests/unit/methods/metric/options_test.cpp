// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/options.hpp"

#include <gtest/gtest.h>

namespace pliant::metric {
namespace metric_options_test {

// [Kelager05, Sec. 4.1]: patches fold where eta_12 + eta_21 < eta_11 + eta_22; both face diagonals have `area`.
TEST(MetricOptions, faces_are_at_least_as_strong_as_lengths) {
  for (const double strength : {not_given, 100.0}) {
    const Options options{.strength = strength};
    EXPECT_GE(2 * area_of(options), 2 * options.length);
  }
}

// [Kelager05, Sec. 6]: volume before area before distance.
TEST(MetricOptions, volume_goes_before_area_and_area_before_distance) {
  for (const double strength : {not_given, 100.0}) {
    const Options options{.strength = strength};
    EXPECT_GT(volume_of(options), area_of(options));
    EXPECT_GT(area_of(options), options.length);
  }
}

// [Kelager05, Sec. 6] compares both models "with the same parameters".
TEST(MetricOptions, the_angles_of_the_original_are_as_strong_as_the_diagonals_that_replace_them) {
  const Options original{.model = Kind::original, .strength = 100}, improved{.strength = 100};
  EXPECT_EQ(original.angle, area_of(improved));
}

TEST(MetricOptions, what_is_given_counts) {
  const Options options{.strength = 100, .area = 7, .volume = 9};
  EXPECT_EQ(area_of(options), 7);
  EXPECT_EQ(volume_of(options), 9);
}

}  // namespace metric_options_test
}  // namespace pliant::metric
