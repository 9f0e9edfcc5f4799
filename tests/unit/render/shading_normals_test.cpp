// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/shading_normals.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "scenes.hpp"

namespace pliant {
namespace shading_normals_test {

Vec3 flat_normal(const RenderBody& body, std::size_t t) {
  const Triangle& tri = body.triangles[t];
  const Vec3& a = body.positions[std::size_t(tri[0])];
  return (body.positions[std::size_t(tri[1])] - a)
      .cross(body.positions[std::size_t(tri[2])] - a)
      .normalized();
}

TEST(ShadingNormals, keep_the_edges_of_a_box_crisp) {
  const RenderBody body = box_body();
  const ShadingNormals normals(body.rest, body.triangles);
  for (std::size_t t = 0; t < body.triangles.size(); ++t)
    for (Index group : normals.corners(Index(t)))
      EXPECT_NEAR((normals.normal(group).cast<double>() - flat_normal(body, t)).norm(), 0, 1e-6);
}

TEST(ShadingNormals, are_shared_where_the_rest_surface_is_smooth) {
  const Shape ball = make_shape(EllipsoidShape{});
  const ShadingNormals normals(ball.surface.vertices, ball.surface.triangles, 90);
  EXPECT_EQ(normals.groups(), int(ball.surface.vertices.size()));
}

TEST(ShadingNormals, do_not_change_groups_when_the_body_bends_through_the_crease_angle) {
  // Two triangles, flat at rest, then folded by 90 degrees: still one smooth edge.
  const Points rest = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}, {-1, 0, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 2, 3}};
  ShadingNormals normals(rest, triangles);
  Points folded = rest;
  folded[3] = {0, -1, 0};
  normals.update(folded, triangles);
  EXPECT_EQ(normals.corners(0)[0], normals.corners(1)[0]);
  const Eigen::Vector3f n = normals.normal(normals.corners(0)[0]);
  EXPECT_NEAR((n - Eigen::Vector3f(-1, 1, 0).normalized()).norm(), 0, 1e-5);
}

TEST(ShadingNormals, join_vertices_that_a_file_has_split) {
  const Points rest = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}, {0, 0, 0}, {0, 0, -1}, {-1, 0.1, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {3, 4, 5}};
  const ShadingNormals normals(rest, triangles);
  EXPECT_EQ(normals.corners(0)[0], normals.corners(1)[0]);
  EXPECT_EQ(normals.corners(0)[2], normals.corners(1)[1]);
}

}  // namespace shading_normals_test
}  // namespace pliant
