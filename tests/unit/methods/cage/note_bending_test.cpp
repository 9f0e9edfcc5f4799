// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_bending.hpp"

#include <gtest/gtest.h>

namespace pliant::cage {
namespace note_bending_test {

std::optional<std::string> note_of(const Vec3& size, const std::array<int, 3>& cells) {
  const Shape box = make_shape(BoxShape{.size = size, .nodes = {21, 5, 5}});
  return note_bending({.cells = cells}, BodyPlan{.shape = box, .damping = {}});
}

TEST(CageNoteBending, is_what_was_measured_on_bars) {
  EXPECT_NEAR(bending_bias(1, 0.2, 0.2), 1.75, 0.06);
  EXPECT_NEAR(bending_bias(2, 0.2, 0.1), 1.37, 0.06);
  EXPECT_NEAR(bending_bias(2, 0.1, 0.1), 1.24, 0.06);
  EXPECT_NEAR(bending_bias(3, 0.2 / 3, 0.2 / 3), 1.18, 0.06);
}

TEST(CageNoteBending, tells_of_slender_bodies_in_boxes) {
  const auto one = note_of({2, 0.2, 0.2}, {10, 1, 1});
  ASSERT_TRUE(one);
  EXPECT_NE(one->find("75 % too stiffly: 1 cell of"), std::string::npos) << *one;
  EXPECT_FALSE(note_of({1, 1, 1}, {2, 2, 2})) << "a cube hardly bends";
  EXPECT_FALSE(note_of({2, 0.2, 0.2}, {0, 0, 0})) << "no box";
}

}  // namespace note_bending_test
}  // namespace pliant::cage
