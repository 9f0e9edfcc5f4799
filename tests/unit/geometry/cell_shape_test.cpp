// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cell_shape.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "pliant/geometry/bumpy_bar.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace cell_shape_test {

Shape in_cells(const TriMesh& mesh, const std::array<int, 3>& cells) {
  Pool pool(2);
  Result<Shape> shape = make_cell_shape(as_polygons(mesh), cells, pool);
  EXPECT_TRUE(shape) << shape.error().text();
  return std::move(*shape);
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(CellShape, nodes_and_eighths_carry_the_volume_of_the_surface) {
  const TriMesh sphere = sphere_surface(16);
  const Shape shape = in_cells(sphere, {3, 3, 3});
  const double volume = enclosed_volume(sphere.vertices, sphere.triangles);
  EXPECT_NEAR(sum(shape.graph.volumes), volume, 1e-12);
  double material = 0;
  for (const auto& cell : shape.graph.cell_material)
    material = std::accumulate(cell.begin(), cell.end(), material);
  EXPECT_NEAR(material, volume, 1e-12);
  EXPECT_EQ(shape.graph.positions.size(), 64 + sphere.vertices.size());
  // The middle cell is full, eighths at the corners of the box are empty.
  for (const double eighth : shape.graph.cell_material[13]) EXPECT_NEAR(eighth, 8.0 / 27 / 8, 1e-3);
  EXPECT_LT(shape.graph.cell_material[0][0], 1e-12);
}

TEST(CellShape, vertices_follow_every_affine_motion_of_the_nodes) {
  const TriMesh sphere = sphere_surface(12);
  const Shape shape = in_cells(sphere, {2, 3, 1});
  Mat3 a;
  a << 1.1, 0.2, 0, -0.3, 0.9, 0.1, 0, 0.4, 1.3;
  Points x;
  for (const Vec3& X : shape.graph.positions) x.push_back(a * X + Vec3(1, 2, 3));
  Points followers(std::size_t(shape.followers.rows()));
  gather(shape.followers, x, followers);
  for (std::size_t v = 0; v < followers.size(); ++v)
    EXPECT_NEAR((followers[v] - (a * sphere.vertices[v] + Vec3(1, 2, 3))).norm(), 0, 1e-12);
}

TEST(CellShape, cells_without_material_are_left_out) {
  TriMesh dumbbell = box_surface({0, 0, 0}, {1, 1, 1});
  append(dumbbell, box_surface({0, 0, 3}, {1, 1, 4}));
  const Shape shape = in_cells(dumbbell, {1, 1, 8});
  EXPECT_EQ(shape.graph.cells.size(), 4u);
  EXPECT_NEAR(sum(shape.graph.volumes), 2, 1e-12);
}

TEST(CellShape, what_encloses_nothing_is_refused) {
  TriMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  Pool pool(1);
  EXPECT_FALSE(make_cell_shape(as_polygons(sheet), {2, 2, 2}, pool));
}

TEST(BumpyBar, is_closed_outward_and_as_fine_as_asked) {
  const PolygonMesh bar = bumpy_bar_surface({});
  TriMesh mesh{bar.vertices, fan_triangles(bar)};
  EXPECT_TRUE(is_closed(mesh.triangles));
  EXPECT_NEAR(enclosed_volume(mesh.vertices, mesh.triangles), M_PI * 0.75 * 0.75 * 6, 0.1);
  EXPECT_NEAR(double(mesh.triangles.size()), 46272, 800);
}

}  // namespace cell_shape_test
}  // namespace pliant
