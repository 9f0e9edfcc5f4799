// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_bending.hpp"

#include <gtest/gtest.h>

#include "pliant/methods/cage/note_dents.hpp"

namespace pliant::cage {
namespace note_bending_test {

std::optional<std::string> note_of(const Vec3& size, const std::array<int, 3>& cells, double poisson = 0.3) {
  const Shape box = make_shape(BoxShape{.size = size, .nodes = {21, 5, 5}});
  return note_bending({.cells = cells, .poisson = poisson}, BodyPlan{.shape = box, .damping = {}});
}

TEST(CageNoteBending, tells_of_slender_bodies_in_boxes) {
  const auto one = note_of({2, 0.2, 0.2}, {10, 1, 1});
  ASSERT_TRUE(one);
  EXPECT_NE(one->find("74 % too stiffly (15 % however fine its cage"), std::string::npos) << *one;
  EXPECT_NE(one->find("1 cell of"), std::string::npos) << *one;
  EXPECT_FALSE(note_of({1, 1, 1}, {2, 2, 2})) << "a cube hardly bends";
}

TEST(CageNoteBending, tells_of_slender_bodies_in_other_cages_what_no_cage_can_do_better) {
  const auto any = note_of({2, 0.2, 0.2}, {0, 0, 0});
  ASSERT_TRUE(any);
  EXPECT_NE(any->find("at least 15 % too stiffly"), std::string::npos) << *any;
}

TEST(CageNoteBending, tells_of_edges_that_contract_less_at_large_poisson_ratios) {
  for (const std::array<int, 3> cells : {std::array{10, 1, 1}, std::array{0, 0, 0}}) {
    EXPECT_EQ(note_of({2, 0.2, 0.2}, cells)->find("0.06 lower"), std::string::npos);
    EXPECT_NE(note_of({2, 0.2, 0.2}, cells, 0.45)->find("0.06 lower"), std::string::npos);
  }
}

TEST(CageNoteDents, says_how_much_too_little_a_caged_body_dents) {
  EXPECT_NEAR(dent_bias(0), 1.333, 1e-3);
  EXPECT_NEAR(dent_bias(0.3), 1.556, 1e-3);
  const std::string note = note_dents(0.3);
  EXPECT_NE(note.find("sinks in by 0.64 of what its stiffness says, a ball under its weight by 0.74"),
            std::string::npos)
      << note;
}

}  // namespace note_bending_test
}  // namespace pliant::cage
