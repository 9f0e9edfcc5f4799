// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_dents.hpp"

#include <gtest/gtest.h>

#include "pliant/geometry/cage.hpp"

namespace pliant::cage {
namespace note_dents_test {

TEST(CageNotes, a_surface_coarser_than_its_cage_is_told_what_it_meets_colliders_with) {
  const TriMesh coarse = box_cage(Vec3(0, 0, 0), Vec3(1, 1, 1), {1, 1, 1}),
                fine = box_cage(Vec3(0, 0, 0), Vec3(1, 1, 1), {6, 6, 6}),
                cage = box_cage(Vec3(-0.1, -0.1, -0.1), Vec3(1.1, 1.1, 1.1), {3, 3, 3});
  EXPECT_FALSE(note_coarse_surface(fine, cage));
  const auto note = note_coarse_surface(coarse, cage);
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("the 8 vertices"), std::string::npos) << *note;
  EXPECT_NE(note->find("1.4 m long"), std::string::npos) << *note;
}

}  // namespace note_dents_test
}  // namespace pliant::cage
