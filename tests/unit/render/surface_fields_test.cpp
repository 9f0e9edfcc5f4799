// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/surface_fields.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "scenes.hpp"

namespace pliant {
namespace surface_fields_test {

Points moved(const Points& points, const Mat3& by) {
  Points out;
  for (const Vec3& p : points) out.push_back(by * p + Vec3(3, 1, 2));
  return out;
}

TEST(SurfaceFields, a_rigid_motion_turns_but_does_not_stretch) {
  const RenderBody body = box_body();
  const Mat3 turn = Eigen::AngleAxisd(std::numbers::pi / 3, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Points x = moved(body.rest, turn);
  for (float s : stretch_field(body.rest, x, body.triangles)) EXPECT_NEAR(s, 1, 1e-6);
  for (float r : rotation_field(body.rest, x, body.triangles)) EXPECT_NEAR(r, 60, 1e-4);
}

TEST(SurfaceFields, stretch_is_the_largest_length_ratio_in_the_surface) {
  // A square in the x-z plane; the normal direction must not count even though it keeps its length.
  const Points rest = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 2, 3}};
  for (float s : stretch_field(rest, moved(rest, Vec3(1.5, 1, 0.5).asDiagonal()), triangles))
    EXPECT_NEAR(s, 1.5, 1e-6);
  for (float s : stretch_field(rest, moved(rest, Vec3(0.8, 1, 0.5).asDiagonal()), triangles))
    EXPECT_NEAR(s, 0.8, 1e-6);
}

TEST(SurfaceFields, speed_is_way_over_time) {
  const std::vector<float> speed = speed_field({{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 4, 5}}, 0.5);
  EXPECT_FLOAT_EQ(speed[0], 0);
  EXPECT_FLOAT_EQ(speed[1], 10);
}

}  // namespace surface_fields_test
}  // namespace pliant
