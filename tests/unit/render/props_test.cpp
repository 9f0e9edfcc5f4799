// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/props.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace pliant {
namespace props_test {

const Vec3 low(-1, 0, -1), high(1, 2, 1);  // of the bodies

ColliderTrack plane(const Vec3& point, const Vec3& normal) {
  ColliderTrack track;
  track.plane = true;
  track.point = point;
  track.normal = normal;
  track.places.emplace_back();
  return track;
}

ColliderTrack corner_at(const Vec3& x) {
  ColliderTrack track;
  track.surface.vertices = {x, x + Vec3(0.1, 0, 0), x + Vec3(0, 0.1, 0)};
  track.surface.triangles = {{0, 1, 2}};
  track.places.emplace_back();
  return track;
}

TEST(Props, the_highest_still_level_plane_is_the_floor_and_not_drawn) {
  const Props props(
      {plane({0, -3, 0}, {0, 1, 0}), plane({5, -1, 5}, {0, 2, 0}), plane({0, 9, 0}, {0, -1, 0})}, low, high);
  EXPECT_EQ(props.floor(), -1);
  EXPECT_EQ(props.count(), 1);  // the ceiling
  EXPECT_FALSE(Props({corner_at({0, 0, 0})}, low, high).floor());
}

TEST(Props, a_tilted_plane_is_a_board_in_the_plane_under_all_bodies_facing_them) {
  const Vec3 n = Vec3(1, 2, 0).normalized();
  const Props props({plane({0, -1, 0}, n)}, low, high);
  ASSERT_EQ(props.count(), 1);
  const RenderBody board = props.body(0, 0);
  EXPECT_FALSE(board.soft);
  ASSERT_EQ(board.positions.size(), 4u);
  for (const Vec3& p : board.positions) EXPECT_NEAR(n.dot(p - Vec3(0, -1, 0)), 0, 1e-12);
  const Vec3 &a = board.positions[0], &b = board.positions[1], &d = board.positions[3];
  EXPECT_GT((b - a).cross(d - a).dot(n), 0);
  for (const Vec3& x : {low, high, Vec3(low.x(), high.y(), low.z())}) {
    const double u = (x - a).dot(b - a) / (b - a).squaredNorm(),
                 v = (x - a).dot(d - a) / (d - a).squaredNorm();
    EXPECT_GT(std::min(u, v), 0);
    EXPECT_LT(std::max(u, v), 1);
  }
}

TEST(Props, a_plane_is_not_drawn_for_an_eye_behind_it) {
  const Props props({plane({0, 0, -2}, {0, 0, 1}), corner_at({0, 0, 0})}, low, high);
  EXPECT_TRUE(props.faces(0, {0, 0, 5}, 0));
  EXPECT_FALSE(props.faces(0, {0, 0, -5}, 0));
  EXPECT_TRUE(props.faces(1, {0, 0, -5}, 0));
}

TEST(Props, move_with_their_places_and_stay_at_the_last_one) {
  ColliderTrack track = corner_at({1, 0, 0});
  track.places.push_back({Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()).toRotationMatrix(), Vec3(0, 5, 0)});
  const Props props({track}, low, high);
  ASSERT_TRUE(props.moves(0));
  EXPECT_LT((props.positions(0, 0)[0] - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((props.positions(0, 1)[0] - Vec3(0, 5, -1)).norm(), 1e-12);
  EXPECT_LT((props.positions(0, 7)[0] - Vec3(0, 5, -1)).norm(), 1e-12);
}

TEST(Props, the_camera_holds_what_is_close_to_the_bodies) {
  EXPECT_EQ(Props({corner_at({1.5, 1, 0})}, low, high).close_points(0, 0).size(), 3u);
  EXPECT_TRUE(Props({corner_at({30, 1, 0})}, low, high).close_points(0, 0).empty());
}

}  // namespace props_test
}  // namespace pliant
