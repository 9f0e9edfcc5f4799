// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/mesh_shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numeric>
#include <random>

#include "pliant/base/hash.hpp"
#include "pliant/geometry/blobs.hpp"
#include "pliant/geometry/body_graph.hpp"
#include "pliant/geometry/repair.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace mesh_shape_test {

using namespace samples;

MeshShape make(const PolygonMesh& mesh, int nodes = 2000, MeshShapeOptions options = {}, int threads = 1) {
  Pool pool(threads);
  options.nodes = nodes;
  Result<MeshShape> made = make_mesh_shape(mesh, options, pool);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// The largest distance of the embedded surface from where the motion puts the vertices, over the size.
template <class Motion>
double embedding_error(const Shape& shape, Motion&& motion) {
  Points nodes, out(shape.surface.vertices.size());
  for (const Vec3& X : shape.graph.positions) nodes.push_back(motion(X));
  gather(shape.embedding, nodes, out);
  double worst = 0;
  for (std::size_t v = 0; v < out.size(); ++v)
    worst = std::max(worst, (out[v] - motion(shape.surface.vertices[v])).norm());
  return worst / diagonal(shape.surface.vertices);
}

std::uint64_t fingerprint(const Shape& s) {
  std::uint64_t hash = hash_bytes(s.graph.positions.data(), s.graph.positions.size() * sizeof(Vec3));
  hash = hash_bytes(s.graph.volumes.data(), s.graph.volumes.size() * sizeof(double), hash);
  for (const auto& e : s.graph.edges) {
    hash = hash_bytes(&e.a, sizeof(e.a), hash);
    hash = hash_bytes(&e.b, sizeof(e.b), hash);
    hash = hash_bytes(&e.share, sizeof(e.share), hash);
  }
  hash = hash_bytes(s.embedding.column.data(), s.embedding.column.size() * sizeof(Index), hash);
  return hash_bytes(s.embedding.weight.data(), s.embedding.weight.size() * sizeof(double), hash);
}

TEST(MeshShape, a_ball_fills_the_budget_with_one_part_of_its_mass_and_even_stiffness) {
  const MeshShape ball = make(sphere());
  EXPECT_TRUE(ball.report.solid);
  EXPECT_TRUE(ball.shape.closed);
  EXPECT_NEAR(ball.report.nodes, 2000, 60);
  EXPECT_EQ(ball.report.parts, 1);
  EXPECT_GE(ball.report.least_degree, 6);
  EXPECT_LE(ball.report.most_degree, 28);
  EXPECT_LT(ball.report.anisotropy, 1.02);
  const double volume = enclosed_volume(ball.shape.surface.vertices, ball.shape.surface.triangles);
  EXPECT_NEAR(total(ball.shape.graph.volumes) / volume, 1, 1e-12);
  EXPECT_TRUE(ball.report.warnings.empty());
}

TEST(MeshShape, edge_shares_stretch_with_young_s_modulus_in_every_direction) {
  const MeshShape bar = make(box({0, 0, 0}, {0.4, 0.4, 2}), 1000);
  Mat3 tensor = Mat3::Zero();
  for (const auto& e : bar.shape.graph.edges) {
    const Vec3 r = bar.shape.graph.positions[e.b] - bar.shape.graph.positions[e.a];
    tensor += e.share * r * r.transpose() / 0.32;
  }
  EXPECT_NEAR((tensor - Mat3::Identity()).norm(), 0, 0.01);
}

TEST(MeshShape, node_volumes_have_the_solid_s_centre_and_second_moments) {
  const Vec3 size(0.4, 0.5, 2);
  const MeshShape bar = make(box({0, 0, 0}, size), 2000);
  Vec3 first = Vec3::Zero(), second = Vec3::Zero();
  for (std::size_t i = 0; i < bar.shape.graph.positions.size(); ++i) {
    const Vec3 d = bar.shape.graph.positions[i] - size / 2;
    first += bar.shape.graph.volumes[i] * d;
    second += bar.shape.graph.volumes[i] * d.cwiseProduct(d);
  }
  const double volume = size.prod();
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(first[k] / volume / size[k], 0, 0.005);
    EXPECT_NEAR(second[k] / volume / (size[k] * size[k] / 12), 1, 0.03);
  }
}

TEST(MeshShape, nodes_that_lie_on_a_face_by_chance_get_no_volume_from_outside) {
  PolygonMesh wedge;  // its slanted faces run through nodes of the lattice
  wedge.vertices = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
  for (const Triangle& t : {Triangle{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}})
    add_face(wedge, {t[0], t[1], t[2]});
  const MeshShape made = make(wedge, 2000);
  const auto& volumes = made.shape.graph.volumes;
  const double cell = std::pow(made.report.spacing, 3) / 2;
  EXPECT_LT(*std::max_element(volumes.begin(), volumes.end()), 2 * cell);
}

TEST(MeshShape, a_clean_mesh_meets_colliders_with_its_own_rows_and_others_with_the_welded_ones) {
  const MeshShape clean = make(sphere(), 500);
  EXPECT_EQ(clean.shape.contact.rows(), 0);
  PolygonMesh loose;
  const PolygonMesh whole = sphere();
  for (Index f = 0; f < whole.faces(); ++f) {
    for (int c = 0; c < 3; ++c) loose.vertices.push_back(whole.vertices[whole.corner[3 * f + c]]);
    add_face(loose, {3 * f, 3 * f + 1, 3 * f + 2});
  }
  const MeshShape made = make(loose, 500);
  EXPECT_EQ(made.shape.contact.rows(), Index(whole.vertices.size()));
  EXPECT_EQ(made.shape.embedding.rows(), Index(loose.vertices.size()));
  // Coarse faces are split, and the new corners meet colliders, too.
  EXPECT_GT(make(box({0, 0, 0}, {1, 1, 1}), 500).shape.contact.rows(), 8);
}

TEST(MeshShape, the_stages_of_the_set_up_are_told) {
  const MeshShape made = make(sphere(), 500);
  double sum = 0;
  for (const Laps::Lap& stage : made.report.stages) sum += stage.ms;
  EXPECT_GT(made.report.stages.size(), 8u);
  EXPECT_LE(sum, made.report.setup_ms);
  EXPECT_GT(sum, 0.5 * made.report.setup_ms);
}

TEST(BodyGraph, edges_are_sorted_single_and_no_loops) {
  const auto edges = edges_of({{4, 1}, {0, 3}, {1, 4}, {2, 2}, {0, 1}, {3, 0}, {1, 2}});
  const std::vector<std::array<Index, 2>> expected = {{0, 1}, {0, 3}, {1, 2}, {1, 4}};
  ASSERT_EQ(edges.size(), expected.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    EXPECT_EQ(edges[k].a, expected[k][0]);
    EXPECT_EQ(edges[k].b, expected[k][1]);
  }
  EXPECT_TRUE(edges_of({}).empty());
}

TEST(MeshShape, the_same_nodes_and_rows_whatever_the_threads) {
  for (const PolygonMesh& mesh : {sphere(1, {0, 0, 0}, 16), letter_u(0.1)})
    EXPECT_EQ(fingerprint(make(mesh, 800).shape), fingerprint(make(mesh, 800, {}, 2).shape));
}

/// The same faces, vertices listed in another order.
PolygonMesh shuffled(const PolygonMesh& mesh) {
  std::vector<Index> to(mesh.vertices.size());
  std::iota(to.begin(), to.end(), 0);
  std::shuffle(to.begin(), to.end(), std::mt19937(7));
  PolygonMesh out = mesh;
  for (std::size_t v = 0; v < to.size(); ++v) out.vertices[std::size_t(to[v])] = mesh.vertices[v];
  for (Index& v : out.corner) v = to[std::size_t(v)];
  return out;
}

void expect_same_nodes(const NodeGraph& a, const NodeGraph& b) {
  ASSERT_EQ(a.positions.size(), b.positions.size());
  double apart = 0;
  for (std::size_t i = 0; i < a.positions.size(); ++i)
    apart = std::max(apart, (a.positions[i] - b.positions[i]).norm());
  EXPECT_LT(apart, 1e-10);
  ASSERT_EQ(a.edges.size(), b.edges.size());
  for (std::size_t k = 0; k < a.edges.size(); ++k)
    ASSERT_TRUE(a.edges[k].a == b.edges[k].a && a.edges[k].b == b.edges[k].b) << k;
}

TEST(MeshShape, the_order_of_the_vertices_does_not_decide_where_nodes_and_edges_are) {
  PolygonMesh leaf = sphere();  // thinner than the nodes are apart
  for (Vec3& p : leaf.vertices) p = Vec3(p.x() + 2 * std::pow(p.x(), 3), 0.08 * p.y(), 0.4 * p.z());
  Blobs blobs;  // a body with ears
  for (const Vec3& end : {Vec3(0.05, 0.02, 0), Vec3(0.1, 0.25, 0.05), Vec3(0.1, 0.25, -0.06)}) {
    BlobPart part;
    part.to = end, part.radius = blobs.parts.empty() ? 0.09 : 0.015;
    blobs.parts.push_back(part);
  }
  blobs.resolution = 32;
  const auto eared = blob_surface(blobs);
  ASSERT_TRUE(eared);
  Index cover = 0, frames = 0;
  for (const PolygonMesh& mesh : {leaf, *eared}) {
    const MeshShape made = make(mesh, 200), other = make(shuffled(mesh), 200);
    cover += made.report.cover_nodes, frames += made.report.frame_nodes;
    expect_same_nodes(made.shape.graph, other.shape.graph);
  }
  EXPECT_GT(cover, 0);
  EXPECT_GT(frames, 0);
}

TEST(MeshShape, size_and_place_do_not_matter) {
  const Index nodes = make(sphere()).report.nodes;
  EXPECT_EQ(make(sphere(1e-6)).report.nodes, nodes);
  EXPECT_EQ(make(sphere(1e6)).report.nodes, nodes);
  EXPECT_NEAR(make(sphere(1, {1e4, 0, 0})).report.nodes, nodes, 4);
  EXPECT_NEAR(make(sphere(1, {0, 1e6, 0})).report.nodes, nodes, 4);
}

TEST(MeshShape, boxes_side_by_side_stay_two_bodies_however_thin_the_gap) {
  const double a = std::cbrt(2 * 2.0 / 2000);
  const MeshShape two =
      make(together(box({0, 0, 0}, {1, 1, 1}), box({1 + 0.04 * a, 0, 0}, {2 + 0.04 * a, 1, 1})));
  EXPECT_EQ(two.report.parts, 2);
  ASSERT_EQ(two.report.warnings.size(), 1u);
  EXPECT_NE(two.report.warnings[0].find("2 separate parts"), std::string::npos);
}

/// The spacing of nodes is that of the box: what tells a wire how it turns stands farther from it than the next wire.
TEST(MeshShape, thin_wires_side_by_side_share_no_node) {
  const double gap = 1e-3;  // 0.02 of the spacing
  for (const double width : {0.002, 0.004})
    for (const double depth : {0.004, 0.02}) {
      const double from = width + gap;
      const PolygonMesh wires =
          together(box({0, 0, 0}, {0.5, width, depth}), box({0, from, 0}, {0.5, from + width, depth}));
      const MeshShape made = make(together(box({0, 0.1, 0}, {0.3, 0.4, 0.3}), wires), 300);
      EXPECT_GT(made.report.frame_nodes, 0);
      EXPECT_EQ(made.report.parts, 3) << width << " x " << depth << " m";
    }
}

TEST(MeshShape, join_holds_parts_together) {
  MeshShapeOptions options;
  options.join = true;
  const MeshShape two =
      make(together(box({0, 0, 0}, {1, 1, 1}), box({1.2, 0, 0}, {2.2, 1, 1})), 500, options);
  EXPECT_EQ(two.report.parts, 1);
  for (const auto& e : two.shape.graph.edges) EXPECT_GT(e.share, 0);
}

TEST(MeshShape, no_edge_crosses_the_slot_of_a_u) {
  const double a = std::cbrt(2 * 0.5 / 2000), slot = 0.03 * a;
  const MeshShape u = make(letter_u(slot));
  EXPECT_EQ(u.report.parts, 1);
  int across = 0;
  for (const auto& e : u.shape.graph.edges) {
    const Vec3 &p = u.shape.graph.positions[e.a], &q = u.shape.graph.positions[e.b];
    if ((p.x() < 0.5) == (q.x() < 0.5)) continue;
    const double height = p.y() + (0.5 - p.x()) / (q.x() - p.x()) * (q.y() - p.y());
    across += height > 0.2;
  }
  EXPECT_EQ(across, 0);
}

TEST(MeshShape, a_cavity_stays_empty_and_a_box_in_a_box_is_filled) {
  const PolygonMesh outer = box({0, 0, 0}, {1, 1, 1}), inner = box({0.3, 0.3, 0.3}, {0.7, 0.7, 0.7});
  EXPECT_NEAR(make(together(outer, turned_inside_out(inner))).report.volume, 1 - 0.064, 0.01);
  EXPECT_NEAR(make(together(outer, inner)).report.volume, 1, 0.01);
}

TEST(MeshShape, overlapping_balls_are_one_body) {
  EXPECT_EQ(make(together(sphere(), sphere(1, {1, 0, 0})), 1000).report.parts, 1);
}

TEST(MeshShape, every_face_twice_is_the_same_as_once) {
  const PolygonMesh once = sphere(1, {0, 0, 0}, 12);
  PolygonMesh twice = together(once, turned_inside_out(once));
  EXPECT_EQ(make(twice).report.nodes, make(once).report.nodes);
}

TEST(MeshShape, missing_and_turned_faces_leave_a_solid_of_as_many_nodes) {
  const Index nodes = make(sphere()).report.nodes;
  for (const double share : {0.1, 0.3}) {
    std::mt19937 random(1);
    const MeshShape holed =
        make(without_faces(sphere(), [&](Index) { return random() < share * 4294967296.0; }));
    EXPECT_TRUE(holed.report.solid) << share;
    // With a third of the view open, w > 0.5 reaches a little out of the holes: 2.2 % more nodes.
    EXPECT_NEAR(holed.report.nodes, nodes, (share < 0.2 ? 0.01 : 0.025) * nodes) << share;
    EXPECT_FALSE(holed.shape.closed);
  }
  std::mt19937 random(1);
  PolygonMesh turned = sphere();
  for (Index f = 0; f < turned.faces(); ++f)
    if (random() < 0.3 * 4294967296.0)
      std::swap(turned.corner[turned.face_begin[f]], turned.corner[turned.face_begin[f] + 1]);
  EXPECT_NEAR(make(turned).report.nodes, nodes, 0.01 * nodes);
}

TEST(MeshShape, a_box_with_a_face_missing_is_a_solid) {
  EXPECT_TRUE(make(without_faces(box({0, 0, 0}, {1, 1, 1}), [](Index f) { return f == 3; })).report.solid);
}

TEST(MeshShape, a_plate_of_a_few_triangles_thinner_than_a_cell_is_covered_all_over) {
  const MeshShape plate = make(box({0, 0, 0}, {1, 1, 0.004}), 500);
  EXPECT_EQ(plate.report.parts, 1);
  for (double x = 0.1; x < 1; x += 0.2)
    for (double y = 0.1; y < 1; y += 0.2) {
      double nearest = 1;
      for (const Vec3& p : plate.shape.graph.positions)
        nearest = std::min(nearest, (p - Vec3(x, y, 0.002)).norm());
      EXPECT_LT(nearest, 1.2 * plate.report.spacing);
    }
  EXPECT_NEAR(plate.report.volume, 0.004, 1e-12);
}

TEST(MeshShape, sheet_metal_weighs_what_it_encloses) {
  const MeshShape plate = make(box({0, 0, 0}, {1, 1, 0.0005}), 500);
  EXPECT_TRUE(plate.report.solid);
  EXPECT_NEAR(plate.report.volume, 0.0005, 1e-12);
}

TEST(MeshShape, a_sheet_becomes_a_shell_of_its_area_times_thickness) {
  MeshShapeOptions options;
  options.thickness = 0.02;
  const PolygonMesh sheet = as_polygons(make_shape(SheetShape{}).surface);
  const MeshShape shell = make(sheet, 2000, options);
  EXPECT_FALSE(shell.report.solid);
  EXPECT_FALSE(shell.shape.closed);
  EXPECT_EQ(shell.report.nodes, 41 * 41);  // 21 x 21 are few: refined once
  EXPECT_NEAR(total(shell.shape.graph.volumes), 0.02, 1e-14);
  const MeshShape few = make(sheet, 100, options);
  EXPECT_NEAR(few.report.nodes, 100, 40);
  EXPECT_EQ(few.report.parts, 1);
}

TEST(MeshShape, solid_can_be_asked_for_and_denied) {
  MeshShapeOptions options;
  options.solid = false;
  EXPECT_FALSE(make(sphere(), 500, options).report.solid);
  options.solid = true;
  EXPECT_TRUE(make(sphere(), 500, options).report.solid);
}

TEST(MeshShape, rigid_and_affine_motion_of_the_nodes_moves_the_surface_exactly) {
  const Mat3 turn = Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  Mat3 stretch = turn;
  stretch.col(0) *= 1.5;
  MeshShapeOptions shell;
  shell.solid = false;
  const std::vector<Shape> shapes = {make(sphere()).shape, make(letter_u(0.05), 500).shape,
                                     make(box({0, 0, 0}, {1, 1, 0.004}), 500).shape,
                                     make(sphere(), 300, shell).shape};
  for (const Shape& shape : shapes) {
    EXPECT_LT(embedding_error(shape, [](const Vec3& X) { return X; }), 1e-12);
    EXPECT_LT(embedding_error(shape, [&](const Vec3& X) { return Vec3(turn * X + Vec3(1, 2, 3)); }), 1e-12);
    EXPECT_LT(embedding_error(shape, [&](const Vec3& X) { return Vec3(stretch * X); }), 1e-12);
    for (Index r = 0; r < shape.embedding.rows(); ++r) {
      double sum = 0;
      for (Index k = shape.embedding.begin[r]; k < shape.embedding.begin[r + 1]; ++k)
        sum += shape.embedding.weight[k];
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(MeshShape, keeps_the_user_s_vertices_and_touches_each_place_once) {
  // A box of loose quads: every corner three times, and a vertex that no face uses.
  PolygonMesh mesh;
  const PolygonMesh tight = box({0, 0, 0}, {1, 1, 1});
  for (Index f = 0; f < tight.faces(); ++f) {
    for (int c = 0; c < 3; ++c) mesh.vertices.push_back(tight.vertices[tight.corner[3 * f + c]]);
    add_face(mesh, {3 * f, 3 * f + 1, 3 * f + 2});
  }
  mesh.vertices.push_back({0.5, 0.5, 1.2});
  const MeshShape made = make(mesh, 300);
  EXPECT_EQ(made.shape.surface.vertices, mesh.vertices);
  EXPECT_EQ(made.shape.embedding.rows(), Index(mesh.vertices.size()));
  EXPECT_EQ(made.shape.touching.size(), 8u);
  EXPECT_TRUE(made.shape.closed);
  EXPECT_EQ(made.shape.faces.faces(), 12);
  EXPECT_EQ(made.report.parts, 1);
  EXPECT_LT(embedding_error(made.shape, [](const Vec3& X) { return Vec3(2 * X); }), 1e-12);
}

TEST(MeshShape, too_few_nodes_for_the_parts_is_an_error_that_tells_how_many) {
  Pool pool(1);
  MeshShapeOptions options;
  options.nodes = 7;
  const auto made = make_mesh_shape(together(sphere(), sphere(1, {5, 0, 0})), options, pool);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("at least 8"), std::string::npos) << made.error().text();
}

/// Triangles of random corners in the unit cube: no two have a vertex in common.
PolygonMesh heap_of_triangles(int count) {
  std::mt19937 random(3);
  PolygonMesh mesh;
  for (int k = 0; k < 3 * count; ++k) {
    const auto unit = [&] { return double(random()) / 4294967296.0; };
    const double x = unit(), y = unit(), z = unit();
    mesh.corner.push_back(Index(mesh.vertices.size()));
    mesh.vertices.push_back({x, y, z});
    if (k % 3 == 2) mesh.face_begin.push_back(Index(mesh.corner.size()));
  }
  return mesh;
}

// They were a solid by chance, whose cover asked for tens of thousands of nodes.
TEST(MeshShape, a_heap_of_triangles_is_a_sheet_and_as_a_solid_gets_about_the_nodes_it_asks_for) {
  Pool pool(1);
  const Result<MeshShape> sheet = make_mesh_shape(heap_of_triangles(300), {}, pool);
  ASSERT_TRUE(sheet);
  EXPECT_FALSE(sheet->report.solid);
  EXPECT_EQ(sheet->report.nodes, 900);
  const Result<MeshShape> solid = make_mesh_shape(heap_of_triangles(40), {.nodes = 500, .solid = true}, pool);
  ASSERT_TRUE(solid);
  EXPECT_LE(solid->report.lattice_nodes + solid->report.cover_nodes, 3100);
}

}  // namespace mesh_shape_test
}  // namespace pliant
