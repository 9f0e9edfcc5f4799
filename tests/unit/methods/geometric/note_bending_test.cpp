// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/note_bending.hpp"

#include <gtest/gtest.h>

namespace pliant::geometric {
namespace note_bending_test {

std::optional<std::string> note_of(const Vec3& size, const std::array<int, 3>& nodes) {
  const Shape box = make_shape(BoxShape{.size = size, .nodes = nodes});
  return note_bending({}, BodyPlan{.shape = box, .damping = {}});
}

TEST(NoteBending, tells_of_slender_boxes_whose_bias_exceeds_a_tenth) {
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {41, 9, 9}));  // 8 cells: 1 %
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {21, 5, 5}));  // 4 cells: 5 %
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {21, 9, 9}));  // 8 cells twice as long as high: 1 %
  const auto few = note_of({2, 0.4, 0.4}, {11, 3, 3});
  ASSERT_TRUE(few);
  EXPECT_NE(few->find("24 % too stiffly: 2 cells"), std::string::npos) << *few;
  const auto one = note_of({2, 0.4, 0.4}, {6, 2, 2});
  ASSERT_TRUE(one);
  EXPECT_NE(one->find("295 % too stiffly: 1 cell of"), std::string::npos) << *one;
  const auto stretched = note_of({4.8, 0.4, 0.4}, {9, 9, 9});  // 12 : 1
  ASSERT_TRUE(stretched);
  EXPECT_NE(stretched->find("27 % too stiffly"), std::string::npos) << *stretched;
  EXPECT_NE(stretched->find("three times as long as high"), std::string::npos) << *stretched;
  EXPECT_FALSE(note_of({1, 1, 1}, {3, 3, 3})) << "a cube hardly bends";
}

TEST(NoteBending, tells_of_clamped_boxes_with_poisson_sooner) {
  const Shape box = make_shape(BoxShape{.size = {2, 0.4, 0.4}, .nodes = {21, 5, 5}});
  Options rubber;
  rubber.poisson = 0.45;
  const auto note = note_bending(rubber, BodyPlan{.shape = box, .damping = {}});
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("16 % too stiffly: 4 cells"), std::string::npos) << *note;
}

TEST(NoteBending, says_nothing_of_shapes_without_a_lattice_and_of_shells) {
  const Shape ball = make_shape(EllipsoidShape{.radii = {1, 0.1, 0.1}, .nodes = 5});
  EXPECT_FALSE(note_bending({}, BodyPlan{.shape = ball, .damping = {}}));
  const Shape box = make_shape(BoxShape{.size = {2, 0.1, 0.1}, .nodes = {21, 2, 2}});
  Options shell;
  shell.op = Operator::edge;
  EXPECT_FALSE(note_bending(shell, BodyPlan{.shape = box, .damping = {}}));
}

}  // namespace note_bending_test
}  // namespace pliant::geometric
