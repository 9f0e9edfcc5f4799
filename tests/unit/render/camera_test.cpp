// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/camera.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant {
namespace camera_test {

Points cloud() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1);
  Points points;
  for (int i = 0; i < 200; ++i) points.emplace_back(5 + 3 * place(random), 2 * place(random), place(random));
  return points;
}

TEST(Framing, holds_all_points_inside_the_margin_from_every_side) {
  const Points points = cloud();
  for (double azimuth : {-120.0, 0.0, 35.0, 90.0})
    for (double elevation : {-20.0, 0.0, 30.0, 89.0})
      for (double aspect : {0.5, 1.0, 16.0 / 9}) {
        const View view{.azimuth = azimuth, .elevation = elevation};
        Framing framing(view, aspect);
        framing.add(std::span(points).first(50));
        framing.add(std::span(points).subspan(50));
        double reach = 0;
        for (const Vec3& p : points)
          reach = std::max(reach, framing.camera().project(p, aspect).cwiseAbs().maxCoeff());
        EXPECT_NEAR(reach, 1 - 2 * view.margin, 1e-9);
      }
}

TEST(Framing, zooms_by_the_given_factor) {
  const Points points = cloud();
  Framing wide(View{}, 1.5), near(View{.zoom = 2}, 1.5);
  wide.add(points), near.add(points);
  const Eigen::Vector2d a = wide.camera().project(points[3], 1.5), b = near.camera().project(points[3], 1.5);
  EXPECT_NEAR((b - 2 * a).norm(), 0, 1e-9);
}

TEST(Framing, looks_from_the_side_that_the_azimuth_tells) {
  Framing framing(View{.azimuth = 90, .elevation = 0}, 1);
  framing.add(Points{{-1, 0, -1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}});
  EXPECT_GT(framing.camera().eye.x(), 1);
  EXPECT_NEAR(framing.camera().eye.y(), 0, 1e-9);
}

}  // namespace camera_test
}  // namespace pliant
