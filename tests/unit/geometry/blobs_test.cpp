// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/blobs.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {
namespace blobs_test {

std::vector<Triangle> triangles_of(const PolygonMesh& mesh) {
  std::vector<Triangle> out;
  for (Index f = 0; f < mesh.faces(); ++f)
    for (Index k = mesh.face_begin[f] + 2; k < mesh.face_begin[f + 1]; ++k)
      out.push_back({mesh.corner[mesh.face_begin[f]], mesh.corner[k - 1], mesh.corner[k]});
  return out;
}

TEST(Blobs, a_ball_has_its_volume_and_faces_outward) {
  const auto mesh = blob_surface({.parts = {{.radius = 0.5}}, .blend = 0.05, .resolution = 40});
  ASSERT_TRUE(mesh);
  const std::vector<Triangle> triangles = triangles_of(*mesh);
  EXPECT_TRUE(is_closed(triangles));
  EXPECT_NEAR(enclosed_volume(mesh->vertices, triangles), std::numbers::pi / 6, 0.01 * std::numbers::pi / 6);
  for (const Vec3& p : mesh->vertices) EXPECT_NEAR(p.norm(), 0.5, 1e-4);
}

TEST(Blobs, parts_that_touch_become_one_closed_surface_of_quadrilaterals) {
  const Blobs blobs{.parts = {{{0, 0, 0}, {1, 0, 0}, 0.2, 0.1}, {{1, 0, 0}, {1, 1, 0}, 0.1}},
                    .blend = 0.03,
                    .resolution = 50};
  const auto mesh = blob_surface(blobs);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(Index(mesh->corner.size()), 4 * mesh->faces());
  EXPECT_TRUE(is_closed(triangles_of(*mesh)));
  for (const Vec3& p : mesh->vertices) EXPECT_NEAR(blob_distance(blobs, p), 0, 2e-3);
}

TEST(Blobs, distance_is_that_of_the_nearest_part_far_from_the_joints) {
  const Blobs blobs{.parts = {{{0, 0, 0}, {1, 0, 0}, 0.2}, {{9, 0, 0}, {9, 1, 0}, 0.1}}, .blend = 0.02};
  EXPECT_NEAR(blob_distance(blobs, {0.5, 0.7, 0}), 0.5, 1e-12);
  EXPECT_LT(blob_distance(blobs, {0.5, 0.1, 0}), 0);
}

TEST(Blobs, without_parts_or_radius_there_is_a_message) {
  EXPECT_FALSE(blob_surface({}));
  const auto flat = blob_surface({.parts = {{.radius = 0.1}, {.radius = -1}}});
  ASSERT_FALSE(flat);
  EXPECT_EQ(flat.error().problems[0].place, "parts.1.radius");
}

}  // namespace blobs_test
}  // namespace pliant
