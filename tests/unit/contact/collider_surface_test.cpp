// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/collider_surface.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/contact/closed_forms.hpp"

namespace pliant {
namespace collider_surface_test {

/// Closed, outward, every vertex on the collider.
template <class Shape>
double volume_on(const Shape& shape) {
  const auto mesh = surface_of(shape);
  EXPECT_TRUE(mesh.has_value());
  EXPECT_TRUE(is_closed(mesh->triangles));
  for (const Vec3& p : mesh->vertices) EXPECT_NEAR(nearest(shape, p).gap, 0, 1e-12);
  return enclosed_volume(mesh->vertices, mesh->triangles);
}

TEST(ColliderSurface, lies_on_the_collider_and_faces_outward) {
  EXPECT_NEAR(volume_on(SphereCollider{{1, 2, 3}, 0.5}), 4 * M_PI / 3 * 0.125, 0.01);
  EXPECT_NEAR(volume_on(BoxCollider{{1, 0, 0}, {1, 2, 3}, rotation_matrix({{1, 2, 3}, 40})}), 6, 1e-12);
  const double ends = 4 * M_PI / 3 * 0.125;
  EXPECT_NEAR(volume_on(CapsuleCollider{{1, 0, 0}, {1, 1, 1}, 0.5}), ends + M_PI * 0.25 * std::sqrt(2.0),
              0.02);
  EXPECT_NEAR(volume_on(CapsuleCollider{{0, 1, 0}, {0, 0, 0}, 0.5}), ends + M_PI * 0.25, 0.02);
  EXPECT_NEAR(volume_on(CapsuleCollider{{1, 0, 0}, {1, 0, 0}, 0.5}), ends, 0.01);
}

TEST(ColliderSurface, a_plane_has_none) {
  EXPECT_FALSE(surface_of(PlaneCollider{}));
  EXPECT_EQ(kind_of(PlaneCollider{}), "plane");
  EXPECT_EQ(kind_of(CapsuleCollider{}), "capsule");
}

}  // namespace collider_surface_test
}  // namespace pliant
