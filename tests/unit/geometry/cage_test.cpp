// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cage.hpp"

#include <gtest/gtest.h>

#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/surface_sampling.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/io/read_mesh.hpp"
#include "tests/support/models.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace cage_test {

Cage cage_of(const PolygonMesh& mesh, const CageOptions& options, int threads = 1) {
  Pool pool(threads);
  Result<Cage> made = automatic_cage(mesh, options, pool);
  EXPECT_TRUE(made) << made.error().text();
  return made ? std::move(*made) : Cage{};
}

void expect_sound(const Cage& cage, const PolygonMesh& mesh, const CageOptions& options) {
  Result<Repaired> body = repair(mesh);
  ASSERT_TRUE(body);
  const double size = diagonal(body->mesh.vertices);
  const auto problem = check_cage(cage.mesh, body->mesh.vertices, 0.999 * options.clearance * size);
  EXPECT_FALSE(problem) << problem->found;
  EXPECT_LE(3 * int(cage.mesh.vertices.size()), options.budget);
  EXPECT_EQ(cage.report.freedoms, 3 * int(cage.mesh.vertices.size()));
  // Not the vertices alone: what is between them is inside as well.
  std::vector<Index> all(body->mesh.triangles.size());
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = Index(t);
  RandomNumbers random(3);
  const TriangleTree tree(cage.mesh.vertices, cage.mesh.triangles);
  int outside = 0;
  for (const SurfaceSample& at : sample_surface(body->mesh, all, 2000, random))
    outside += !(tree.winding(at.point) > 0.5);
  EXPECT_EQ(outside, 0);
}

TEST(BoxCage, has_the_freedoms_the_papers_tables_name) {
  for (const auto& [cells, vertices, triangles] :
       {std::tuple{std::array<int, 3>{2, 2, 6}, 58, 112}, {{1, 3, 6}, 56, 108}, {{1, 4, 19}, 200, 396}}) {
    const TriMesh cage = box_cage({0, 0, 0}, {1, 2, 3}, cells);
    EXPECT_EQ(int(cage.vertices.size()), vertices);
    EXPECT_EQ(int(cage.triangles.size()), triangles);
    EXPECT_FALSE(check_cage(cage, Points{{0.5, 1, 1.5}}));
    EXPECT_NEAR(enclosed_volume(cage.vertices, cage.triangles), 6, 1e-12);
  }
}

TEST(AutomaticCage, spends_the_budget_and_keeps_the_clearance) {
  const PolygonMesh sphere = as_polygons(sphere_surface(12));
  for (const int budget : {60, 300}) {
    const CageOptions options{.budget = budget};
    const Cage cage = cage_of(sphere, options);
    expect_sound(cage, sphere, options);
    EXPECT_GE(cage.report.freedoms, budget - 2);
    EXPECT_FALSE(cage.report.box);
  }
}

TEST(AutomaticCage, a_wider_clearance_is_kept_too) {
  const PolygonMesh box = as_polygons(sphere_surface(8));
  for (const double clearance : {0.012, 0.05}) {
    const CageOptions options{.budget = 168, .clearance = clearance};
    expect_sound(cage_of(box, options), box, options);
  }
}

TEST(AutomaticCage, is_the_same_for_any_number_of_threads_and_scales_with_the_mesh) {
  const PolygonMesh sphere = as_polygons(sphere_surface(12));
  PolygonMesh large = sphere;
  for (Vec3& p : large.vertices) p = 1024 * p;
  const Cage one = cage_of(sphere, {.budget = 90}), other = cage_of(sphere, {.budget = 90}, 3),
             scaled = cage_of(large, {.budget = 90});
  EXPECT_EQ(one.mesh.triangles, other.mesh.triangles);
  EXPECT_EQ(one.mesh.vertices, other.mesh.vertices);
  ASSERT_EQ(one.mesh.triangles, scaled.mesh.triangles);
  for (std::size_t v = 0; v < one.mesh.vertices.size(); ++v)
    EXPECT_NEAR((1024 * one.mesh.vertices[v] - scaled.mesh.vertices[v]).norm(), 0, 1e-6);
}

TEST(AutomaticCage, sheets_soups_and_separate_parts_get_one_too) {
  TriMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  TriMesh apart = box_surface();
  append(apart, turned(box_surface({1.4, 0, 0}, {2.4, 1, 1})));
  TriMesh soup = sphere_surface(10);
  for (std::size_t t = 0; t < soup.triangles.size(); t += 3)
    std::swap(soup.triangles[t][0], soup.triangles[t][1]);
  for (std::size_t t = 0; t + 7 < soup.triangles.size(); t += 7)
    soup.triangles.erase(soup.triangles.begin() + std::ptrdiff_t(t));
  for (const TriMesh& mesh : {sheet, apart, soup}) {
    const CageOptions options{.budget = 120};
    expect_sound(cage_of(as_polygons(mesh), options), as_polygons(mesh), options);
  }
}

TEST(AutomaticCage, a_budget_too_small_for_anything_tighter_gives_a_box_or_a_tetrahedron) {
  TriMesh apart = box_surface();
  append(apart, box_surface({40, 0, 0}, {41, 1, 1}));
  for (const auto& [budget, freedoms] : {std::pair{24, 24}, {12, 12}}) {
    const CageOptions options{.budget = budget};
    const Cage cage = cage_of(as_polygons(apart), options);
    expect_sound(cage, as_polygons(apart), options);
    EXPECT_EQ(cage.report.freedoms, freedoms);
    EXPECT_TRUE(cage.report.box);
  }
}

TEST(AutomaticCage, around_a_box_it_is_a_box_of_cells_that_spends_the_budget) {
  TriMesh bar = box_surface({0, 0, 0}, {1, 1, 5});
  const CageOptions options{.budget = 168};
  const Cage cage = cage_of(as_polygons(bar), options);
  expect_sound(cage, as_polygons(bar), options);
  EXPECT_TRUE(cage.report.box);
  EXPECT_GE(cage.report.freedoms, 140);
  const double margin = 2 * 1.01 * 0.015 * std::sqrt(27.0);
  EXPECT_NEAR(cage.report.volume, (1 + margin) * (1 + margin) * (5 + margin), 1e-9);
}

TEST(AutomaticCage, points_without_faces_and_budgets_out_of_range_are_refused) {
  Pool pool(1);
  PolygonMesh points;
  points.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_FALSE(automatic_cage(points, {}, pool));
  const PolygonMesh box = as_polygons(box_surface());
  for (const int budget : {0, 11, 6001}) {
    const auto made = automatic_cage(box, {.budget = budget}, pool);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().problems[0].place, "budget");
  }
  EXPECT_FALSE(automatic_cage(box, {.clearance = 0}, pool));
}

/// Twenty of the wild: scans, animals, parts with many handles, knots, open ones, sheets.
TEST(AutomaticCage, goes_around_twenty_wild_meshes) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const CageOptions options{.budget = 168};
  for (const char* name : {"elephant",
                           "armadillo",
                           "ChineseDragon-10kv",
                           "bunny00",
                           "hand",
                           "homer",
                           "dino",
                           "camel",
                           "cactus",
                           "cow",
                           "femur",
                           "turbine",
                           "couplingdown",
                           "3torus",
                           "eight",
                           "rotor_small",
                           "elephant-with-holes",
                           "cylinder",
                           "plane",
                           "tetra_intersected_by_triangle"}) {
    SCOPED_TRACE(name);
    Result<PolygonMesh> mesh = read_polygons(model_folder() / (std::string(name) + ".off"));
    ASSERT_TRUE(mesh) << mesh.error().text();
    const Cage cage = cage_of(*mesh, options, 0);
    expect_sound(cage, *mesh, options);
    EXPECT_GE(cage.report.freedoms, 150);
    for (const std::string& warning : cage.report.warnings)
      EXPECT_EQ(warning.find("plain"), std::string::npos) << warning;
  }
}

}  // namespace cage_test
}  // namespace pliant
