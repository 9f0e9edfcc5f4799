// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/note_bending.hpp"

#include <gtest/gtest.h>

namespace pliant::geometric {
namespace note_bending_test {

std::optional<std::string> note_of(const Vec3& size, const std::array<int, 3>& nodes, bool held = false) {
  const Shape box = make_shape(BoxShape{.size = size, .nodes = nodes});
  BodyPlan plan{.shape = box, .damping = {}};
  if (held) plan.held = {{.nodes = {0, 1, 2}}};
  return note_bending({}, plan);
}

TEST(NoteBending, tells_of_slender_boxes_whose_bias_exceeds_a_tenth) {
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {41, 9, 9}));  // 8 cells: 1 %
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {21, 5, 5}));  // 4 cells: 5 %
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {21, 9, 9}));  // 8 cells twice as long as high: 1 %
  const auto few = note_of({2, 0.4, 0.4}, {11, 3, 3});
  ASSERT_TRUE(few);
  EXPECT_NE(few->find("19 % too stiffly: 2 cells"), std::string::npos) << *few;
  const auto one = note_of({2, 0.4, 0.4}, {6, 2, 2});
  ASSERT_TRUE(one);
  EXPECT_NE(one->find("275 % too stiffly: 1 cell of"), std::string::npos) << *one;
  const auto stretched = note_of({4.8, 0.4, 0.4}, {9, 9, 9});  // 12 : 1
  ASSERT_TRUE(stretched);
  EXPECT_NE(stretched->find("19 % too stiffly"), std::string::npos) << *stretched;
  EXPECT_NE(stretched->find("three times as long as high"), std::string::npos) << *stretched;
  EXPECT_FALSE(note_of({1, 1, 1}, {3, 3, 3})) << "a cube hardly bends";
}

TEST(NoteBending, tells_what_a_held_end_adds_and_advises_against_the_larger_part) {
  const auto thick = note_of({2, 0.4, 0.4}, {11, 3, 3}, true);
  ASSERT_TRUE(thick);
  EXPECT_NE(thick->find("24 % too stiffly (5 % by a held end)"), std::string::npos) << *thick;
  EXPECT_NE(thick->find("More nodes through the thickness."), std::string::npos) << *thick;
  const auto end = note_of({2, 0.4, 0.4}, {6, 9, 9}, true);
  ASSERT_TRUE(end);
  EXPECT_NE(end->find("(20 % by a held end)"), std::string::npos) << *end;
  EXPECT_NE(end->find("More nodes along it."), std::string::npos) << *end;
  EXPECT_FALSE(note_of({2, 0.4, 0.4}, {6, 9, 9}));
}

TEST(NoteBending, tells_of_boxes_with_poisson_sooner) {
  const Shape box = make_shape(BoxShape{.size = {2, 0.4, 0.4}, .nodes = {21, 5, 5}});
  Options rubber;
  rubber.poisson = 0.45;
  const auto note = note_bending(rubber, BodyPlan{.shape = box, .damping = {}});
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("14 % too stiffly: 4 cells"), std::string::npos) << *note;
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
