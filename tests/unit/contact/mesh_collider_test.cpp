// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/mesh_collider.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>

#include "pliant/contact/collider.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace mesh_collider_test {

constexpr double everywhere = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

// ---- meshes ----------------------------------------------------------------------------------------------

void append(TriMesh& to, const TriMesh& more) {
  const Index first = Index(to.vertices.size());
  to.vertices.insert(to.vertices.end(), more.vertices.begin(), more.vertices.end());
  for (const Triangle& t : more.triangles) to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

TriMesh box_mesh(const Vec3& low, const Vec3& high) {
  TriMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? high.x() : low.x(), i & 2 ? high.y() : low.y(),
                               i & 4 ? high.z() : low.z());
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// A grid of points f(i, j) that closes on itself in both directions.
template <class F>
TriMesh ring_mesh(int n, int m, const F& f) {
  TriMesh mesh;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) mesh.vertices.push_back(f(2 * pi * i / n, 2 * pi * j / m));
  const auto at = [&](int i, int j) { return Index((i % n) * m + j % m); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

constexpr double ring_radius = 1, tube_radius = 0.4;
TriMesh torus_mesh(int n, int m) {
  return ring_mesh(n, m, [](double u, double v) {
    const double r = ring_radius + tube_radius * std::cos(v);
    return Vec3(r * std::cos(u), tube_radius * std::sin(v), -r * std::sin(u));
  });
}

/// A cube pushed out to a sphere of radius 1: n x n squares a side.
TriMesh sphere_mesh(int n) {
  TriMesh mesh;
  std::vector<std::pair<std::array<int, 3>, Index>> known;
  const auto vertex = [&](const std::array<int, 3>& at) {
    for (const auto& [place, index] : known)
      if (place == at) return index;
    const Vec3 cube(at[0], at[1], at[2]);
    mesh.vertices.push_back((2 * cube / n - Vec3::Ones()).normalized());
    known.emplace_back(at, Index(mesh.vertices.size()) - 1);
    return known.back().second;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int a, int b) {
            std::array<int, 3> p{};
            p[axis] = side, p[(axis + 1) % 3] = a, p[(axis + 2) % 3] = b;
            return vertex(p);
          };
          const Index a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
          if (side > 0) {
            mesh.triangles.push_back({a, b, c});
            mesh.triangles.push_back({a, c, d});
          } else {
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({a, d, c});
          }
        }
  return mesh;
}

/// The square -1 .. 1 at height 0, facing up, of 2 n^2 triangles.
TriMesh floor_mesh(int n) {
  TriMesh mesh;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) mesh.vertices.emplace_back(-1 + 2.0 * i / n, 0, -1 + 2.0 * j / n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Index a = i * (n + 1) + j, b = a + n + 1;
      mesh.triangles.push_back({a, a + 1, b + 1});
      mesh.triangles.push_back({a, b + 1, b});
    }
  return mesh;
}

// ---- asking ----------------------------------------------------------------------------------------------

Vec3 random_point(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> uniform(-reach, reach);
  const double x = uniform(random), y = uniform(random);
  return {x, y, uniform(random)};
}

using Found = std::vector<SurfacePoint>;
Found ask(const MeshCollider& mesh, const Vec3& x, double band, Side& side) {
  std::array<SurfacePoint, max_touches> out;
  const int count = mesh.query(x, band, side, out);
  return {out.begin(), out.begin() + count};
}
Found ask(const MeshCollider& mesh, const Vec3& x, double band = everywhere) {
  Side side = 0;
  return ask(mesh, x, band, side);
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_LE((a - b).norm(), tolerance) << a.transpose() << " against " << b.transpose();
}

// ---- sealed meshes against closed forms (oracle 14)
// --------------------------------------------------------

TEST(MeshCollider, box_is_the_closed_form_of_a_box) {
  const MeshCollider mesh(box_mesh({-1, -2, -3}, {1, 2, 3}), false);
  ASSERT_EQ(mesh.kind(), MeshCollider::Kind::sealed);
  const BoxCollider box{{0, 0, 0}, {2, 4, 6}};
  std::mt19937 random(1);
  for (int k = 0; k < 100000; ++k) {
    const Vec3 x = random_point(random, 4);
    const Found found = ask(mesh, x);
    ASSERT_GE(found.size(), 1u);
    const SurfacePoint exact = nearest(box, x);
    EXPECT_NEAR(found[0].gap, exact.gap, 1e-12);
    if (std::abs(exact.gap) > 1e-2 && exact.gap > 0) expect_near(found[0].normal, exact.normal, 1e-11);
  }
}

TEST(MeshCollider, sphere_differs_from_the_closed_form_by_the_chords_alone) {
  const TriMesh surface = sphere_mesh(12);
  double chord = 0;
  for (const Triangle& t : surface.triangles)
    chord = std::max(
        chord, 1 - ((surface.vertices[t[0]] + surface.vertices[t[1]] + surface.vertices[t[2]]) / 3).norm());
  for (const Triangle& t : surface.triangles)
    for (int k = 0; k < 3; ++k)
      chord = std::max(chord, 1 - ((surface.vertices[t[k]] + surface.vertices[t[(k + 1) % 3]]) / 2).norm());
  const MeshCollider mesh(surface, false);
  ASSERT_EQ(mesh.kind(), MeshCollider::Kind::sealed);
  std::mt19937 random(2);
  for (int k = 0; k < 100000; ++k) {
    const Vec3 x = random_point(random, 1.5);
    const double exact = x.norm() - 1;
    const Found found = ask(mesh, x, 0.1);
    if (found.empty()) {
      ASSERT_GT(exact, 0.1 - 1.3 * chord);
      continue;
    }
    const double gap = found[0].gap;
    ASSERT_LE(exact, gap + 1e-12);
    ASSERT_GE(exact, gap - 1.3 * chord);
    if (exact > 1e-9 || exact < -1.3 * chord) {
      ASSERT_EQ(gap > 0, exact > 0);
    }
  }
}

TEST(MeshCollider, torus_tells_inside_from_outside_everywhere) {
  const MeshCollider mesh(torus_mesh(48, 24), false);
  ASSERT_EQ(mesh.kind(), MeshCollider::Kind::sealed);
  const double chord =
      tube_radius * (1 - std::cos(pi / 24)) + (ring_radius + tube_radius) * (1 - std::cos(pi / 48));
  std::mt19937 random(3);
  int decided = 0;
  for (int k = 0; k < 100000; ++k) {
    const Vec3 x = random_point(random, 1.6);
    const double exact = std::hypot(std::hypot(x.x(), x.z()) - ring_radius, x.y()) - tube_radius;
    const Found found = ask(mesh, x, 0.1);
    if (std::abs(exact) > 1.5 * chord) {
      ++decided;
      ASSERT_EQ(!found.empty() && found[0].gap < 0, exact < 0);
    }
    ASSERT_NEAR(found.empty() ? exact : found[0].gap, exact, 1.5 * chord);
  }
  EXPECT_GT(decided, 80000);
}

/// Where a sealed mesh has sharp edges the sign of the nearest face alone is wrong; that of the feature
/// never.
TEST(MeshCollider, sign_is_right_in_front_of_sharp_edges_and_corners) {
  TriMesh spike;  // a needle of a tetrahedron
  spike.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0, 0.1}, {0.02, 2, 0.02}};
  spike.triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  const MeshCollider mesh(spike, false);
  ASSERT_EQ(mesh.kind(), MeshCollider::Kind::sealed);
  const TriangleTree tree(spike.vertices, spike.triangles);
  std::mt19937 random(4);
  for (int k = 0; k < 20000; ++k) {
    const Vec3 x = Vec3(0.02, k % 2 ? 2 : 1, 0.02) + random_point(random, 0.2);
    const double gap = ask(mesh, x)[0].gap;
    if (std::abs(gap) < 1e-9) continue;
    ASSERT_EQ(gap<0, tree.winding_exact(x)> 0.5) << x.transpose();
  }
}

TEST(MeshCollider, only_points_within_the_band_touch_and_deep_ones_always_do) {
  const MeshCollider mesh(sphere_mesh(8), false);
  EXPECT_TRUE(ask(mesh, {1.5, 0, 0}, 0.1).empty());
  EXPECT_TRUE(ask(mesh, {1.05, 0, 0}, 0.02).empty());
  EXPECT_EQ(ask(mesh, {1.05, 0, 0}, 0.1).size(), 1u);
  ASSERT_EQ(ask(mesh, {0.1, 0, 0}, 0.01).size(), 1u);
  EXPECT_LT(ask(mesh, {0.1, 0, 0}, 0.01)[0].gap, -0.8);
}

TEST(MeshCollider, on_the_surface_the_normal_is_that_of_the_face) {
  const MeshCollider mesh(box_mesh({0, 0, 0}, {1, 1, 1}), false);
  for (const double height : {1.0, 1 + 1e-9, 1 - 1e-9}) {
    const Found found = ask(mesh, {0.3, height, 0.4}, 0.01);
    ASSERT_EQ(found.size(), 1u);
    expect_near(found[0].normal, {0, 1, 0}, 1e-15);
    EXPECT_NEAR(found[0].gap, height - 1, 1e-15);
  }
}

TEST(MeshCollider, coplanar_triangles_are_one_feature) {
  const MeshCollider mesh(floor_mesh(6), true);
  const Index feature = ask(mesh, {0.01, 0.1, 0.02})[0].feature;
  EXPECT_EQ(ask(mesh, {0.7, 0.1, -0.6})[0].feature, feature);
  const MeshCollider box(box_mesh({0, 0, 0}, {1, 1, 1}), false);
  EXPECT_NE(ask(box, {0.5, 2, 0.5}, 2)[0].feature, ask(box, {2, 0.5, 0.5}, 2)[0].feature);
}

TEST(MeshCollider, answers_do_not_depend_on_the_order_of_the_triangles) {
  TriMesh surface = torus_mesh(24, 12);
  const MeshCollider first(surface, false);
  std::shuffle(surface.triangles.begin(), surface.triangles.end(), std::mt19937(5));
  const MeshCollider second(surface, false);
  std::mt19937 random(6);
  for (int k = 0; k < 5000; ++k) {
    const Vec3 x = random_point(random, 1.5);
    const Found a = ask(first, x, 0.3), b = ask(second, x, 0.3);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(a[i].gap, b[i].gap, 1e-14);
      EXPECT_LE((a[i].normal - b[i].normal).norm(), 1e-9);
    }
  }
}

// ---- concave corners -------------------------------------------------------------------------------------

/// A block 0 .. 3 with the corner 1 .. 3 cut out of it: floor and two walls meet at (1, 1, 1).
TriMesh room_mesh() {
  TriMesh mesh;  // three slabs that overlap make a dirty room, whose faces are where they should be
  append(mesh, box_mesh({0, 0, 0}, {3, 1, 3}));
  append(mesh, box_mesh({0, 0.5, 0}, {1, 3, 3}));
  append(mesh, box_mesh({0.5, 0.5, 0}, {3, 3, 1}));
  return mesh;
}

/// A V-groove along z, cut into a block: walls at 45 degrees that meet at the origin.
TriMesh groove_mesh() {
  TriMesh mesh;
  const std::vector<std::array<double, 2>> outline{{0, 0}, {1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
  for (const double z : {-1.0, 1.0})
    for (const auto& p : outline) mesh.vertices.emplace_back(p[0], p[1], z);
  for (Index i = 0; i < 5; ++i) {
    const Index j = (i + 1) % 5;
    mesh.triangles.push_back({i, j, j + 5});
    mesh.triangles.push_back({i, j + 5, i + 5});
  }
  for (const auto& t : {Triangle{0, 2, 1}, {0, 3, 2}, {0, 4, 3}}) {
    mesh.triangles.push_back(t);
    mesh.triangles.push_back({t[0] + 5, t[2] + 5, t[1] + 5});
  }
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TEST(MeshCollider, a_groove_touches_from_both_walls) {
  const MeshCollider mesh(groove_mesh(), false);
  ASSERT_EQ(mesh.kind(), MeshCollider::Kind::sealed);
  ASSERT_GT(enclosed_volume(mesh.mesh().vertices, mesh.mesh().triangles), 0);
  const Found found = ask(mesh, {0.01, 0.2, 0}, 0.3);
  ASSERT_EQ(found.size(), 2u);
  const double r = std::sqrt(0.5);
  expect_near(found[0].normal, {-r, r, 0}, 1e-9);
  expect_near(found[1].normal, {r, r, 0}, 1e-9);
  EXPECT_NEAR(found[0].gap, (0.2 - 0.01) * r, 1e-12);
  EXPECT_NEAR(found[1].gap, (0.2 + 0.01) * r, 1e-12);
  EXPECT_NE(found[0].feature, found[1].feature);
  EXPECT_EQ(ask(mesh, {0.3, 0.35, 0}, 0.1).size(), 1u);  // the other wall is beyond the band
  // A little inside one wall, which ends where the foot on the other one would be.
  const Found below = ask(mesh, {0.1, 0.1 - 1e-5, 0}, 0.3);
  ASSERT_EQ(below.size(), 2u);
  EXPECT_NEAR(below[0].gap, -1e-5 * r, 1e-12);
  EXPECT_NEAR(below[1].gap, 0.2 * r, 1e-5);
  expect_near(below[1].normal, {r, r, 0}, 1e-9);
}

TEST(MeshCollider, a_corner_of_a_room_touches_three_times) {
  const MeshCollider mesh(room_mesh(), false);
  ASSERT_EQ(mesh.kind(), MeshCollider::Kind::dirty);
  const Found found = ask(mesh, {1.2, 1.1, 1.3}, 0.5);
  ASSERT_EQ(found.size(), 3u);
  expect_near(found[0].normal, {0, 1, 0}, 1e-9);
  expect_near(found[1].normal, {1, 0, 0}, 1e-9);
  expect_near(found[2].normal, {0, 0, 1}, 1e-9);
  EXPECT_NEAR(found[2].gap, 0.3, 1e-12);
}

TEST(MeshCollider, a_flat_floor_and_a_convex_edge_touch_once) {
  const MeshCollider floor(floor_mesh(20), true), box(box_mesh({0, 0, 0}, {1, 1, 1}), false);
  std::mt19937 random(7);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 x = 0.9 * random_point(random, 1).cwiseProduct(Vec3(1, 0.1, 1));
    EXPECT_EQ(ask(floor, x, 0.3).size(), 1u);
    EXPECT_EQ(ask(box, Vec3(0.5, 1, 0.5) + x, 5).size(), 1u);
  }
}

// ---- dirty meshes ----------------------------------------------------------------------------------------

TEST(MeshCollider, holes_and_self_intersections_are_told_by_winding) {
  TriMesh open = sphere_mesh(10);
  open.triangles.erase(open.triangles.begin(), open.triangles.begin() + 4);
  const MeshCollider holed(open, false), room(room_mesh(), false);
  EXPECT_EQ(holed.kind(), MeshCollider::Kind::dirty);
  std::mt19937 random(8);
  for (int k = 0; k < 5000; ++k) {
    const Vec3 x = random_point(random, 1.4);
    if (std::abs(x.norm() - 1) < 0.1) continue;
    const Found found = ask(holed, x, 0.05);
    EXPECT_EQ(!found.empty(), x.norm() < 1);
  }
  // within the walls, also where two slabs overlap and their inner faces are nearest
  EXPECT_LT(ask(room, {0.9, 0.9, 2}, 0.3)[0].gap, 0);
  EXPECT_LT(ask(room, {0.99, 0.55, 2}, 0.3)[0].gap, 0);
  EXPECT_GT(ask(room, {1.1, 1.5, 2}, 0.3)[0].gap, 0);
}

TEST(MeshCollider, free_side_of_a_dirty_mesh_is_remembered_while_near) {
  TriMesh bowl = box_mesh({-1, -1, -1}, {1, 1, 1});  // without its top
  bowl.triangles.erase(bowl.triangles.begin() + 6, bowl.triangles.begin() + 8);
  const MeshCollider mesh(bowl, false);
  const Vec3 above(0.1, -0.95, 0), below(0.1, -1.05, 0);  // the bottom, from the inside and the outside
  Side side = 0;
  EXPECT_LT(ask(mesh, above, 0.2, side)[0].gap, 0);  // winds around by 5 / 6: taken for solid
  EXPECT_EQ(side, 1);
  EXPECT_GT(ask(mesh, below, 0.2, side)[0].gap, 0);
  side = -1;  // came in through the top, say
  EXPECT_NEAR(ask(mesh, above, 0.2, side)[0].gap, 0.05, 1e-12);
  const Found through = ask(mesh, below, 0.2, side);
  EXPECT_NEAR(through[0].gap, -0.05, 1e-12);
  expect_near(through[0].normal, {0, 1, 0}, 1e-9);
  EXPECT_EQ(side, -1);
  ask(mesh, {0.1, -0.5, 0}, 0.2, side);
  EXPECT_EQ(side, 0);  // away: forgotten
}

TEST(MeshCollider, what_rests_in_a_corner_a_hair_inside_the_floor_still_meets_the_wall) {
  const MeshCollider mesh(room_mesh(), false);
  Side side = 1;
  const Found found = ask(mesh, {1.01, 1 - 1e-5, 2}, 0.05, side);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].gap, -1e-5, 1e-12);
  EXPECT_NEAR(found[1].gap, 0.01, 1e-9);
  expect_near(found[1].normal, {1, 0, 0}, 1e-3);
}

// ---- sheets ----------------------------------------------------------------------------------------------

TEST(MeshCollider, a_sheet_is_solid_from_the_side_a_point_came_from) {
  const MeshCollider sheet(floor_mesh(8), true);
  for (const double from : {1.0, -1.0}) {
    Side side = 0;
    const Found before = ask(sheet, {0.1, 0.05 * from, 0.2}, 0.1, side);
    ASSERT_EQ(before.size(), 1u);
    EXPECT_NEAR(before[0].gap, 0.05, 1e-14);
    expect_near(before[0].normal, {0, from, 0}, 1e-12);
    const Found through = ask(sheet, {0.1, -0.02 * from, 0.2}, 0.1, side);
    ASSERT_EQ(through.size(), 1u);
    EXPECT_NEAR(through[0].gap, -0.02, 1e-14);
    expect_near(through[0].normal, {0, from, 0}, 1e-12);
    for (const double height : {1e-9, 0.0, -1e-9}) {
      const Found on = ask(sheet, {0.1, height * from, 0.2}, 0.1, side);
      expect_near(on[0].normal, {0, from, 0}, 1e-12);
      EXPECT_NEAR(on[0].gap, height, 1e-14);
    }
    EXPECT_TRUE(ask(sheet, {0.1, from, 0.2}, 0.1, side).empty());
    EXPECT_EQ(side, 0);  // away: forgotten
  }
}

TEST(MeshCollider, a_remembered_point_is_not_lost_however_deep_it_got) {
  const MeshCollider sheet(floor_mesh(8), true),
      land(floor_mesh(8), false);  // an open surface, not said thin
  for (const MeshCollider* mesh : {&sheet, &land}) {
    Side side = 0;
    EXPECT_GT(ask(*mesh, {0.1, 0.05, 0.2}, 0.1, side)[0].gap, 0);
    const Found deep = ask(*mesh, {0.1, -0.5, 0.2}, 0.1, side);
    ASSERT_EQ(deep.size(), 1u);
    EXPECT_NEAR(deep[0].gap, -0.5, 1e-12);
    expect_near(deep[0].normal, {0, 1, 0}, 1e-12);
    EXPECT_EQ(side, 1);
    EXPECT_TRUE(ask(*mesh, {0.1, 0.5, 0.2}, 0.1, side).empty());
    EXPECT_EQ(side, 0);
  }
}

TEST(MeshCollider, a_point_may_go_around_the_border_of_a_sheet) {
  const MeshCollider sheet(floor_mesh(8), true);
  Side side = 0;
  for (int k = 0; k <= 40; ++k) {
    const double angle = pi * (k / 40.0 - 0.5);  // from below to above, around the edge x = 1
    const Vec3 x(1 + 0.05 * std::cos(angle), 0.05 * std::sin(angle), 0.3);
    const Found found = ask(sheet, x, 0.1, side);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].gap, 0.05, 1e-12);
    expect_near(found[0].normal, {std::cos(angle), std::sin(angle), 0}, 1e-9);
  }
}

// ---- tunnelling ------------------------------------------------------------------------------------------

TEST(MeshCollider, sees_a_point_that_shot_through_it) {
  const MeshCollider board(box_mesh({-1, -0.01, -1}, {1, 0.01, 1}), false), sheet(floor_mesh(8), true);
  SurfacePoint hit;
  ASSERT_TRUE(board.crossed({0.2, 1, 0.1}, {0.2, -1, 0.1}, hit));
  expect_near(hit.normal, {0, 1, 0}, 1e-12);
  EXPECT_NEAR(hit.gap, -1.01, 1e-12);
  EXPECT_TRUE(board.crossed({0.2, 1, 0.1}, {0.2, -0.009, 0.1}, hit));   // nearest to the wrong side
  EXPECT_FALSE(board.crossed({0.2, 1, 0.1}, {0.2, 0.009, 0.1}, hit));   // the query tells
  EXPECT_FALSE(board.crossed({0.2, 0.005, 0.1}, {0.2, -1, 0.1}, hit));  // begins inside
  EXPECT_FALSE(board.crossed({1.2, 1, 0.1}, {1.2, -1, 0.1}, hit));      // passes by
  EXPECT_FALSE(sheet.crossed({0.2, 1, 0.1}, {0.2, -0.5, 0.1}, hit));    // its memory tells
  ASSERT_FALSE(sheet.crossed({0.2, 1, 0.1}, {0.2, 0.5, 0.1}, hit));
}

TEST(MeshCollider, sees_a_point_that_shot_through_the_wall_of_a_dirty_mesh) {
  const MeshCollider room(room_mesh(), false);
  SurfacePoint hit;
  ASSERT_TRUE(room.crossed({2, 2, 2}, {2, 0.01, 2}, hit));  // nearest to the bottom
  expect_near(hit.normal, {0, 1, 0}, 1e-12);
  EXPECT_NEAR(hit.point.y(), 1, 1e-12);
}

// ---- in a collider ---------------------------------------------------------------------------------------

TEST(MeshCollider, moves_turns_and_teleports_like_every_collider) {
  const auto mesh = std::make_shared<const MeshCollider>(box_mesh({4, -1, -1}, {6, 1, 1}), false);
  const Motion motion{{{0, Vec3::Zero(), {{0, 1, 0}, 0}}, {2, Vec3(0, 1, 0), {{0, 1, 0}, 90}}}, Ease::linear};
  Collider moved(mesh, motion, 0.5, 0), exact(BoxCollider{{5, 0, 0}, {2, 2, 2}}, motion, 0.5, 0);
  moved.aim(0.3, 0.4);
  exact.aim(0.3, 0.4);
  std::mt19937 random(9);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 x = Vec3(5, 0, 0) + random_point(random, 2);
    for (const Instant instant : {Instant::begin, Instant::end}) {
      std::array<Touch, max_touches> a, b;
      Side side = 0;
      const int n = moved.query(x, 0.5, instant, side, a), m = exact.query(x, 0.5, instant, side, b);
      ASSERT_EQ(n, m);
      if (n == 0) continue;
      EXPECT_NEAR(a[0].gap, b[0].gap, 1e-12);
      if (b[0].gap > 1e-3) expect_near(a[0].velocity, b[0].velocity, 1e-9);
    }
  }
  EXPECT_EQ(moved.near({7, 0, 0}, {8, 1, 1}, 0.1), exact.near({7, 0, 0}, {8, 1, 1}, 0.1));
  EXPECT_FALSE(moved.near({9, 0, 0}, {10, 1, 1}, 0.1));
}

TEST(MeshCollider, a_teleport_forgets_the_side) {
  const auto sheet = std::make_shared<const MeshCollider>(floor_mesh(4), true);
  const Motion jump{{{0, Vec3::Zero(), {}}, {1, Vec3(0, 10, 0), {}}}, Ease::linear};
  Collider collider(sheet, jump, 0.5, 0);
  collider.aim(0, 1);
  std::array<Touch, max_touches> out;
  Side side = 1;  // above it where it was
  ASSERT_EQ(collider.query({0, 9.95, 0}, 0.1, Instant::end, side, out), 1);
  EXPECT_NEAR(out[0].gap, 0.05, 1e-12);
  expect_near(out[0].normal, {0, -1, 0}, 1e-12);
  expect_near(out[0].velocity, Vec3::Zero(), 0);
}

TEST(MeshCollider, a_query_allocates_nothing) {
  const MeshCollider room(room_mesh(), false);
  const std::size_t before = allocations();
  std::array<SurfacePoint, max_touches> out;
  Side side = 0;
  SurfacePoint hit;
  EXPECT_EQ(room.query({1.2, 1.1, 1.3}, 0.5, side, out), 3);
  EXPECT_TRUE(room.crossed({2, 2, 2}, {2, 0.01, 2}, hit));
  EXPECT_EQ(allocations(), before);
}

}  // namespace mesh_collider_test
}  // namespace pliant
