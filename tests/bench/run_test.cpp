// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/run.hpp"

#include <gtest/gtest.h>

namespace pliant::bench {
namespace run_test {

TEST(BenchFilter, begins_where_a_word_does) {
  EXPECT_TRUE(matches("metric/soft-20", "metric"));
  EXPECT_TRUE(matches("geometric/solid-14k", "14k"));
  EXPECT_TRUE(matches("geometric/bar", ""));
  EXPECT_FALSE(matches("geometric/bar", "metric"));
}

}  // namespace run_test
}  // namespace pliant::bench
