// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cage_check.hpp"

#include <gtest/gtest.h>

#include "pliant/geometry/cage.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace cage_check_test {

const Points middle{{0.5, 0.5, 0.5}, {0.3, 0.4, 0.6}};

std::string fault(const TriMesh& cage, const Points& inside = middle, double clearance = 0) {
  const auto problem = check_cage(cage, inside, clearance);
  return problem ? problem->found + "; expected " + problem->expected : "";
}

void expect_says(const std::string& fault, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(fault.find(word), std::string::npos) << word << " in: " << fault;
}

TEST(CageCheck, a_box_around_its_points_passes) {
  EXPECT_EQ(fault(box_surface()), "");
  EXPECT_EQ(fault(box_cage({0, 0, 0}, {1, 1, 1}, {2, 3, 4})), "");
}

TEST(CageCheck, a_missing_face_is_named_by_the_edge_beside_it) {
  TriMesh cage = box_surface();
  cage.triangles.pop_back();  // 3, 7, 5
  expect_says(fault(cage), {"open", "vertices 5 and 7 at face 3", "2 more"});
}

TEST(CageCheck, a_face_that_runs_the_wrong_way_is_named) {
  TriMesh cage = box_surface();
  std::swap(cage.triangles[4][1], cage.triangles[4][2]);
  expect_says(fault(cage), {"run the same way", "faces", " 4"});
}

TEST(CageCheck, an_inside_out_cage_is_refused) {
  expect_says(fault(turned(box_surface())), {"inside out", "face 0"});
}

TEST(CageCheck, faces_that_cross_are_named) {
  TriMesh cage = box_surface();
  append(cage, {});
  cage.vertices[7] = {0.5, 0.5, -0.5};  // pushed out through the opposite side
  expect_says(fault(cage), {"crosses or touches itself", "face 0 "});
}

TEST(CageCheck, a_cage_that_crosses_itself_is_not_called_inside_out) {
  // A corner pulled so far through the others that what it turns over is more than what is left.
  TriMesh cage = box_cage({-0.1, -0.1, -0.1}, {1.1, 1.1, 1.1}, {2, 2, 2});
  cage.vertices[0] = {20, 20, 20};
  ASSERT_LT(enclosed_volume(cage.vertices, cage.triangles), 0);
  const std::string said = fault(cage);
  expect_says(said, {"crosses or touches itself", "face"});
  EXPECT_EQ(said.find("inside out"), std::string::npos) << said;
}

TEST(CageCheck, a_fold_that_only_touches_is_found) {
  TriMesh cage = box_surface();
  // A tent on one side with its tip exactly on the opposite one.
  cage.triangles.erase(cage.triangles.begin());
  cage.vertices.push_back({0.25, 0.25, 1});
  cage.triangles.push_back({0, 2, 8});
  cage.triangles.push_back({2, 1, 8});
  cage.triangles.push_back({1, 0, 8});
  expect_says(fault(cage, {{0.9, 0.9, 0.9}}), {"crosses or touches itself"});
}

TEST(CageCheck, two_boxes_are_not_one_cage) {
  TriMesh cage = box_surface();
  append(cage, box_surface({2, 0, 0}, {3, 1, 1}));
  expect_says(fault(cage), {"2 pieces", "face 12"});
}

TEST(CageCheck, flat_faces_missing_vertices_and_numbers_without_end_are_named) {
  TriMesh cage = box_surface();
  cage.vertices[3] = cage.vertices[2];
  expect_says(fault(cage), {"without area", "face 1 "});
  cage = box_surface();
  cage.triangles[5][2] = 99;
  expect_says(fault(cage), {"face 5", "99", "0 to 7"});
  cage = box_surface();
  cage.vertices[6].x() = NAN;
  expect_says(fault(cage), {"vertex 6", "finite"});
  cage = box_surface();
  cage.vertices.push_back({0.5, 0.5, 0.5});
  expect_says(fault(cage), {"vertex 8 of no face"});
  expect_says(fault({}), {"without faces"});
}

TEST(CageCheck, points_outside_or_too_near_are_named) {
  expect_says(fault(box_surface(), {{0.5, 0.5, 0.5}, {0.5, 0.5, 1.5}, {-1, 0, 0}}),
              {"vertex 1 of the body", "outside", "1 more"});
  expect_says(fault(box_surface(), {{0.5, 0.5, 0.5}, {0.5, 0.97, 0.5}}, 0.05),
              {"too tight", "vertex 1 of the body", "0.03 m", "at least 0.05 m"});
  expect_says(fault(box_surface(), {{0.5, 0.5, 1 - 1e-7}}), {"too tight"});
  EXPECT_EQ(fault(box_surface(), {{0.5, 0.5, 1 - 1e-5}}), "");
}

TEST(CageCheck, the_tightest_place_is_found) {
  const CageClearance tight = cage_clearance(box_surface(), middle);
  EXPECT_EQ(tight.point, 1);
  EXPECT_NEAR(tight.distance, 0.3, 1e-12);
}

}  // namespace cage_check_test
}  // namespace pliant
