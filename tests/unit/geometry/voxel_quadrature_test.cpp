// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/voxel_quadrature.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace voxel_quadrature_test {

using samples::box;
using samples::together;

/// The points with volume.
Points points_of(const Shape& shape) {
  Points out;
  for (std::size_t i = 0; i < shape.graph.positions.size(); ++i)
    if (shape.graph.volumes[i] > 0) out.push_back(shape.graph.positions[i]);
  return out;
}

double volume_of(const Shape& shape) {
  double sum = 0;
  for (const double v : shape.graph.volumes) sum += v;
  return sum;
}

/// Root mean square extent in the direction in which the points have least.
double least_extent(const Points& points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / double(points.size());
  Mat3 second = Mat3::Zero();
  for (const Vec3& p : points) second += (p - mean) * (p - mean).transpose() / double(points.size());
  return std::sqrt(std::max(eigenvalues(second)[0], 0.0));
}

Shape solid(const PolygonMesh& mesh) {
  Pool pool{1};
  Result<MeshShape> made = make_mesh_shape(mesh, {.nodes = 2000, .solid = true}, pool);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made->shape;
}

TEST(VoxelQuadrature, weights_sum_to_the_volume_and_points_are_inside) {
  const Shape shape = solid(together(box({0, 0, 0}, {1, 1, 1}), box({2, 0, 0}, {3, 2, 1})));
  for (const int asked : {20, 200, 2000}) {
    const Shape filled = with_quadrature(shape, asked);
    const Points points = points_of(filled);
    EXPECT_NEAR(volume_of(filled), volume_of(shape), 1e-12);
    EXPECT_GE(int(points.size()), asked);
    EXPECT_LE(int(points.size()), 2 * asked);
    const TriangleTree tree(shape.surface.vertices, shape.surface.triangles);
    for (const Vec3& p : points) EXPECT_GT(tree.winding(p), 0.5);
    EXPECT_EQ(filled.graph.positions.size(), points.size() + shape.surface.vertices.size());
  }
}

TEST(VoxelQuadrature, a_part_that_no_voxel_is_in_gets_one_point) {
  // A needle beside a cube, thinner than a voxel and off their centres.
  const Vec3 low(1.3, 0.13, 0.13), high(1.5, 0.15, 0.15);
  const Shape filled = with_quadrature(solid(together(box({0, 0, 0}, {1, 1, 1}), box(low, high))), 60);
  int inside = 0;
  for (const Vec3& p : points_of(filled))
    inside += (p.array() > low.array()).all() && (p.array() < high.array()).all();
  EXPECT_EQ(inside, 1);
}

TEST(VoxelQuadrature, a_flat_solid_has_two_layers_and_not_many_more_points_than_asked_for) {
  for (const double thickness : {0.1, 0.03, 0.003}) {
    const Points points =
        points_of(with_quadrature(make_shape(BoxShape{.size = {1, thickness, 1}, .nodes = {9, 2, 9}}), 200));
    EXPECT_GE(least_extent(points), 0.2 * thickness) << thickness;
    EXPECT_GE(points.size(), 200U);
    EXPECT_LE(points.size(), 400U) << thickness;
  }
}

TEST(VoxelQuadrature, a_plate_that_voxels_see_once_has_two_layers_all_the_same) {
  // With a mast, voxels are as high as the plate and the mast together allow; standing slanting, the centres
  // of voxels that are inside lie on a diagonal.
  const PolygonMesh plate = box({0, 0, 0}, {1, 0.02, 1});
  PolygonMesh slanting = plate;
  for (Vec3& p : slanting.vertices) p = Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()) * p;
  for (const PolygonMesh& mesh :
       {together(plate, box({0.501, 0.02, 0.501}, {0.502, 0.5, 0.502})), slanting}) {
    const Shape filled = with_quadrature(solid(mesh), 60);
    EXPECT_GE(least_extent(points_of(filled)), 0.2 * 0.02);
    EXPECT_NEAR(volume_of(filled), 0.02, 5e-3);
  }
}

}  // namespace voxel_quadrature_test
}  // namespace pliant
