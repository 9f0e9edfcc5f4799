// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/fast_colliders.hpp"

#include <gtest/gtest.h>

#include "pliant/scene/parse.hpp"

namespace pliant {
namespace fast_colliders_test {

std::vector<std::string> notes(const std::string& collider) {
  return fast_collider_notes(
      parse_scene(
          R"({"timestep": 0.01, "bodies": [{"shape": {"box": {}}}], "colliders": [)" + collider + "]}",
          "a.json")
          .spec);
}

// 20 m in 0.02 s: 15 m in a step of 0.01 s where the eased motion is fastest.
TEST(FastColliders, a_wall_that_passes_more_than_its_thickness_in_a_step_is_told) {
  const std::string wall =
      R"({"box": {"size": [0.5, 2, 2], "motion": [{"time": 0}, {"time": 0.02, "translate": [20, 0, 0]}]}})";
  const std::vector<std::string> said = notes(wall);
  ASSERT_EQ(said.size(), 1u);
  for (const char* words : {"colliders.0", "15 m in a step", "0.5 m thick", "at least 60 substeps"})
    EXPECT_NE(said[0].find(words), std::string::npos) << said[0];
}

TEST(FastColliders, slow_ones_and_those_without_another_side_are_not) {
  EXPECT_TRUE(
      notes(
          R"({"box": {"size": [0.5, 2, 2], "motion": [{"time": 0}, {"time": 1, "translate": [20, 0, 0]}]}})")
          .empty());
  EXPECT_TRUE(notes(R"({"box": {"size": [0.5, 2, 2]}})").empty());
  EXPECT_TRUE(
      notes(R"({"plane": {"motion": [{"time": 0}, {"time": 0.02, "translate": [0, 20, 0]}]}})").empty());
  EXPECT_EQ(
      notes(
          R"({"sphere": {"radius": 0.1, "motion": [{"time": 0}, {"time": 0.02, "translate": [0, 20, 0]}]}})")
          .size(),
      1u);
}

}  // namespace fast_colliders_test
}  // namespace pliant
