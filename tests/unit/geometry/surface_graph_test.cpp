// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/surface_graph.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>
#include <random>

#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace surface_graph_test {

const double root3 = std::sqrt(3.0);

double share_between(const NodeGraph& graph, Index a, Index b) {
  for (const auto& e : graph.edges)
    if (e.a == std::min(a, b) && e.b == std::max(a, b)) return e.share;
  ADD_FAILURE() << "no edge of " << a << " and " << b;
  return 0;
}

/// Equilateral triangles around the edge of nodes 0 and 1, `sheets` of them.
TriMesh fan(int sheets) {
  TriMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}};
  for (int k = 0; k < sheets; ++k) {
    const double angle = 2 * std::acos(-1.0) * k / sheets;
    mesh.vertices.emplace_back(0.5, root3 / 2 * std::cos(angle), root3 / 2 * std::sin(angle));
    mesh.triangles.push_back({0, 1, Index(2 + k)});
  }
  return mesh;
}

TEST(SurfaceGraph, an_edge_has_half_a_cotangent_from_every_triangle_at_it) {
  for (int sheets : {1, 2, 3, 5}) {
    const TriMesh mesh = fan(sheets);
    const NodeGraph graph = surface_graph(mesh.vertices, mesh.triangles, 0.25);
    EXPECT_NEAR(share_between(graph, 0, 1), 0.25 * sheets * 0.5 / root3, 1e-12) << sheets;
    EXPECT_NEAR(share_between(graph, 0, 2), 0.25 * 0.5 / root3, 1e-12) << sheets;
    double volume = 0;
    for (const double v : graph.volumes) volume += v;
    EXPECT_NEAR(volume, 0.25 * sheets * root3 / 4, 1e-12);
  }
}

TEST(SurfaceGraph, the_cotangents_integrate_a_linear_map_over_any_acute_mesh) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> move(-0.08, 0.08);
  TriMesh mesh;
  const int n = 6;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      mesh.vertices.emplace_back(i + 0.5 * j + move(random), 0, 0.5 * root3 * j + move(random));
  double area = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const Index a = j * (n + 1) + i;
      mesh.triangles.push_back({a, a + 1, a + n + 1});
      mesh.triangles.push_back({a + 1, a + n + 2, a + n + 1});
    }
  for (const Triangle& t : mesh.triangles)
    area +=
        0.5 *
        (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
  Mat3 map;
  map << 0.3, 0, -0.2, 0.5, 0, 0.1, -0.7, 0, 0.4;  // of the plane
  const NodeGraph graph = surface_graph(mesh.vertices, mesh.triangles, 1);
  double sum = 0;
  for (const auto& e : graph.edges)
    sum += e.share * (map * (mesh.vertices[e.b] - mesh.vertices[e.a])).squaredNorm();
  EXPECT_NEAR(sum, area * map.squaredNorm(), 1e-12 * sum);
}

TEST(SurfaceGraph, obtuse_and_flat_triangles_leave_positive_finite_shares) {
  TriMesh mesh;  // two triangles with angles of 170 degrees opposite their common edge, and one without area
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.04, 0}, {0.5, -0.04, 0}, {2, 0, 0}, {0.5, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {2, 1, 5}};
  const NodeGraph graph = surface_graph(mesh.vertices, mesh.triangles, 1);
  double mean = 0;
  for (const auto& e : graph.edges) {
    EXPECT_GT(e.share, 0);
    EXPECT_TRUE(std::isfinite(e.share));
    mean += e.share / double(graph.edges.size());
  }
  EXPECT_LT(share_between(graph, 0, 1), 0.01 * mean);
  for (const double v : graph.volumes) EXPECT_GT(v, 0);
}

TEST(SurfaceGraph, wires_and_lone_vertices_have_weight_and_mass) {
  TriMesh mesh = fan(2);
  mesh.vertices.push_back({0, 3, 0});  // 4: end of a wire
  mesh.vertices.push_back({9, 9, 9});  // 5: alone
  const NodeGraph graph = surface_graph(mesh.vertices, mesh.triangles, 2, {{4, 2}});
  EXPECT_EQ(share_between(graph, 2, 4), 2);
  EXPECT_GT(graph.volumes[4], 0);
  EXPECT_GT(graph.volumes[5], 0);
  const NodeGraph wire = surface_graph({{0, 0, 0}, {1, 0, 0}, {2, 1, 0}}, {}, 1, {{0, 1}, {1, 2}});
  ASSERT_EQ(wire.edges.size(), 2u);
  for (const double v : wire.volumes) EXPECT_GT(v, 0);
}

TEST(SurfaceGraph, the_second_ring_joins_far_corners_and_the_ends_of_strips) {
  // Two triangles 0 1 2 and 1 2 3 with a tail 3-4-5.
  const std::vector<NodeGraph::Edge> edges{{0, 1, 0}, {0, 2, 0}, {1, 2, 0}, {1, 3, 0},
                                           {2, 3, 0}, {3, 4, 0}, {4, 5, 0}};
  EXPECT_EQ(second_ring(6, edges), (std::vector<NodePair>{{0, 3}, {1, 4}, {2, 4}, {3, 5}}));
  // Inside a lattice of triangles, one pair for every edge with two triangles.
  const TriMesh ball = sphere_surface(8);
  const NodeGraph graph = surface_graph(ball.vertices, ball.triangles, 1);
  EXPECT_EQ(second_ring(Index(ball.vertices.size()), graph.edges).size(), graph.edges.size());
}

TEST(SurfaceGraph, a_mesh_with_doubled_and_unused_vertices_rides_on_its_welded_ones) {
  const TriMesh sphere = sphere_surface(8);
  TriMesh soup;  // every triangle has its own three vertices
  for (const Triangle& t : sphere.triangles) {
    const Index first = Index(soup.vertices.size());
    for (const Index v : t) soup.vertices.push_back(sphere.vertices[v]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  soup.vertices.push_back({0, 2, 0});
  soup.vertices.push_back(Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
  Pool pool(1);
  const auto made = make_surface_shape(as_polygons(soup), {.solid = {}, .thickness = 0.05}, pool);
  ASSERT_TRUE(made) << made.error().text();
  const Shape& shape = made->shape;
  EXPECT_EQ(shape.graph.positions.size(), sphere.vertices.size());
  EXPECT_EQ(shape.contact.rows(), Index(sphere.vertices.size()));
  EXPECT_TRUE(shape.closed);
  EXPECT_EQ(shape.graph.thickness, 0.05);
  const Eigen::AngleAxisd turn(1, Vec3(1, 2, 3).normalized());
  Points x = shape.graph.positions, out(soup.vertices.size());
  for (Vec3& p : x) p = turn * p + Vec3(1, 0, 0);
  gather(shape.embedding, x, out);
  for (std::size_t v = 0; v + 1 < soup.vertices.size(); ++v)
    ASSERT_LT((out[v] - (turn * soup.vertices[v] + Vec3(1, 0, 0))).norm(), 1e-9) << v;
}

TEST(SurfaceGraph, separate_parts_are_joined_on_demand) {
  TriMesh two = sphere_surface(5);
  append(two, sphere_surface(5, 1, {4, 0, 0}));
  Pool pool(1);
  EXPECT_EQ(make_surface_shape(as_polygons(two), {}, pool)->report.parts, 2);
  EXPECT_EQ(make_surface_shape(as_polygons(two), {.solid = {}, .join = true}, pool)->report.parts, 1);
}

TEST(SurfaceGraph, the_surface_of_a_solid_becomes_the_body) {
  const Shape solid = make_shape(EllipsoidShape{.nodes = 9});
  const Shape shell = on_surface(solid, 0.01);
  EXPECT_LT(shell.graph.positions.size(), solid.graph.positions.size());
  EXPECT_EQ(shell.graph.positions, solid.surface.vertices);
  EXPECT_TRUE(shell.graph.cells.empty());
  Points out(shell.surface.vertices.size());
  gather(shell.embedding, shell.graph.positions, out);
  EXPECT_EQ(out, solid.surface.vertices);
}

}  // namespace surface_graph_test
}  // namespace pliant
