// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/progressive_hull.hpp"

#include <gtest/gtest.h>

#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace progressive_hull_test {

TEST(ProgressiveHull, every_coarser_surface_contains_the_one_before) {
  TriMesh surface = sphere_surface(16);
  double volume = enclosed_volume(surface.vertices, surface.triangles);
  for (const Index vertices : {200, 80, 30, 16}) {
    const TriMesh hull = progressive_hull(surface, vertices, {.size = 3.4});
    ASSERT_EQ(Index(hull.vertices.size()), vertices);
    // Vertices of the surface may lie on the hull: asked a hair inside.
    Points shrunk;
    for (const Vec3& p : surface.vertices) shrunk.push_back(p * (1 - 1e-5));
    const auto problem = check_cage(hull, shrunk);
    EXPECT_FALSE(problem) << problem->found;
    const double grown = enclosed_volume(hull.vertices, hull.triangles);
    EXPECT_GT(grown, volume);
    surface = hull;
    volume = grown;
  }
}

TEST(ProgressiveHull, a_finely_cut_box_comes_back_as_the_box_with_hardly_a_vertex_more) {
  // 6 x 6 x 6 squares a side: all vertices but the corners are on flat faces or straight edges.
  TriMesh box;
  const int n = 6;
  std::vector<Index> number((n + 1) * (n + 1) * (n + 1), -1);
  const auto vertex = [&](int i, int j, int k) {
    Index& at = number[std::size_t((k * (n + 1) + j) * (n + 1) + i)];
    if (at < 0) at = Index(box.vertices.size()), box.vertices.emplace_back(i / 6.0, j / 6.0, k / 6.0);
    return at;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int di, int dj) {
            int p[3];
            p[axis] = side * n, p[(axis + 1) % 3] = i + di, p[(axis + 2) % 3] = j + dj;
            return vertex(p[0], p[1], p[2]);
          };
          Triangle a{at(0, 0), at(1, 0), at(1, 1)}, b{at(0, 0), at(1, 1), at(0, 1)};
          if (side == 0) std::swap(a[1], a[2]), std::swap(b[1], b[2]);
          box.triangles.push_back(a);
          box.triangles.push_back(b);
        }
  ASSERT_TRUE(is_closed(box.triangles));
  const TriMesh hull = progressive_hull(box, 8, {.size = 1.7});
  EXPECT_LE(hull.vertices.size(), 10u);
  EXPECT_NEAR(enclosed_volume(hull.vertices, hull.triangles), 1, 1e-6);
}

TEST(ProgressiveHull, keeps_handles_however_small_the_budget) {
  TriMesh torus;
  const int m = 24, n = 12;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double t = 2 * M_PI * i / m, s = 2 * M_PI * j / n, r = 1 + 0.4 * std::cos(s);
      torus.vertices.emplace_back(r * std::cos(t), 0.4 * std::sin(s), -r * std::sin(t));
    }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const Index a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n,
                  d = i * n + (j + 1) % n;
      torus.triangles.push_back({a, b, c});
      torus.triangles.push_back({a, c, d});
    }
  if (enclosed_volume(torus.vertices, torus.triangles) < 0) torus = turned(torus);
  const TriMesh hull = progressive_hull(torus, 4, {});
  EXPECT_LT(hull.vertices.size(), 60u);
  EXPECT_EQ(hull.vertices.size(), hull.triangles.size() / 2);  // Euler: V - F / 2 = 0
  const auto problem = check_cage(hull, {});
  EXPECT_FALSE(problem) << problem->found;
}

}  // namespace progressive_hull_test
}  // namespace pliant
