// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/lattice_shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace pliant {
namespace lattice_shape_test {

PolygonMesh polygons(const TriMesh& mesh) {
  PolygonMesh out;
  out.vertices = mesh.vertices;
  for (const Triangle& t : mesh.triangles) {
    out.corner.insert(out.corner.end(), t.begin(), t.end());
    out.face_begin.push_back(Index(out.corner.size()));
  }
  return out;
}

/// Every vertex of the surface is where its cell's corners put it, between them.
void expect_embedded(const Shape& shape) {
  Points at(shape.surface.vertices.size());
  gather(shape.embedding, shape.graph.positions, at);
  for (std::size_t v = 0; v < at.size(); ++v)
    ASSERT_LT((at[v] - shape.surface.vertices[v]).norm(), 1e-9) << v;
  for (const double w : shape.embedding.weight) ASSERT_TRUE(w >= 0 && w <= 1);
  for (const double w : shape.contact.weight) ASSERT_TRUE(w >= 0 && w <= 1);
}

TEST(LatticeShape, a_ball_keeps_its_volume_and_every_vertex_lies_in_a_cell) {
  Pool pool(1);
  const TriMesh ball =
      make_shape(EllipsoidShape{.radii = {0.5, 0.5, 0.5}, .nodes = 24, .center = {3, -1, 2}}).surface;
  const Shape shape = on_lattice(ball, moments_of(ball.vertices, ball.triangles), 0.125, pool);
  expect_embedded(shape);
  const auto& volumes = shape.graph.volumes;
  EXPECT_NEAR(std::accumulate(volumes.begin(), volumes.end(), 0.0),
              enclosed_volume(ball.vertices, ball.triangles), 1e-9);
  EXPECT_GT(*std::min_element(volumes.begin(), volumes.end()), 0);
  EXPECT_EQ(shape.surface.triangles, ball.triangles);
  for (const auto& cell : shape.graph.cells) {
    const Vec3 diagonal = shape.graph.positions[cell[7]] - shape.graph.positions[cell[0]];
    ASSERT_LT((diagonal - Vec3::Constant(0.125)).norm(), 1e-12);
  }
}

TEST(LatticeShape, a_surface_that_is_a_box_of_cells_is_filled_by_just_those) {
  Pool pool(1);
  const TriMesh box = make_shape(BoxShape{.size = {0.4, 0.2, 0.3}, .nodes = {2, 2, 2}}).surface;
  const Shape shape = on_lattice(box, moments_of(box.vertices, box.triangles), 0.1, pool);
  EXPECT_EQ(shape.graph.cells.size(), 24u);
  EXPECT_EQ(shape.graph.positions.size(), 60u);
  expect_embedded(shape);
  // long faces meet colliders at more than their corners
  EXPECT_GT(shape.contact.rows(), 40);
}

TEST(LatticeShape, a_mesh_gets_at_most_the_nodes_it_was_given) {
  Pool pool(1);
  const PolygonMesh mesh = polygons(make_shape(TorusShape{.nodes = {7, 48}}).surface);
  for (const int nodes : {60, 800, 3000}) {
    const Result<MeshShape> made = make_lattice_shape(mesh, {.nodes = nodes, .solid = {}}, pool);
    ASSERT_TRUE(made);
    EXPECT_LE(made->report.nodes, nodes);
    EXPECT_GT(made->report.nodes, nodes / 2);
    EXPECT_EQ(made->report.parts, 1);
    expect_embedded(made->shape);
  }
}

TEST(LatticeShape, a_sheet_is_refused_with_a_way_out) {
  Pool pool(1);
  const Result<MeshShape> made =
      make_lattice_shape(polygons(make_shape(SheetShape{}).surface),
                         {.nodes = 500, .solid = {}, .for_sheets = "take another lattice"}, pool);
  ASSERT_FALSE(made);
  for (const char* words : {"sheet", "\"solid\": true", "; or take another lattice"})
    EXPECT_NE(made.error().text().find(words), std::string::npos) << made.error().text();
}

TEST(LatticeShape, one_and_two_threads_give_the_same_lattice) {
  Pool one(1), two(2);
  const TriMesh ball = make_shape(EllipsoidShape{.nodes = 20}).surface;
  const Moments solid = moments_of(ball.vertices, ball.triangles);
  const Shape a = on_lattice(ball, solid, 0.11, one), b = on_lattice(ball, solid, 0.11, two);
  EXPECT_EQ(a.graph.positions, b.graph.positions);
  EXPECT_EQ(a.graph.volumes, b.graph.volumes);
  EXPECT_EQ(a.embedding.weight, b.embedding.weight);
}

}  // namespace lattice_shape_test
}  // namespace pliant
