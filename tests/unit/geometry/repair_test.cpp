// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/repair.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/io/read_mesh.hpp"
#include "tests/support/mesh_samples.hpp"
#include "tests/support/models.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace repair_test {

double volume(const Repaired& surface) {
  return enclosed_volume(surface.mesh.vertices, surface.mesh.triangles);
}

Repaired repaired(const PolygonMesh& mesh) {
  auto result = repair(mesh);
  EXPECT_TRUE(result) << result.error().text();
  return result ? std::move(*result) : Repaired{};
}
Repaired repaired(const TriMesh& mesh) { return repaired(as_polygons(mesh)); }

/// What any result keeps: triangles in mesh and in input vertices are the same ones.
void expect_maps_agree(const Repaired& surface, const PolygonMesh& input) {
  ASSERT_EQ(surface.mesh.triangles.size(), surface.input_triangles.size());
  ASSERT_EQ(surface.component.size(), surface.mesh.triangles.size());
  ASSERT_EQ(surface.welded.size(), input.vertices.size());
  for (std::size_t t = 0; t < surface.mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(surface.welded[surface.input_triangles[t][k]], surface.mesh.triangles[t][k]);
}

std::string error_of(const PolygonMesh& mesh) {
  const auto result = repair(mesh);
  return result ? "" : result.error().text();
}

TEST(Repair, a_clean_surface_stays_as_it_is) {
  const TriMesh box = box_surface();
  const Repaired surface = repaired(box);
  EXPECT_EQ(surface.mesh.vertices, box.vertices);
  EXPECT_EQ(surface.mesh.triangles, box.triangles);
  EXPECT_TRUE(surface.report.closed);
  EXPECT_EQ(surface.report.components, 1);
  EXPECT_EQ(surface.report.border_edges, 0);
  EXPECT_EQ(surface.report.text(), "nothing");
  expect_maps_agree(surface, as_polygons(box));
}

TEST(Repair, welds_vertices_closer_than_a_millionth_of_the_diagonal_and_those_of_cracks) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    TriMesh apart;  // every triangle with its own corners, as an STL file has them
    const TriMesh box = box_surface({0, 0, 0}, {size, size, size});
    for (const Triangle& t : box.triangles) {
      for (const Index v : t) apart.vertices.push_back(box.vertices[v]);
      const Index first = Index(apart.vertices.size()) - 3;
      apart.triangles.push_back({first, first + 1, first + 2});
    }
    apart.vertices[20] += Vec3(0.5e-6, 0.5e-6, 0) * size;
    const Repaired surface = repaired(apart);
    EXPECT_EQ(surface.mesh.vertices.size(), 8u);
    EXPECT_EQ(surface.report.welded_vertices, 28);
    EXPECT_TRUE(surface.report.closed);
    EXPECT_NEAR(volume(surface) / std::pow(size, 3), 1, 1e-5);
    EXPECT_EQ(surface.report.text(), "welded 28");
    expect_maps_agree(surface, as_polygons(apart));

    // A crack of its own, and one that is wider than cracks are.
    apart.vertices[20] += Vec3(3e-6, 0, 0) * size;
    const Repaired crack = repaired(apart);
    EXPECT_EQ(crack.mesh.vertices.size(), 8u);
    EXPECT_GT(crack.report.crack, 3e-6 * size);
    EXPECT_EQ(crack.report.text().rfind("welded 28, closed cracks of up to ", 0), 0u) << crack.report.text();
    apart.vertices[20] += Vec3(3e-3, 0, 0) * size;
    EXPECT_EQ(repaired(apart).mesh.vertices.size(), 9u);
  }
}

TEST(Repair, welding_never_chains) {
  // Eleven vertices, each within the tolerance of the next: they may not all become one.
  TriMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}};
  for (int i = 0; i < 11; ++i) mesh.vertices.emplace_back(0.5, 0.5 + 0.9e-6 * i, 0);
  for (Index i = 0; i < 11; ++i) mesh.triangles.push_back({0, 1, 2 + i});
  const Repaired surface = repaired(mesh);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
    EXPECT_LE((surface.mesh.vertices[surface.welded[v]] - mesh.vertices[v]).norm(), 1.2e-6);
  EXPECT_EQ(surface.mesh.vertices.size(), 2u + 6);
}

TEST(Repair, unused_vertices_are_counted_and_map_to_nothing) {
  TriMesh box = box_surface();
  box.vertices.insert(box.vertices.begin(), {{50, 50, 50}, {0.5, 0.5, 0.5}});
  for (Triangle& t : box.triangles)
    for (Index& v : t) v += 2;
  const Repaired surface = repaired(box);
  EXPECT_EQ(surface.report.unused_vertices, 2);
  EXPECT_EQ(surface.welded[0], -1);
  EXPECT_EQ(surface.welded[1], -1);
  EXPECT_EQ(surface.welded[2], 0);
  EXPECT_EQ(surface.mesh.vertices.size(), 8u);
}

TEST(Repair, faces_that_cannot_be_used_are_dropped_and_counted) {
  PolygonMesh mesh = as_polygons(box_surface());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  mesh.vertices.insert(mesh.vertices.end(), {{nan, 0, 0}, {0, 2e30, 0}});
  add_face(mesh, {0, 1, 8});
  add_face(mesh, {0, 9, 1});
  add_face(mesh, {0, 1, 10});
  add_face(mesh, {-1, 1, 2});
  add_face(mesh, {0, 1});
  add_face(mesh, {3, 3, 5, 5});
  const Repaired surface = repaired(mesh);
  EXPECT_EQ(surface.report.not_finite_vertices, 2);
  EXPECT_EQ(surface.report.faces_dropped_not_finite, 2);
  EXPECT_EQ(surface.report.faces_dropped_bad_index, 2);
  EXPECT_EQ(surface.report.degenerate_faces, 2);
  EXPECT_EQ(surface.mesh.triangles.size(), 12u);
  EXPECT_TRUE(surface.report.closed);
  EXPECT_EQ(surface.report.unused_vertices, 0);
  expect_maps_agree(surface, mesh);
}

TEST(Repair, second_copies_of_a_face_are_dropped_whatever_their_orientation) {
  TriMesh doubled = box_surface();
  const TriMesh back = turned(doubled);
  doubled.triangles.insert(doubled.triangles.end(), back.triangles.begin(), back.triangles.end());
  doubled.triangles.push_back({doubled.triangles[0][1], doubled.triangles[0][2], doubled.triangles[0][0]});
  const Repaired surface = repaired(doubled);
  EXPECT_EQ(surface.report.duplicate_faces, 13);
  EXPECT_EQ(surface.mesh.triangles, box_surface().triangles);
}

TEST(Repair, second_copies_of_polygons_are_dropped_wherever_they_begin_and_however_they_would_be_cut) {
  PolygonMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const std::array<std::array<Index, 4>, 6> sides{
      {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
  for (const auto& s : sides) add_face(mesh, {s[0], s[1], s[2], s[3]});
  const Repaired once = repaired(mesh);
  for (const auto& s : sides) add_face(mesh, {s[3], s[2], s[1], s[0]});
  add_face(mesh, {3, 2, 1, 0});  // the first again, from its second corner on
  const Repaired twice = repaired(mesh);
  EXPECT_EQ(twice.report.duplicate_faces, 7);
  EXPECT_EQ(twice.mesh.triangles, once.mesh.triangles);
  EXPECT_TRUE(twice.report.closed);
}

TEST(Repair, triangles_without_area_stay_so_that_no_crack_opens) {
  TriMesh mesh = box_surface();
  // Edge 1-3 of triangle {1, 2, 3} gets a vertex in its middle; the other side keeps the whole edge.
  mesh.vertices.emplace_back(1, 0.5, 0);
  mesh.triangles[1] = {1, 2, 8};
  mesh.triangles.push_back({8, 2, 3});
  mesh.triangles.push_back({1, 8, 3});
  const Repaired surface = repaired(mesh);
  EXPECT_EQ(surface.report.zero_area_triangles, 1);
  EXPECT_EQ(surface.mesh.triangles.size(), 14u);
  EXPECT_TRUE(surface.report.closed);
}

TEST(Repair, turned_faces_follow_the_majority_and_the_whole_faces_outward) {
  TriMesh box = box_surface();
  std::swap(box.triangles[3][0], box.triangles[3][1]);
  std::swap(box.triangles[8][0], box.triangles[8][1]);
  const Repaired some = repaired(box);
  EXPECT_EQ(some.report.faces_turned, 2);
  EXPECT_EQ(some.report.patches_turned, 0);
  EXPECT_NEAR(volume(some), 1, 1e-12);
  EXPECT_EQ(some.report.text(), "turned 2 faces");
  expect_maps_agree(some, as_polygons(box));

  const Repaired all = repaired(turned(box_surface()));
  EXPECT_EQ(all.report.faces_turned, 0);
  EXPECT_EQ(all.report.patches_turned, 1);
  EXPECT_NEAR(volume(all), 1, 1e-12);
  EXPECT_EQ(all.report.text(), "turned 1 part");
}

TEST(Repair, a_cavity_stays_a_cavity_and_a_filled_part_stays_filled) {
  const TriMesh outer = box_surface({0, 0, 0}, {3, 3, 3}), inner = box_surface({1, 1, 1}, {2, 2, 2});
  TriMesh hollow = outer;
  append(hollow, turned(inner));
  EXPECT_NEAR(volume(repaired(hollow)), 26, 1e-9);
  TriMesh filled = outer;
  append(filled, inner);
  EXPECT_NEAR(volume(repaired(filled)), 28, 1e-9);
  const Repaired inside_out = repaired(turned(hollow));
  EXPECT_NEAR(volume(inside_out), 26, 1e-9);
  EXPECT_EQ(inside_out.report.patches_turned, 2);
  EXPECT_EQ(inside_out.report.components, 2);
}

TEST(Repair, an_open_surface_is_turned_when_its_back_is_what_one_sees) {
  TriMesh lidless = box_surface();
  lidless.triangles.erase(lidless.triangles.begin() + 6, lidless.triangles.begin() + 8);
  EXPECT_EQ(repaired(lidless).report.patches_turned, 0);
  const Repaired surface = repaired(turned(lidless));
  EXPECT_EQ(surface.report.patches_turned, 1);
  EXPECT_EQ(surface.mesh.triangles, lidless.triangles);
  EXPECT_EQ(surface.report.border_edges, 4);
  EXPECT_EQ(surface.report.border_loops, 1);
  EXPECT_FALSE(surface.report.closed);
}

TEST(Repair, a_moebius_strip_is_counted_and_kept) {
  TriMesh strip;
  const int n = 24;
  const double pi = std::acos(-1.0);
  for (int i = 0; i < n; ++i)
    for (const double w : {-0.3, 0.3}) {
      const double a = 2 * pi * i / n;
      const double r = 1 + w * std::cos(a / 2);
      strip.vertices.emplace_back(r * std::cos(a), w * std::sin(a / 2), r * std::sin(a));
    }
  for (Index i = 0; i < n; ++i) {
    Index a = 2 * i, b = 2 * i + 1, c = 2 * i + 2, d = 2 * i + 3;
    if (i == n - 1) {  // the twist
      c = 1;
      d = 0;
    }
    strip.triangles.push_back({a, b, c});
    strip.triangles.push_back({b, d, c});
  }
  const Repaired surface = repaired(strip);
  EXPECT_GE(surface.report.moebius_edges, 1);
  EXPECT_FALSE(surface.report.closed);
  EXPECT_EQ(surface.mesh.triangles.size(), strip.triangles.size());
  EXPECT_EQ(surface.report.border_loops, 1);
}

TEST(Repair, borders_and_non_manifold_edges_are_counted_per_edge_and_left_alone) {
  // Two boxes that share an edge, vertices welded: four faces there.
  TriMesh boxes = box_surface();
  append(boxes, box_surface({1, 1, 0}, {2, 2, 1}));
  const Repaired surface = repaired(boxes);
  EXPECT_EQ(surface.report.welded_vertices, 2);
  EXPECT_EQ(surface.report.non_manifold_edges, 1);
  EXPECT_EQ(surface.report.border_edges, 0);
  EXPECT_EQ(surface.report.components, 1);
  EXPECT_FALSE(surface.report.closed);
  // Two faces missing that touch in a corner only: two loops.
  TriMesh box = box_surface();
  box.triangles.erase(box.triangles.begin() + 5);  // {1, 5, 4}
  box.triangles.erase(box.triangles.begin());      // {0, 2, 1}
  const Repaired open = repaired(box);
  EXPECT_EQ(open.report.border_edges, 6);
  EXPECT_EQ(open.report.border_loops, 2);
}

TEST(Repair, quads_are_cut_along_the_diagonal_that_stays_inside) {
  PolygonMesh dart;  // corner 3 is pushed in: only the longer diagonal 1-3 stays inside
  dart.vertices = {{1, 0, 0}, {0, 10, 0}, {-1, 0, 0}, {0, 2, 0}};
  add_face(dart, {0, 1, 2, 3});
  const Repaired surface = repaired(dart);
  double area = 0;
  for (const Triangle& t : surface.mesh.triangles) {
    const auto& x = surface.mesh.vertices;
    const Vec3 n = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]);
    EXPECT_GT(n.z(), 0);
    area += n.z() / 2;
  }
  EXPECT_NEAR(area, 10 - 2, 1e-12);
  PolygonMesh kite;  // both stay inside: the shorter one, 0-2
  kite.vertices = {{0, 1, 0}, {-3, 0, 0}, {0, -1, 0}, {3, 0, 0}};
  add_face(kite, {0, 1, 2, 3});
  EXPECT_EQ(repaired(kite).mesh.triangles[0], (Triangle{0, 1, 2}));
}

/// One polygon; its triangles all face up and cover `area`.
void expect_cut(const Points& outline, double area) {
  PolygonMesh polygon;
  polygon.vertices = outline;
  for (Index i = 0; i < Index(outline.size()); ++i) polygon.corner.push_back(i);
  polygon.face_begin.push_back(Index(outline.size()));
  const Repaired surface = repaired(polygon);
  ASSERT_EQ(surface.mesh.triangles.size(), outline.size() - 2);
  double sum = 0;
  for (const Triangle& t : surface.mesh.triangles) {
    const auto& x = surface.mesh.vertices;
    const double z = (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).z();
    EXPECT_GE(z, 0);
    sum += z / 2;
  }
  EXPECT_NEAR(sum, area, 1e-9);
  expect_maps_agree(surface, polygon);
}

TEST(Repair, polygons_with_bays_are_cut_without_leaving_them) {
  // A comb with four teeth.
  const int teeth = 4;
  Points comb = {{0, 0, 0}, {2 * teeth - 1, 0, 0}};
  for (int i = teeth - 1; i >= 0; --i) {
    comb.emplace_back(2 * i + 1, 3, 0);
    comb.emplace_back(2 * i, 3, 0);
    if (i == 0) break;
    comb.emplace_back(2 * i, 1, 0);
    comb.emplace_back(2 * i - 1, 1, 0);
  }
  expect_cut(comb, (2 * teeth - 1) * 1 + teeth * 2);
  // The shapeliest corner, at the top, has the end of a bay inside.
  expect_cut({{0, 0, 0}, {4.9, 0, 0}, {5, 5, 0}, {5.1, 0, 0}, {10, 0, 0}, {5, 8, 0}}, 40 - 0.5);
}

TEST(Repair, a_face_with_very_many_corners_ends_in_triangles_soon) {
  PolygonMesh disc;
  const Index n = 60'000;
  for (Index i = 0; i < n; ++i) {
    const double a = 2 * std::acos(-1.0) * i / n;
    disc.vertices.emplace_back(std::cos(a), std::sin(a), 0);
    disc.corner.push_back(i);
  }
  disc.face_begin.push_back(n);
  const Repaired surface = repaired(disc);
  EXPECT_EQ(Index(surface.mesh.triangles.size()), n - 2);
  EXPECT_EQ(surface.report.border_edges, n);
}

TEST(Repair, a_surface_without_faces_or_without_extent_is_refused) {
  PolygonMesh cloud;
  cloud.vertices.assign(22300, Vec3(1, 2, 3));
  EXPECT_EQ(error_of(cloud),
            "no faces (22300 points). A soft body needs a surface: reconstruct one first.\n");
  PolygonMesh oriented = cloud;
  oriented.normals.assign(22300, Vec3(0, 1, 0));
  EXPECT_EQ(error_of(oriented),
            "no faces (22300 points with normals): only a method that fills points takes them. For this one "
            "reconstruct a surface first.\n");
  add_face(cloud, {0, 1, 2});
  add_face(cloud, {3, 4, 5});
  EXPECT_EQ(error_of(cloud), "all 2 faces are degenerate (zero extent in x, y and z).\n");
  PolygonMesh line;
  line.vertices = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}};
  add_face(line, {0, 1, 2});
  EXPECT_EQ(error_of(line), "all 1 faces are degenerate (zero extent in x and y).\n");
  for (Vec3& x : line.vertices) x = x.z() * Vec3(1, 2, 4);
  EXPECT_EQ(error_of(line), "all 1 faces are degenerate (zero area).\n");
  PolygonMesh broken;
  broken.vertices = {{0, 0, 0}, {0, 0, 1}, {0, 1e31, 2}};
  add_face(broken, {0, 1, 2});
  add_face(broken, {0, 1, 7});
  EXPECT_NE(error_of(broken).find("no usable faces: of 2, 1 use coordinates"), std::string::npos);
  EXPECT_FALSE(error_of(PolygonMesh{}).empty());
}

TEST(Repair, gives_the_same_answer_twice) {
  TriMesh mesh = turned(sphere_surface(10));
  mesh.triangles.resize(mesh.triangles.size() * 2 / 3);
  const Repaired first = repaired(mesh), second = repaired(mesh);
  EXPECT_EQ(first.mesh.triangles, second.mesh.triangles);
}

struct Expected {
  const char* name;
  std::size_t vertices, triangles;
  Index welded, faces_turned, patches_turned, border_edges, non_manifold_edges, unused, components;
};

TEST(Repair, finds_in_the_models_what_is_known_of_them) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const Expected all[] = {{"ChineseDragon-10kv.off", 10000, 19994, 0, 0, 0, 6, 0, 0, 1},
                          {"beam.off", 8, 12, 0, 0, 1, 0, 0, 0, 1},
                          {"blobby-shuffled.off", 2027, 4050, 0, 2017, 0, 0, 0, 0, 1},
                          {"boeing.off", 1264, 2564, 1477, 1132, 1, 0, 0, 0, 1},
                          {"bones.off", 2154, 4204, 0, 0, 0, 0, 0, 0, 26},
                          {"cow.off", 2903, 5804, 1, 0, 0, 0, 0, 0, 1},
                          {"cube-ouvert.off", 8, 10, 0, 0, 0, 4, 0, 1, 1},
                          {"cube-shuffled.off", 8, 12, 0, 5, 0, 0, 0, 0, 1},
                          {"diplodocus.off", 23980, 47960, 2, 0, 0, 0, 2, 0, 1},
                          {"elephant-with-holes.off", 2733, 4463, 65, 0, 0, 1353, 0, 0, 1},
                          {"ellipe0.003.off", 1556, 3108, 0, 0, 1, 0, 0, 0, 1},
                          {"head.off", 1487, 2918, 0, 0, 1, 58, 0, 0, 1},
                          {"oblong-shuffled.off", 422, 840, 2, 397, 0, 0, 0, 0, 1},
                          {"open_cube.off", 8, 10, 0, 0, 1, 4, 0, 0, 1},
                          {"pig.stl", 8642, 16848, 41902, 0, 0, 1296, 0, 0, 1},
                          {"prim.off", 8, 12, 0, 0, 0, 0, 0, 3, 1},
                          {"quads_to_stitch.off", 15, 16, 5, 0, 0, 12, 0, 0, 1},
                          {"sphere.stl", 162, 320, 798, 0, 0, 0, 0, 0, 1},
                          {"tetra_intersected_by_triangle.off", 7, 5, 0, 0, 1, 3, 0, 0, 2},
                          {"tetrahedron.off", 4, 4, 0, 0, 1, 0, 0, 0, 1}};
  for (const Expected& e : all) {
    SCOPED_TRACE(e.name);
    const auto mesh = read_polygons(model_folder() / e.name);
    ASSERT_TRUE(mesh) << mesh.error().text();
    const Repaired surface = repaired(*mesh);
    EXPECT_EQ(surface.mesh.vertices.size(), e.vertices);
    EXPECT_EQ(surface.mesh.triangles.size(), e.triangles);
    EXPECT_EQ(surface.report.welded_vertices, e.welded);
    EXPECT_EQ(surface.report.faces_turned, e.faces_turned);
    EXPECT_EQ(surface.report.patches_turned, e.patches_turned);
    EXPECT_EQ(surface.report.border_edges, e.border_edges);
    EXPECT_EQ(surface.report.non_manifold_edges, e.non_manifold_edges);
    EXPECT_EQ(surface.report.unused_vertices, e.unused);
    EXPECT_EQ(surface.report.components, e.components);
    EXPECT_EQ(surface.report.closed, e.border_edges + e.non_manifold_edges == 0);
    EXPECT_GE(volume(surface), 0);
    expect_maps_agree(surface, *mesh);
  }
}

TEST(Repair, gives_the_models_their_known_volumes) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const std::pair<const char*, double> all[] = {
      {"blobby.off", 0.0501},   {"blobby-shuffled.off", 0.0501}, {"boeing.off", 210.6}, {"cube.off", 8},
      {"cube-shuffled.off", 8}, {"cube4-shuffled.off", 8},       {"cube_poly.off", 8},  {"prim.off", 8}};
  for (const auto& [name, expected] : all) {
    const auto mesh = read_polygons(model_folder() / name);
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_NEAR(volume(repaired(*mesh)), expected, 2e-3 * expected) << name;
  }
  const auto dragon = read_polygons(model_folder() / "ChineseDragon-10kv.off");
  ASSERT_TRUE(dragon);
  EXPECT_EQ(repaired(*dragon).report.border_loops, 2);
}

}  // namespace repair_test
}  // namespace pliant
