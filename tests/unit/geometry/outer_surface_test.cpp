// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/outer_surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/surface_edges.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace outer_surface_test {

TriMesh around(const TriMesh& mesh, const OuterSurfaceOptions& options) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : mesh.vertices) box.extend(p);
  const TriangleTree tree(mesh.vertices, mesh.triangles);
  Pool pool(2);
  return outer_surface(box, tree, options, pool);
}

int pieces(const TriMesh& mesh) {
  const auto piece = components_by_vertex(Index(mesh.vertices.size()), mesh.triangles);
  return 1 + *std::max_element(piece.begin(), piece.end());
}

int handles(const TriMesh& mesh) {
  return (2 - int(mesh.vertices.size()) + int(mesh.triangles.size()) / 2) / 2;
}

/// A square ring in the x-z plane with a hole of the given width, of four bars of section 0.2.
TriMesh ring(double hole) {
  const double in = hole / 2, out = in + 0.2;
  TriMesh mesh = box_surface({-out, 0, -out}, {out, 0.2, -in});
  append(mesh, box_surface({-out, 0, in}, {out, 0.2, out}));
  append(mesh, box_surface({-out, 0, -in - 0.01}, {-in, 0.2, in + 0.01}));
  append(mesh, box_surface({in, 0, -in - 0.01}, {out, 0.2, in + 0.01}));
  return mesh;
}

TEST(OuterSurface, keeps_its_distance_from_a_sphere_and_is_a_sound_cage) {
  const TriMesh sphere = sphere_surface(24);
  const TriMesh outer = around(sphere, {.distance = 0.1, .spacing = 0.1, .ball = 0.1});
  const auto problem = check_cage(outer, sphere.vertices, 0.07);
  EXPECT_FALSE(problem) << problem->found;
  for (const Vec3& p : outer.vertices) EXPECT_NEAR(p.norm(), 1.1, 0.04);
  const double volume = enclosed_volume(outer.vertices, outer.triangles);
  EXPECT_NEAR(volume / (4 * std::numbers::pi / 3 * 1.1 * 1.1 * 1.1), 1, 0.03);
}

TEST(OuterSurface, needs_no_orientation_and_has_no_cavities) {
  TriMesh hollow = turned(box_surface());
  append(hollow, box_surface({0.3, 0.3, 0.3}, {0.7, 0.7, 0.7}));
  const TriMesh outer = around(hollow, {.distance = 0.05, .spacing = 0.05, .ball = 0.05});
  EXPECT_EQ(pieces(outer), 1);
  EXPECT_GT(enclosed_volume(outer.vertices, outer.triangles), 1);
}

TEST(OuterSurface, a_flat_sheet_becomes_a_slab) {
  TriMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const TriMesh outer = around(sheet, {.distance = 0.05, .spacing = 0.05, .ball = 0.05});
  EXPECT_EQ(pieces(outer), 1);
  EXPECT_EQ(handles(outer), 0);
  EXPECT_NEAR(enclosed_volume(outer.vertices, outer.triangles), 0.1 + 4 * 0.05 * 0.05 * 1.57, 0.015);
}

TEST(OuterSurface, a_solid_with_a_large_hole_is_filled_when_asked) {
  TriMesh open = box_surface();
  open.triangles.erase(open.triangles.begin() + 2, open.triangles.begin() + 4);  // the face z = 1
  OuterSurfaceOptions options{.distance = 0.05, .spacing = 0.05, .ball = 0.05};
  const TriMesh bowl = around(open, options);
  options.filled = true;
  const TriMesh solid = around(open, options);
  EXPECT_LT(enclosed_volume(bowl.vertices, bowl.triangles), 0.75);
  EXPECT_GT(enclosed_volume(solid.vertices, solid.triangles), 0.9);
}

TEST(OuterSurface, a_ball_too_large_for_a_hole_closes_it_and_nothing_else) {
  const TriMesh mesh = ring(0.4);
  OuterSurfaceOptions options{.distance = 0.05, .spacing = 0.05, .ball = 0.05};
  const TriMesh open = around(mesh, options);
  EXPECT_EQ(handles(open), 1);
  options.ball = 0.3;
  const TriMesh closed = around(mesh, options);
  EXPECT_EQ(pieces(closed), 1);
  EXPECT_EQ(handles(closed), 0);
  const auto problem = check_cage(closed, mesh.vertices, 0.03);
  EXPECT_FALSE(problem) << problem->found;
  // Outside the hole it is where it was: the box of the ring has grown by the distance, not by the ball.
  Eigen::AlignedBox3d box;
  for (const Vec3& p : closed.vertices) box.extend(p);
  EXPECT_NEAR(box.sizes().x(), 0.8 + 2 * 0.05, 0.03);
}

}  // namespace outer_surface_test
}  // namespace pliant
