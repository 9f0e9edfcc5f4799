// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/geometry/shape.hpp"

namespace pliant {
namespace moments_test {

/// A plate of cells, each corner with an eighth of the cells around it.
Shape lumped_plate(int nx, int ny, int nz, const Vec3& h) {
  Points nodes;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) nodes.push_back(h.cwiseProduct(Vec3(i, j, k)));
  std::vector<std::array<Index, 8>> cells;
  for (int k = 0; k + 1 < nz; ++k)
    for (int j = 0; j + 1 < ny; ++j)
      for (int i = 0; i + 1 < nx; ++i) {
        std::array<Index, 8>& cell = cells.emplace_back();
        for (int c = 0; c < 8; ++c) cell[c] = ((k + (c >> 2)) * ny + j + (c >> 1 & 1)) * nx + i + (c & 1);
      }
  return shape_from_cells(nodes, cells);
}

Moments box_moments(const Vec3& size) {
  return {size.prod(), size / 2, Mat3(Vec3(size.prod() / 12 * size.cwiseProduct(size)).asDiagonal())};
}

TEST(Moments, a_closed_surface_has_those_of_its_solid) {
  const Shape box = make_shape(BoxShape{.size = {1, 2, 3}, .nodes = {2, 3, 2}, .corner = {4, -5, 6}});
  const Moments got = moments_of(box.surface.vertices, box.surface.triangles);
  EXPECT_NEAR(got.volume, 6, 1e-12);
  EXPECT_NEAR((got.centre - Vec3(4.5, -4, 7.5)).norm(), 0, 1e-12);
  EXPECT_NEAR((got.second - box_moments({1, 2, 3}).second).norm(), 0, 1e-10);
}

TEST(Moments, two_cells_through_a_plate_become_simpsons_rule) {
  Shape plate = lumped_plate(11, 3, 11, {0.1, 0.05, 0.1});
  std::vector<double>& volumes = plate.graph.volumes;
  const Mat3 lumped = moments_of(plate.graph.positions, volumes).second;
  const Moments wanted = box_moments({1, 0.1, 1});
  EXPECT_NEAR(lumped(1, 1) / wanted.second(1, 1), 1.5, 1e-9);
  match_moments(plate.graph.positions, wanted, volumes);
  const Moments got = moments_of(plate.graph.positions, volumes);
  EXPECT_NEAR(got.volume / wanted.volume, 1, 1e-12);
  EXPECT_NEAR((got.second - wanted.second).norm() / wanted.second.norm(), 0, 1e-9);
  std::array<double, 3> layer{};
  for (std::size_t i = 0; i < volumes.size(); ++i)
    layer[std::size_t(std::lround(plate.graph.positions[i].y() / 0.05))] += volumes[i] / wanted.volume;
  EXPECT_NEAR(layer[0], 1.0 / 6, 1e-9);
  EXPECT_NEAR(layer[1], 4.0 / 6, 1e-9);
  EXPECT_NEAR(layer[2], 1.0 / 6, 1e-9);
}

TEST(Moments, what_one_layer_of_cells_cannot_have_stays_and_the_rest_is_matched) {
  Shape plate = lumped_plate(9, 2, 5, {0.1, 0.05, 0.2});
  const Moments wanted = box_moments({0.8, 0.05, 0.8});
  match_moments(plate.graph.positions, wanted, plate.graph.volumes);
  const Moments got = moments_of(plate.graph.positions, plate.graph.volumes);
  EXPECT_NEAR(got.volume / wanted.volume, 1, 1e-12);
  EXPECT_NEAR(got.second(0, 0) / wanted.second(0, 0), 1, 1e-6);
  EXPECT_NEAR(got.second(2, 2) / wanted.second(2, 2), 1, 1e-6);
  EXPECT_NEAR(got.second(1, 1) / wanted.second(1, 1), 3, 1e-6);
  for (const double v : plate.graph.volumes) EXPECT_GT(v, 0);
}

TEST(Moments, wants_that_no_volumes_can_have_give_bounded_positive_volumes) {
  Shape box = lumped_plate(4, 4, 4, {0.1, 0.1, 0.1});
  const std::vector<double> before = box.graph.volumes;
  Moments wanted = box_moments({0.3, 0.3, 0.3});
  wanted.second *= 100;
  match_moments(box.graph.positions, wanted, box.graph.volumes);
  double sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    sum += box.graph.volumes[i];
    EXPECT_GT(box.graph.volumes[i] / before[i], 0.124);
    EXPECT_LT(box.graph.volumes[i] / before[i], 8.01);
  }
  EXPECT_NEAR(sum, wanted.volume, 1e-12);
}

}  // namespace moments_test
}  // namespace pliant
