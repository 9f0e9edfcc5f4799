// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/tetrahedral_shape.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numeric>

#include "pliant/geometry/moments.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace tetrahedral_shape_test {

MeshShape filled(const PolygonMesh& mesh, int nodes) {
  Pool pool(1);
  auto made = make_tetrahedral_shape(mesh, {.nodes = nodes}, pool);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

double volume(const Shape& shape, const NodeGraph::Tetrahedron& t) {
  Mat3 edges;
  for (int a = 0; a < 3; ++a)
    edges.col(a) = shape.graph.positions[t.node[a + 1]] - shape.graph.positions[t.node[0]];
  return edges.determinant() / 6;
}

TEST(TetrahedralShape, has_the_mass_and_the_moments_of_the_solid) {
  const PolygonMesh ball = samples::sphere(0.7, {1, 2, 3});
  const Shape shape = filled(ball, 800).shape;
  const Moments solid = moments_of(shape.surface.vertices, shape.surface.triangles);
  const Moments nodes = moments_of(shape.graph.positions, shape.graph.volumes);
  EXPECT_NEAR(nodes.volume / solid.volume, 1, 1e-9);
  EXPECT_LT((nodes.centre - solid.centre).norm(), 1e-6);
  EXPECT_LT((nodes.second - solid.second).norm() / solid.second.norm(), 1e-3);
  double material = 0;
  for (const auto& t : shape.graph.tetrahedra) material += t.material;
  EXPECT_NEAR(material / solid.volume, 1, 1e-9);
}

TEST(TetrahedralShape, counts_the_material_of_a_ball_before_it_is_scaled_to_within_a_thousandth) {
  // Two closed parts have no moments to be scaled to: what is counted is seen.
  const PolygonMesh two = samples::together(samples::sphere(0.7), samples::sphere(0.7, {3, 0.2, 0.1}));
  const Shape shape = filled(two, 3000).shape;
  const double sum = std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
  EXPECT_NEAR(sum / enclosed_volume(shape.surface.vertices, shape.surface.triangles), 1, 1e-3);
}

TEST(TetrahedralShape, has_no_slivers_and_never_more_material_than_room) {
  const Shape shape = filled(samples::sphere(0.7), 800).shape;
  double least = 1e300, most = 0;
  for (const auto& t : shape.graph.tetrahedra) {
    const double full = volume(shape, t);
    least = std::min(least, full), most = std::max(most, full);
    ASSERT_GT(t.material, 0);
    ASSERT_LT(t.material, 1.02 * full);
  }
  EXPECT_GT(least, 0.99 * most);
}

TEST(TetrahedralShape, a_box_fills_its_cells_and_has_nodes_on_its_faces_only) {
  const Shape shape = filled(samples::box({0, 0, 0}, {1, 0.5, 0.5}), 500).shape;
  for (const Vec3& X : shape.graph.positions) {
    EXPECT_GE(X.minCoeff(), -1e-12);
    EXPECT_LE((X - Vec3(1, 0.5, 0.5)).maxCoeff(), 1e-12);
  }
}

TEST(TetrahedralShape, carries_every_vertex_where_it_rests_and_keeps_count_and_faces) {
  const PolygonMesh ball = samples::sphere(0.7);
  const Shape shape = filled(ball, 800).shape;
  ASSERT_EQ(shape.surface.vertices.size(), ball.vertices.size());
  Points carried(ball.vertices.size());
  gather(shape.embedding, shape.graph.positions, carried);
  for (std::size_t v = 0; v < carried.size(); ++v) EXPECT_LT((carried[v] - ball.vertices[v]).norm(), 1e-12);
  for (const double weight : shape.embedding.weight) EXPECT_GT(weight, -1e-9);
}

TEST(TetrahedralShape, refuses_a_sheet_with_a_way_out) {
  PolygonMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  sheet.face_begin = {0, 4};
  sheet.corner = {0, 1, 2, 3};
  Pool pool(1);
  const auto made = make_tetrahedral_shape(sheet, {}, pool);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("a sheet"), std::string::npos);
}

}  // namespace tetrahedral_shape_test
}  // namespace pliant
