// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/stray_parts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pliant {
namespace stray_parts_test {

/// A tetrahedron of size 1 and what is put beside it.
PolygonMesh tetrahedron() {
  PolygonMesh mesh;
  mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  mesh.corner = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  mesh.face_begin = {0, 3, 6, 9, 12};
  return mesh;
}

PolygonMesh with_triangle(const Vec3& at, double size) {
  PolygonMesh mesh = tetrahedron();
  mesh.vertices.insert(mesh.vertices.end(), {at, at + Vec3(size, 0, 0), at + Vec3(0, size, 0)});
  mesh.corner.insert(mesh.corner.end(), {4, 5, 6});
  mesh.face_begin.push_back(15);
  return mesh;
}

TEST(StrayParts, a_vertex_of_no_face_goes_to_where_faces_are_and_that_is_said) {
  PolygonMesh mesh = tetrahedron();
  mesh.vertices.push_back(Vec3(1e5, -2e6, 3));
  leave_out_stray_parts(mesh);
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[4], mesh.vertices[0]);
  EXPECT_EQ(mesh.faces(), 4);
  ASSERT_EQ(mesh.remarks.size(), 1u);
  EXPECT_NE(mesh.remarks[0].find("a vertex of no face"), std::string::npos) << mesh.remarks[0];
}

TEST(StrayParts, a_speck_far_away_is_left_out_and_that_is_said) {
  PolygonMesh mesh = with_triangle(Vec3(0, 0, 1e4), 1e-3);
  leave_out_stray_parts(mesh);
  EXPECT_EQ(mesh.faces(), 4);
  EXPECT_EQ(mesh.corner.size(), 12u);
  for (const Vec3& p : mesh.vertices) EXPECT_LE(p.norm(), 1);
  ASSERT_EQ(mesh.remarks.size(), 1u);
  EXPECT_NE(mesh.remarks[0].find("1 tiny face"), std::string::npos) << mesh.remarks[0];
}

TEST(StrayParts, what_is_near_or_large_or_finite_no_more_is_left_alone) {
  PolygonMesh near = with_triangle(Vec3(0, 0, 8), 1e-3), large = with_triangle(Vec3(0, 0, 1e4), 2);
  PolygonMesh broken = tetrahedron();
  broken.vertices.push_back(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
  PolygonMesh empty;
  for (PolygonMesh* mesh : {&near, &large, &broken, &empty}) {
    const PolygonMesh before = *mesh;
    leave_out_stray_parts(*mesh);
    EXPECT_EQ(mesh->corner, before.corner);
    EXPECT_TRUE(mesh->remarks.empty());
  }
  EXPECT_EQ(large.vertices[4], Vec3(0, 0, 1e4));
}

}  // namespace stray_parts_test
}  // namespace pliant
