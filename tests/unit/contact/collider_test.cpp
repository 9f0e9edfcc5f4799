// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/collider.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace pliant {
namespace collider_test {

constexpr double everywhere = std::numeric_limits<double>::infinity();
const Motion still;

Motion sliding(const Vec3& way, double seconds) {
  return {{{0, Vec3::Zero(), {}}, {seconds, way, {}}}, Ease::linear};
}
Motion turning(const Vec3& axis, double degrees, double seconds) {
  return {{{0, Vec3::Zero(), {axis, 0}}, {seconds, Vec3::Zero(), {axis, degrees}}}, Ease::linear};
}

std::optional<Touch> touch_of(const Collider& collider, const Vec3& x, Instant instant = Instant::end,
                              double band = everywhere) {
  std::array<Touch, max_touches> out;
  Side side = 0;
  const int count = collider.query(x, band, instant, side, out);
  EXPECT_LE(count, 1);  // the closed forms are convex
  return count > 0 ? std::optional(out[0]) : std::nullopt;
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-13) {
  EXPECT_LE((a - b).norm(), tolerance) << a.transpose() << " against " << b.transpose();
}

Vec3 random_point(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> uniform(-reach, reach);
  const double x = uniform(random), y = uniform(random);
  return {x, y, uniform(random)};
}

TEST(Collider, plane_tells_height_over_it_whatever_the_length_of_its_normal) {
  const Collider plane(PlaneCollider{{0, -2, 0}, {0, 3, 4}}, still, 0.3, 0);
  const auto touch = touch_of(plane, {7, 3, 5});
  ASSERT_TRUE(touch);
  EXPECT_NEAR(touch->gap, 0.6 * 5 + 0.8 * 5, 1e-13);
  expect_near(touch->normal, {0, 0.6, 0.8});
  expect_near(touch->velocity, Vec3::Zero());
  EXPECT_LT(touch_of(plane, {0, -3, -100})->gap, 0);
  EXPECT_EQ(plane.friction(), 0.3);
}

TEST(Collider, sphere_tells_distance_outside_and_depth_inside) {
  const Collider ball(SphereCollider{{1, 2, 3}, 0.5}, still, 0.5, 0);
  EXPECT_NEAR(touch_of(ball, {1, 2, 5})->gap, 1.5, 1e-15);
  expect_near(touch_of(ball, {1, 2, 5})->normal, {0, 0, 1});
  EXPECT_NEAR(touch_of(ball, {0.9, 2, 3})->gap, -0.4, 1e-15);
  expect_near(touch_of(ball, {0.9, 2, 3})->normal, {-1, 0, 0});
  const auto middle = touch_of(ball, {1, 2, 3});
  EXPECT_EQ(middle->gap, -0.5);
  EXPECT_EQ(middle->normal.norm(), 1);  // any direction, but one
}

TEST(Collider, only_points_within_the_band_touch) {
  const Collider ball(SphereCollider{{0, 0, 0}, 1}, still, 0.5, 0);
  EXPECT_FALSE(touch_of(ball, {1.2, 0, 0}, Instant::end, 0.1));
  EXPECT_TRUE(touch_of(ball, {1.2, 0, 0}, Instant::end, 0.3));
  EXPECT_TRUE(touch_of(ball, {0.2, 0, 0}, Instant::end, 0.1));
}

TEST(Collider, box_tells_faces_edges_and_corners_apart_and_the_nearest_face_inside) {
  const Collider box(BoxCollider{{1, 0, 0}, {2, 4, 6}}, still, 0.5, 0);  // 0..2, -2..2, -3..3
  EXPECT_NEAR(touch_of(box, {1, 2.5, 0})->gap, 0.5, 1e-15);
  expect_near(touch_of(box, {1, 2.5, 0})->normal, {0, 1, 0});
  EXPECT_NEAR(touch_of(box, {5, 6, 0})->gap, 5, 1e-14);
  expect_near(touch_of(box, {5, 6, 0})->normal, {0.6, 0.8, 0});
  EXPECT_NEAR(touch_of(box, {3, 4, 5})->gap, 3, 1e-14);
  expect_near(touch_of(box, {1, 0, 2.9})->normal, {0, 0, 1});
  EXPECT_NEAR(touch_of(box, {1, 0, 2.9})->gap, -0.1, 1e-14);
  expect_near(touch_of(box, {0.2, 0, 0})->normal, {-1, 0, 0});
  const Index face = touch_of(box, {1, 2.5, 0})->feature, edge = touch_of(box, {5, 6, 0})->feature;
  EXPECT_NE(face, edge);
  EXPECT_EQ(face, touch_of(box, {1, 1.9, 0})->feature);  // the same face from inside
}

TEST(Collider, turned_box_is_the_box_seen_from_turned_axes) {
  const Mat3 turn = rotation_matrix({{1, 2, 3}, 40});
  const Collider box(BoxCollider{{0, 0, 0}, {1, 2, 3}}, still, 0.5, 0),
      turned(BoxCollider{{0, 0, 0}, {1, 2, 3}, turn}, still, 0.5, 0);
  std::mt19937 random(1);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 x = random_point(random, 3);
    const auto a = touch_of(box, x), b = touch_of(turned, turn * x);
    EXPECT_NEAR(a->gap, b->gap, 1e-13);
    expect_near(turn * a->normal, b->normal, 1e-11);
  }
}

TEST(Collider, capsule_is_round_at_its_side_and_its_ends) {
  const Collider capsule(CapsuleCollider{{0, 0, 0}, {0, 2, 0}, 0.5}, still, 0.5, 0);
  EXPECT_NEAR(touch_of(capsule, {3, 1, 0})->gap, 2.5, 1e-15);
  EXPECT_NEAR(touch_of(capsule, {0, 4, 0})->gap, 1.5, 1e-15);
  EXPECT_NEAR(touch_of(capsule, {3, 6, 0})->gap, 4.5, 1e-14);
  expect_near(touch_of(capsule, {3, 6, 0})->normal, {0.6, 0.8, 0});
  const auto on_axis = touch_of(capsule, {0, 1, 0});
  EXPECT_EQ(on_axis->gap, -0.5);
  EXPECT_NEAR(on_axis->normal.norm(), 1, 1e-15);
  EXPECT_NEAR(on_axis->normal.y(), 0, 1e-15);
  const Collider point(CapsuleCollider{{1, 1, 1}, {1, 1, 1}, 0.5}, still, 0.5, 0);
  EXPECT_NEAR(touch_of(point, {1, 1, 3})->gap, 1.5, 1e-15);
}

/// The gap is a distance: going along the normal changes it one to one, so the end of that way is on the
/// surface; nothing nearer exists (1-Lipschitz along every direction).
TEST(Collider, gap_is_a_distance_and_its_gradient_the_normal) {
  const Mat3 turn = rotation_matrix({{1, 1, 0}, 25});
  const Collider colliders[] = {
      {PlaneCollider{{0, 0.2, 0}, {1, 2, 0}}, still, 0.5, 0},
      {SphereCollider{{0.1, 0, 0}, 0.7}, still, 0.5, 0},
      {BoxCollider{{0, 0.1, 0}, {1, 0.7, 1.3}, turn}, still, 0.5, 0},
      {CapsuleCollider{{-0.3, 0, 0}, {0.4, 0.5, 0.2}, 0.3}, still, 0.5, 0},
  };
  std::mt19937 random(2);
  for (const Collider& collider : colliders)
    for (int k = 0; k < 2000; ++k) {
      const Vec3 x = random_point(random, 2), y = random_point(random, 2);
      const auto at = touch_of(collider, x);
      EXPECT_NEAR(at->normal.norm(), 1, 1e-13);
      EXPECT_NEAR(touch_of(collider, x - at->gap * at->normal)->gap, 0, 1e-13);
      EXPECT_LE(std::abs(touch_of(collider, y)->gap - at->gap), (y - x).norm() + 1e-13);
    }
}

TEST(Collider, moves_with_its_keys_and_tells_the_velocity_of_its_material) {
  Collider ball(SphereCollider{{0, 0, 0}, 1}, sliding({2, 0, 0}, 1), 0.5, 0);
  ball.aim(0.25, 0.375);
  EXPECT_NEAR(touch_of(ball, {0.5, 2, 0}, Instant::begin)->gap, 1, 1e-15);
  EXPECT_NEAR(touch_of(ball, {0.75, 2, 0}, Instant::end)->gap, 1, 1e-15);
  expect_near(touch_of(ball, {0.5, 2, 0}, Instant::begin)->velocity, {2, 0, 0});
  ball.aim(2, 3);
  expect_near(touch_of(ball, {0, 0, 0})->velocity, Vec3::Zero());
  EXPECT_NEAR(touch_of(ball, {4, 0, 0}, Instant::begin)->gap, 1, 1e-15);
}

TEST(Collider, turns_about_its_own_centre) {
  const double h = 1e-4, spin = 2;  // rad/s about y
  Collider ball(SphereCollider{{5, 0, 0}, 1}, turning({0, 1, 0}, spin * 180 / M_PI, 1), 0.5, 0);
  ball.aim(0.5, 0.5 + h);
  expect_near(touch_of(ball, {5, 0, 3})->velocity, {spin, 0, 0}, 2 * spin * h);
  EXPECT_NEAR(touch_of(ball, {5, 0, 3})->gap, 2, 1e-14);
  Collider box(BoxCollider{{5, 0, 0}, {2, 2, 2}}, turning({0, 1, 0}, 90, 2), 0.5, 0);
  box.aim(0, 1);  // 45 degrees at the end: an edge points along x
  EXPECT_NEAR(touch_of(box, {7, 0, 0}, Instant::begin)->gap, 1, 1e-14);
  EXPECT_NEAR(touch_of(box, {7, 0, 0}, Instant::end)->gap, 2 - std::sqrt(2.0), 1e-14);
}

TEST(Collider, lifted_plane_pushes_and_tilted_plane_turns_about_its_point) {
  Collider lift(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, sliding({0, 1, 0}, 1), 0.5, 0);
  lift.aim(0.5, 0.75);
  EXPECT_NEAR(touch_of(lift, {9, 1, 9})->gap, 0.25, 1e-15);
  expect_near(touch_of(lift, {9, 1, 9})->velocity, {0, 1, 0});
  Collider tilt(PlaneCollider{{1, 0, 0}, {0, 1, 0}}, turning({0, 0, 1}, 90, 1), 0.5, 0);
  tilt.aim(0, 1);
  expect_near(touch_of(tilt, {0, 5, 0})->normal, {-1, 0, 0});
  EXPECT_NEAR(touch_of(tilt, {0, 5, 0})->gap, 1, 1e-14);
}

TEST(Collider, a_jump_over_half_its_size_is_a_teleport_without_velocity) {
  Collider ball(SphereCollider{{0, 0, 0}, 1}, sliding({10, 0, 0}, 1), 0.5, 0);  // diagonal 2 sqrt(3)
  ball.aim(0, 0.15);
  expect_near(touch_of(ball, {0, 3, 0})->velocity, {10, 0, 0}, 1e-12);
  ball.aim(0, 0.2);
  expect_near(touch_of(ball, {0, 3, 0})->velocity, Vec3::Zero());
  Touch touch;
  EXPECT_FALSE(ball.crossed({1.5, 0, 0}, {-1.5, 0, 0}, touch));
}

TEST(Collider, sees_a_point_that_shot_through_it) {
  const Collider ball(SphereCollider{{0, 0, 0}, 0.1}, still, 0.5, 0);
  const Collider board(BoxCollider{{0, 0, 0}, {4, 0.02, 4}}, still, 0.5, 0);
  const Collider rod(CapsuleCollider{{-1, 0, 0}, {1, 0, 0}, 0.1}, still, 0.5, 0);
  Touch touch;
  ASSERT_TRUE(ball.crossed({0, 1, 0}, {0, -1, 0}, touch));
  expect_near(touch.normal, {0, 1, 0});
  EXPECT_NEAR(touch.gap, -1.1, 1e-14);
  ASSERT_TRUE(board.crossed({1.5, 1, 0}, {0.5, -1, 0}, touch));
  expect_near(touch.normal, {0, 1, 0});
  EXPECT_NEAR(touch.gap, -1.01, 1e-14);
  ASSERT_TRUE(rod.crossed({0.5, 1, 0}, {0.5, -1, 0}, touch));
  expect_near(touch.normal, {0, 1, 0});
  ASSERT_TRUE(rod.crossed({3, 0, 0}, {-3, 0, 0}, touch));  // in at its round end
  expect_near(touch.normal, {1, 0, 0});
  EXPECT_NEAR(touch.gap, -4.1, 1e-14);
}

TEST(Collider, sees_a_point_that_is_nearest_to_the_wrong_side_inside) {
  const Collider board(BoxCollider{{0, 0, 0}, {4, 0.02, 4}}, still, 0.5, 0);
  Touch touch;
  EXPECT_TRUE(board.crossed({0, 1, 0}, {0, -0.009, 0}, touch));
  expect_near(touch.normal, {0, 1, 0});
  EXPECT_FALSE(board.crossed({0, 1, 0}, {0, 0.009, 0}, touch));  // the query tells
}

TEST(Collider, does_not_see_crossings_where_there_are_none) {
  const Collider ball(SphereCollider{{0, 0, 0}, 0.1}, still, 0.5, 0);
  const Collider board(BoxCollider{{0, 0, 0}, {4, 0.02, 4}}, still, 0.5, 0);
  const Collider rod(CapsuleCollider{{-1, 0, 0}, {1, 0, 0}, 0.1}, still, 0.5, 0);
  const Collider ground(PlaneCollider{}, still, 0.5, 0);
  Touch touch;
  EXPECT_FALSE(ball.crossed({0, 1, 0}, {0, 0.2, 0}, touch));          // stops before
  EXPECT_FALSE(ball.crossed({0, -0.2, 0}, {0, -1, 0}, touch));        // moves away
  EXPECT_FALSE(ball.crossed({0.11, 1, 0}, {0.11, -1, 0}, touch));     // passes by
  EXPECT_FALSE(ball.crossed({0, 0, 0}, {0, -1, 0}, touch));           // begins inside
  EXPECT_FALSE(board.crossed({2.1, 1, 0}, {2.1, -1, 0}, touch));      // passes by
  EXPECT_FALSE(board.crossed({0, 0.5, 0}, {1, 0.5, 0}, touch));       // along it
  EXPECT_FALSE(rod.crossed({1.2, 1, 0}, {1.2, -1, 0}, touch));        // passes its end
  EXPECT_FALSE(rod.crossed({0, 1, 0.101}, {0.9, -1, 0.101}, touch));  // passes its side
  EXPECT_FALSE(ground.crossed({0, 1, 0}, {0, -1, 0}, touch));         // the query always tells
}

TEST(Collider, sees_a_still_point_that_a_fast_board_shot_over) {
  Collider board(BoxCollider{{0, 0, 0}, {4, 0.02, 4}}, sliding({0, 1, 0}, 1), 0.5, 0);
  board.aim(0, 1);
  Touch touch;
  const Vec3 x(0, 0.5, 0);
  ASSERT_TRUE(board.crossed(x, x, touch));
  expect_near(touch.normal, {0, 1, 0});
  expect_near(touch.velocity, {0, 1, 0});
  EXPECT_NEAR(touch.gap, 0.5 - 1.01, 1e-14);
  EXPECT_NEAR(touch.gap + touch.normal.dot(touch.velocity), 0.49, 1e-14);  // at the beginning
}

/// A long segment enters where a fine walk along it first finds a negative gap.
TEST(Collider, enters_where_a_walk_along_the_way_first_finds_the_inside) {
  const Mat3 turn = rotation_matrix({{1, 1, 0}, 25});
  const Collider colliders[] = {
      {SphereCollider{{0.1, 0, 0}, 0.5}, still, 0.5, 0},
      {BoxCollider{{0, 0.1, 0}, {1, 0.3, 0.9}, turn}, still, 0.5, 0},
      {CapsuleCollider{{-0.3, 0, 0}, {0.4, 0.5, 0.2}, 0.2}, still, 0.5, 0},
  };
  std::mt19937 random(3);
  for (const Collider& collider : colliders) {
    int hits = 0;
    for (int k = 0; k < 300; ++k) {
      const Vec3 x = 3 * random_point(random, 1).normalized(), y = -x + random_point(random, 1);
      constexpr int steps = 4000;
      std::optional<Vec3> first;
      double deepest = 1;
      for (int i = 0; i <= steps; ++i) {
        const Vec3 z = x + double(i) / steps * (y - x);
        const double gap = touch_of(collider, z)->gap;
        deepest = std::min(deepest, gap);
        if (gap < 0 && !first) first = z;
      }
      if (std::abs(deepest) < 1e-3) continue;  // a graze may fall between two steps of the walk
      Touch touch;
      ASSERT_EQ(collider.crossed(x, y, touch), first.has_value());
      if (!first) continue;
      ++hits;
      const double to_plane = touch.gap - touch.normal.dot(y - *first);  // of the walk's point over the plane
      EXPECT_NEAR(to_plane, 0, 7.0 / steps);
    }
    EXPECT_GT(hits, 30);
  }
}

TEST(Collider, near_says_no_only_when_nothing_can_touch) {
  Collider colliders[] = {
      {PlaneCollider{{0, 0.2, 0}, {1, 2, 0}}, turning({0, 0, 1}, 30, 1), 0.5, 0},
      {SphereCollider{{0.1, 0, 0}, 0.5}, sliding({0.3, 0.2, 0}, 1), 0.5, 0},
      {BoxCollider{{0, 0.1, 0}, {1, 0.3, 0.9}}, turning({1, 1, 0}, 80, 1), 0.5, 0},
      {CapsuleCollider{{-0.3, 0, 0}, {0.4, 0.5, 0.2}, 0.2}, turning({1, 1, 0}, 80, 1), 0.5, 0},
  };
  std::mt19937 random(4);
  for (Collider& collider : colliders) {
    collider.aim(0.2, 0.7);
    int no = 0;
    for (int k = 0; k < 2000; ++k) {
      const Vec3 low = random_point(random, 2), high = low + random_point(random, 0.5).cwiseAbs();
      if (collider.near(low, high, 0.1)) continue;
      ++no;
      for (const Vec3& x : {low, high, Vec3((low + high) / 2)})
        for (const Instant instant : {Instant::begin, Instant::end})
          EXPECT_FALSE(touch_of(collider, x, instant, 0.1));
    }
    EXPECT_GT(no, 200);
  }
}

}  // namespace collider_test
}  // namespace pliant
