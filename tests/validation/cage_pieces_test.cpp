// SPDX-License-Identifier: Apache-2.0
// Why one surface has one cage: two that share a face do not agree about where the points at that face go.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/green_coordinates.hpp"
#include "pliant/methods/cage/scaled_normals.hpp"

namespace pliant {
namespace cage_pieces_test {

/// Two boxes of 1 m side by side along x. The largest distance between where the two cages take points of the
/// face between them (0.1 mm on either side of it), when the vertices of both, the shared ones alike, go
/// where `where` tells.
template <class Where>
double jump(int cells, Where&& where) {
  Points places[2];
  for (int side = 0; side < 2; ++side) {
    const TriMesh cage = box_cage({double(side), 0, 0}, {double(side + 1), 1, 1}, {cells, cells, cells});
    Points at;
    for (double y = 0.15; y < 0.9; y += 0.1)
      for (double z = 0.15; z < 0.9; z += 0.1) at.push_back({1 + (side == 0 ? -1e-4 : 1e-4), y, z});
    const GreenCoordinates green = green_coordinates(cage, at, Gradients::no);
    const Eigen::Index n = Eigen::Index(cage.vertices.size()), t = Eigen::Index(cage.triangles.size());
    cage::Columns z(3, n + t);
    for (Eigen::Index i = 0; i < n; ++i) z.col(i) = where(cage.vertices[std::size_t(i)]);
    cage::scaled_normals(cage::face_rests(cage), z.leftCols(n), z.rightCols(t));
    for (std::size_t k = 0; k < at.size(); ++k) places[side].push_back(z * green.value.col(Eigen::Index(k)));
  }
  double most = 0;
  for (std::size_t k = 0; k < places[0].size(); ++k)
    most = std::max(most, (places[0][k] - places[1][k]).norm());
  return most;
}

/// 2 m of length become an arc of so many degrees about z.
Vec3 bent(const Vec3& x, double degrees) {
  const double angle = degrees * M_PI / 180, radius = 2 / angle, at = (x.x() - 1) / radius;
  return {(radius - x.y()) * std::sin(at), radius - (radius - x.y()) * std::cos(at), x.z()};
}

TEST(CagePieces, two_cages_with_a_common_face_tear_a_surface_where_they_meet) {
  const Mat3 turn = Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  EXPECT_LT(jump(2, [&](const Vec3& x) { return Vec3(turn * x); }), 3e-4) << "turned as a whole";
  for (const int cells : {2, 4})
    for (const double degrees : {30.0, 90.0}) {
      const double apart = jump(cells, [&](const Vec3& x) { return bent(x, degrees); });
      std::cout << fmt::format("{} cells an edge, bent by {:.0f} degrees over 2 m: {:.1f} mm apart\n", cells,
                               degrees, 1e3 * apart);
      EXPECT_GT(apart, 0.01);
    }
  const double stretched = jump(2, [](const Vec3& x) { return Vec3(x.x(), 1.5 * x.y(), x.z()); });
  std::cout << fmt::format("stretched by a half along the face: {:.1f} mm apart\n", 1e3 * stretched);
}

}  // namespace cage_pieces_test
}  // namespace pliant
