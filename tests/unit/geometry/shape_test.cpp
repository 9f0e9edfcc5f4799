// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/geometry/moments.hpp"

namespace pliant {
namespace shape_test {

using std::numbers::pi;

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// sum over edges of share (r . u)^2: the axial energy of a unit strain along u, over E / 2.
double axial(const NodeGraph& graph, const Vec3& u) {
  double sum = 0;
  for (const auto& e : graph.edges)
    sum += e.share * std::pow((graph.positions[e.b] - graph.positions[e.a]).dot(u), 2);
  return sum;
}

std::vector<std::pair<const char*, Shape>> solids() {
  return {{"box", make_shape(BoxShape{.size = {4, 1, 2}, .nodes = {9, 4, 5}})},
          {"ball", make_shape(EllipsoidShape{.radii = {1, 1, 1}, .nodes = 16})},
          {"small ball", make_shape(EllipsoidShape{.nodes = 4})},
          {"ellipsoid", make_shape(EllipsoidShape{.radii = {2, 1, 0.5}, .nodes = 13})},
          {"cylinder", make_shape(CylinderShape{})},
          {"small cylinder", make_shape(CylinderShape{.nodes = {4, 2}})},
          {"torus", make_shape(TorusShape{})}};
}

TEST(Shape, solids_have_a_closed_outward_surface_that_encloses_the_node_volumes) {
  for (const auto& [name, shape] : solids()) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(is_closed(shape.surface.triangles));
    const double volume = enclosed_volume(shape.surface.vertices, shape.surface.triangles);
    EXPECT_GT(volume, 0);
    EXPECT_LT(volume, total(shape.graph.volumes) * (1 + 1e-9));  // vertices lie on the surface
  }
}

/// Node volumes against the solid's volume and second moments about its centre, per unit volume.
void expect_solid(const Shape& shape, double volume, const Vec3& squares) {
  const Moments got = moments_of(shape.graph.positions, shape.graph.volumes);
  EXPECT_NEAR(got.volume / volume, 1, 1e-9);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(got.second(i, j) / volume, i == j ? squares[i] : 0, 1e-6 * squares.sum()) << i << j;
  for (const double v : shape.graph.volumes) EXPECT_GT(v, 0);
}

TEST(Shape, nodes_have_the_analytic_volume_and_second_moments_of_the_solid) {
  const double third = 1.0 / 12;
  expect_solid(make_shape(BoxShape{.size = {4, 1, 2}, .nodes = {9, 3, 5}, .corner = {1, 2, 3}}), 8,
               third * Vec3(16, 1, 4));
  expect_solid(make_shape(EllipsoidShape{.radii = {2, 1, 0.5}, .nodes = 13, .center = {3, 0, 1}}), 4 * pi / 3,
               Vec3(4, 1, 0.25) / 5);
  expect_solid(make_shape(EllipsoidShape{.nodes = 5}), pi / 6, Vec3::Constant(0.05));
  expect_solid(make_shape(CylinderShape{.radius = 0.5, .height = 2, .nodes = {9, 5}}), pi / 2,
               {0.0625, 4 * third, 0.0625});
  expect_solid(make_shape(TorusShape{.ring_radius = 1, .tube_radius = 0.3, .nodes = {7, 24}}),
               2 * pi * pi * 0.09, {0.5 + 0.27 / 8, 0.0225, 0.5 + 0.27 / 8});
}

TEST(Shape, edge_shares_of_round_solids_carry_youngs_modulus_along_their_axis) {
  const Shape cylinder = make_shape(CylinderShape{.radius = 0.5, .height = 2, .nodes = {9, 5}});
  EXPECT_NEAR(axial(cylinder.graph, Vec3::UnitY()) / (pi / 2), 1, 1e-9);
}

TEST(Shape, no_cell_corner_is_flat_or_inside_out) {
  for (const auto& [name, shape] : solids()) {
    SCOPED_TRACE(name);
    const Points& x = shape.graph.positions;
    for (const auto& cell : shape.graph.cells)
      for (int c = 0; c < 8; ++c) {
        Mat3 edges;
        for (int axis = 0; axis < 3; ++axis)
          edges.col(axis) = (x[cell[c ^ (1 << axis)]] - x[cell[c]]).normalized() * (c >> axis & 1 ? -1 : 1);
        ASSERT_GT(edges.determinant(), 0.15);
      }
  }
}

TEST(Shape, edge_shares_of_a_box_carry_youngs_modulus_along_every_axis_for_6_and_26_neighbours) {
  for (auto neighbourhood : {Neighbourhood::edges, Neighbourhood::all_pairs}) {
    const Shape box =
        make_shape(BoxShape{.size = {2, 1, 3}, .nodes = {5, 3, 7}, .neighbourhood = neighbourhood});
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(axial(box.graph, Vec3::Unit(axis)), 6.0, 1e-12);
  }
}

TEST(Shape, edges_of_the_unit_lattice_of_two_cells_share_sections_by_simpsons_rule) {
  const Shape box = make_shape(BoxShape{.size = {2, 2, 2}, .nodes = {3, 3, 3}});
  EXPECT_EQ(box.graph.edges.size(), 54u);
  for (const auto& e : box.graph.edges) {
    const Vec3 middle = (box.graph.positions[e.a] + box.graph.positions[e.b]) / 2 - Vec3(1, 1, 1);
    const int at_rim = int((middle.cwiseAbs().array() > 0.9).count());
    EXPECT_DOUBLE_EQ(e.share, 16.0 / 9 / std::pow(4, at_rim));
  }
}

TEST(Shape, edges_of_a_box_have_the_second_moments_of_its_sections) {
  const Vec3 size(2, 0.3, 0.7);
  for (const std::array<int, 3>& nodes : {std::array{9, 3, 4}, std::array{5, 6, 11}}) {
    const Shape box = make_shape(BoxShape{.size = size, .nodes = nodes, .corner = -size / 2});
    for (int along = 0; along < 3; ++along)
      for (int axis = 0; axis < 3; ++axis) {
        if (axis == along) continue;
        double sum = 0;
        for (const auto& e : box.graph.edges) {
          const Vec3 r = box.graph.positions[e.b] - box.graph.positions[e.a];
          sum += e.share * r[along] * r[along] * std::pow(box.graph.positions[e.a][axis], 2);
        }
        EXPECT_NEAR(sum, size.prod() * size[axis] * size[axis] / 12, 1e-12);
      }
  }
}

TEST(Shape, round_shapes_put_their_surface_vertices_on_the_surface) {
  const Shape ball = make_shape(EllipsoidShape{.radii = {3, 2, 1}, .center = {1, 2, 3}});
  for (const Vec3& p : ball.surface.vertices)
    EXPECT_NEAR((p - Vec3(1, 2, 3)).cwiseQuotient(Vec3(3, 2, 1)).norm(), 1, 1e-12);
}

TEST(Shape, the_embedding_reproduces_the_surface_from_the_nodes) {
  for (const auto& [name, shape] : solids()) {
    Points surface(shape.surface.vertices.size());
    gather(shape.embedding, shape.graph.positions, surface);
    for (std::size_t i = 0; i < surface.size(); ++i) EXPECT_EQ(surface[i], shape.surface.vertices[i]);
  }
}

TEST(Shape, every_shape_is_connected) {
  for (const auto& [name, shape] : solids())
    for (Index label : components(Index(shape.graph.positions.size()), shape.graph.edges))
      ASSERT_EQ(label, 0) << name;
}

TEST(Shape, a_sheet_faces_up_and_weighs_area_times_thickness) {
  const Shape sheet = make_shape(SheetShape{.size = {2, 3}, .nodes = {5, 4}, .thickness = 0.02});
  EXPECT_FALSE(sheet.closed);
  EXPECT_NEAR(total(sheet.graph.volumes), 0.12, 1e-12);
  EXPECT_NEAR(axial(sheet.graph, Vec3::UnitX()), 0.12, 1e-12);
  EXPECT_NEAR(axial(sheet.graph, Vec3::UnitZ()), 0.12, 1e-12);
  for (const Vec3& n : vertex_normals(sheet.surface.vertices, sheet.surface.triangles))
    EXPECT_NEAR(n.y(), 1, 1e-12);
}

}  // namespace shape_test
}  // namespace pliant
