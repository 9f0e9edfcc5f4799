// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/polygon_mesh.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace polygon_mesh_test {

PolygonMesh two_points() {
  PolygonMesh mesh;
  mesh.vertices = {Vec3(1, 2, 3), Vec3(-4, 5, -6)};
  return mesh;
}

TEST(PolygonMesh, y_up_in_metres_stays_as_it_is) {
  PolygonMesh mesh = two_points();
  convert(mesh, 1, UpAxis::y);
  EXPECT_EQ(mesh.vertices, two_points().vertices);
}

TEST(PolygonMesh, millimetres_become_metres) {
  PolygonMesh mesh = two_points();
  convert(mesh, 0.001, UpAxis::y);
  EXPECT_EQ(mesh.vertices[1], Vec3(-4 * 0.001, 5 * 0.001, -6 * 0.001));
}

TEST(PolygonMesh, z_up_is_turned_and_not_mirrored) {
  PolygonMesh mesh;
  mesh.vertices = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  convert(mesh, 2, UpAxis::z);
  EXPECT_EQ(mesh.vertices[0], Vec3(2, 0, 0));
  EXPECT_EQ(mesh.vertices[1], Vec3(0, 0, -2));
  EXPECT_EQ(mesh.vertices[2], Vec3(0, 2, 0));
  EXPECT_DOUBLE_EQ(mesh.vertices[0].cross(mesh.vertices[1]).dot(mesh.vertices[2]), 8);
}

TEST(PolygonMesh, polygons_become_fans_and_edges_nothing) {
  PolygonMesh mesh;
  mesh.corner = {0, 1, 2, 3, 4, 5, 6, 2, 1, 0};
  mesh.face_begin = {0, 5, 7, 7, 10};
  EXPECT_EQ(fan_triangles(mesh), (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {2, 1, 0}}));
}

}  // namespace polygon_mesh_test
}  // namespace pliant
