// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/inside.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "pliant/io/read_mesh.hpp"
#include "tests/support/models.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace inside_test {

Solidity solidity_of(const PolygonMesh& mesh) {
  const auto surface = repair(mesh);
  EXPECT_TRUE(surface) << surface.error().text();
  return solidity(*surface, TriangleTree(surface->mesh.vertices, surface->mesh.triangles));
}
Solidity solidity_of(const TriMesh& mesh) { return solidity_of(as_polygons(mesh)); }

bool is_solid(const Solidity& s) { return s.any_solid && !s.any_shell; }
bool is_shell(const Solidity& s) { return !s.any_solid && s.any_shell; }

TriMesh without(TriMesh mesh, double share) {
  std::mt19937 random(11);
  std::vector<Triangle> kept;
  for (const Triangle& t : mesh.triangles)
    if (random() % 1000 >= 1000 * share) kept.push_back(t);
  mesh.triangles = kept;
  return mesh;
}

TEST(Solidity, closed_surfaces_are_solid_and_flat_sheets_are_shells) {
  const Solidity box = solidity_of(box_surface()), ball = solidity_of(sphere_surface(20));
  EXPECT_TRUE(is_solid(box) && is_solid(ball));
  EXPECT_LT(box.defect, 0.01);
  EXPECT_LT(ball.defect, 0.02);
  EXPECT_FALSE(box.doubtful);
  TriMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
  sheet.triangles = {{0, 2, 1}, {0, 3, 2}};
  const Solidity flat = solidity_of(sheet);
  EXPECT_TRUE(is_shell(flat));
  EXPECT_NEAR(flat.defect, 0.5, 0.01);
}

TEST(Solidity, holes_up_to_a_third_of_the_surface_leave_a_solid) {
  TriMesh eleven = box_surface();
  eleven.triangles.pop_back();
  EXPECT_TRUE(is_solid(solidity_of(eleven)));
  EXPECT_NEAR(solidity_of(eleven).defect, 0.046, 0.01);
  const Solidity tenth = solidity_of(without(sphere_surface(20), 0.1));
  EXPECT_TRUE(is_solid(tenth));
  EXPECT_NEAR(tenth.defect, 0.064, 0.03);
  const Solidity third = solidity_of(without(sphere_surface(20), 0.3));
  EXPECT_TRUE(is_solid(third));
  EXPECT_TRUE(third.doubtful);
  EXPECT_NEAR(third.defect, 0.167, 0.02);
}

TEST(Solidity, turned_faces_doubled_faces_and_overlapping_parts_change_nothing) {
  TriMesh shuffled = sphere_surface(20);
  std::mt19937 random(12);
  for (Triangle& t : shuffled.triangles)
    if (random() % 10 < 3) std::swap(t[0], t[1]);
  EXPECT_LT(solidity_of(shuffled).defect, 0.02);
  TriMesh doubled = box_surface();
  append(doubled, turned(box_surface()));
  EXPECT_LT(solidity_of(doubled).defect, 0.01);
  TriMesh overlapping = sphere_surface(12);
  append(overlapping, sphere_surface(12, 1, {0.8, 0, 0}));
  const Solidity two = solidity_of(overlapping);
  EXPECT_TRUE(is_solid(two));
  EXPECT_EQ(two.component_solid.size(), 2u);
}

TEST(Solidity, inside_of_a_hollow_box_is_outside_and_of_a_filled_one_inside) {
  const TriMesh outer = box_surface({0, 0, 0}, {3, 3, 3}), inner = box_surface({1, 1, 1}, {2, 2, 2});
  for (const bool hollow : {true, false}) {
    TriMesh mesh = outer;
    append(mesh, hollow ? turned(inner) : inner);
    const auto surface = repair(as_polygons(mesh));
    ASSERT_TRUE(surface);
    const TriangleTree tree(surface->mesh.vertices, surface->mesh.triangles);
    EXPECT_EQ(tree.winding({1.5, 1.5, 1.5}) > 0.5, !hollow);
    EXPECT_GT(tree.winding({0.5, 0.5, 0.5}), 0.5);
    EXPECT_TRUE(is_solid(solidity(*surface, tree)));
  }
}

TEST(CountedVolume, is_that_of_the_union_of_overlapping_parts_holes_or_not) {
  TriMesh mesh = box_surface({0, 0, 0}, {2, 1, 1});
  append(mesh, box_surface({1, 0, 0}, {3, 1, 1}));
  EXPECT_NEAR(counted_volume(mesh, TriangleTree(mesh.vertices, mesh.triangles), 20'000), 3, 0.1);
  TriMesh stairs = box_surface({0, 0, 0}, {1, 1, 1});  // faces along the cells
  append(stairs, box_surface({0.5, 0.5, 0.5}, {1.5, 1.5, 1.5}));
  EXPECT_NEAR(counted_volume(stairs, TriangleTree(stairs.vertices, stairs.triangles), 20'000), 1.875, 0.01);
  TriMesh open = box_surface();
  open.triangles.pop_back();
  EXPECT_NEAR(counted_volume(open, TriangleTree(open.vertices, open.triangles), 20'000), 1, 0.05);
  EXPECT_EQ(counted_volume({}, TriangleTree({}, {}), 100), 0);
}

TEST(Solidity, size_and_place_change_nothing) {
  const Solidity reference = solidity_of(without(sphere_surface(12), 0.1));
  for (const double scale : {1e-6, 1e6})
    for (const double away : {0.0, 1e6}) {
      TriMesh mesh = without(sphere_surface(12), 0.1);
      for (Vec3& x : mesh.vertices) x = scale * (x + Vec3(away, 0, -away));
      EXPECT_NEAR(solidity_of(mesh).defect, reference.defect, 1e-4) << scale << " " << away;
    }
}

TEST(Solidity, every_model_is_solid_shell_or_mixed_as_known) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const std::set<std::string> shells = {"ALSTOM_TEST4.off",
                                        "cylinder.off",
                                        "cylinder_locally_refined.off",
                                        "degtri_sliding.off",
                                        "fold.off",
                                        "holes.off",
                                        "horizons.off",
                                        "in.off",
                                        "mask_cone.off",
                                        "mesh_with_border.off",
                                        "mesh_with_colors.off",
                                        "mushroom.off",
                                        "nefertiti.off",
                                        "negative.off",
                                        "patch-13.off",
                                        "patch-20.off",
                                        "patch-21.off",
                                        "patch-23.off",
                                        "patch-30.off",
                                        "plane.off",
                                        "poly2x^2+y^2-0.062500.off",
                                        "polygon_mesh.off",
                                        "quad.off",
                                        "quads_to_stitch.off",
                                        "three_peaks.off",
                                        "triangle.off",
                                        "triangular_hole.off"};
  const std::set<std::string> mixed = {"b9_mesh.off", "tetra_intersected_by_triangle.off"};
  int count = 0;
  for (const auto& file : model_files()) {
    const std::string name = file.filename();
    const auto mesh = read_polygons(file);
    if (name == "b9.ply") {
      EXPECT_FALSE(mesh && repair(*mesh));
      continue;
    }
    ASSERT_TRUE(mesh) << mesh.error().text();
    const auto surface = repair(*mesh);
    ASSERT_TRUE(surface) << name << ": " << surface.error().text();
    const Solidity s = solidity(*surface, TriangleTree(surface->mesh.vertices, surface->mesh.triangles));
    EXPECT_EQ(is_shell(s), shells.count(name) == 1) << name << " " << s.defect;
    EXPECT_EQ(s.any_solid && s.any_shell, mixed.count(name) == 1) << name << " " << s.defect;
    if (surface->report.closed) {
      EXPECT_LT(s.defect, 0.02) << name;
    }
    ++count;
  }
  EXPECT_EQ(count, 142);
}

}  // namespace inside_test
}  // namespace pliant
