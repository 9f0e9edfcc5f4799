// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/laps.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace pliant {
namespace laps_test {

TEST(Laps, time_belongs_to_the_stage_that_ends_and_equal_names_are_added_up) {
  Laps laps;
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  laps.end("sleep");
  laps.end("nothing");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  laps.end("sleep");
  ASSERT_EQ(laps.all().size(), 2u);
  EXPECT_EQ(laps.all()[0].name, "sleep");
  EXPECT_EQ(laps.all()[1].name, "nothing");
  EXPECT_GE(laps.all()[0].ms, 4.9);
}

}  // namespace laps_test
}  // namespace pliant
