// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/self_search.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "tests/support/sheet_meshes.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace self_search_test {

constexpr double delta = 0.005;

TriMesh sheet() { return sheet_mesh({.width = 0.5, .length = 0.5, .across = 8, .along = 8}); }

/// Another sheet beside the first, moved there by `place`.
template <class Place>
TriMesh two_sheets(Place&& place) {
  TriMesh mesh = sheet(), other = sheet();
  for (Vec3& x : other.vertices) x = place(x);
  append(mesh, other);
  return mesh;
}

PairCandidates found(SelfSearch& search, const Points& begin, const Points& end, double reach = delta) {
  PairCandidates out;
  search.find(begin, end, reach, out);
  return out;
}

/// Pairs that are nearer than 2 delta: boxes find more.
int near(SelfSearch& search, const TriMesh& mesh, const Points& x) {
  const PairCandidates pairs = found(search, x, x);
  const MovingSurface surface(mesh.vertices, mesh.triangles);
  int count = 0;
  for (const auto [v, t] : pairs.vertex_triangle)
    count +=
        vertex_triangle_closest(vertex_triangle_points(x, v, x, mesh.triangles[std::size_t(t)])).distance <
        2 * delta;
  for (const auto [e, f] : pairs.edge_edge)
    count += edge_edge_closest(
                 edge_edge_points(x, surface.edges()[std::size_t(e)], x, surface.edges()[std::size_t(f)]))
                 .distance < 2 * delta;
  return count;
}

TEST(SelfSearch, a_flat_sheet_has_no_pairs_at_rest_and_keeps_less_where_the_mesh_is_fine) {
  const TriMesh mesh = sheet();
  SelfSearch search(mesh.vertices, mesh.triangles);
  EXPECT_EQ(search.flaws().crossings, 0);
  EXPECT_EQ(near(search, mesh, mesh.vertices), 0);
  // Across a cell of 1/16 m: edges 0 1 and 9 10 run along it.
  EXPECT_DOUBLE_EQ(search.kept(PairKind::edge_edge, {0, 1, 9, 10}, delta), delta);
  EXPECT_DOUBLE_EQ(search.kept(PairKind::edge_edge, {0, 1, 9, 10}, 0.2), 0.9 / 16);
}

TEST(SelfSearch, what_all_vertices_share_in_their_way_finds_no_more_pairs) {
  const TriMesh mesh = sheet();
  SelfSearch search(mesh.vertices, mesh.triangles);
  Points far = mesh.vertices;
  for (Vec3& x : far) x += Vec3(30, -7, 11);
  const std::size_t at_rest = found(search, mesh.vertices, mesh.vertices).size();
  EXPECT_LE(found(search, mesh.vertices, far).size(), at_rest + 4);  // but for rounding
  far[0] += Vec3(0.3, 0.001, 0.3);                                   // one of them goes over the others
  EXPECT_GT(found(search, mesh.vertices, far).size(), at_rest + 100);
}

TEST(SelfSearch, around_a_crossing_at_rest_pairs_are_left_out_and_nowhere_else) {
  const TriMesh mesh =
      two_sheets([](const Vec3& x) { return Vec3(x.y() + 0.27, x.x() - 0.06, x.z() + 0.013); });
  SelfSearch search(mesh.vertices, mesh.triangles);
  EXPECT_GT(search.flaws().crossings, 8);
  EXPECT_EQ(search.flaws().places, 1);
  EXPECT_FALSE(search.crosses(mesh.vertices));
  EXPECT_EQ(near(search, mesh, mesh.vertices), 0);
  Points folded = mesh.vertices;  // a corner through the far side of its own sheet
  folded[0] = Vec3(0.47, 0.001, 0.4);
  EXPECT_GT(near(search, mesh, folded), 0);
  folded[0].y() = -0.05;
  EXPECT_TRUE(search.crosses(folded));
}

TEST(SelfSearch, sheets_that_touch_at_rest_are_left_out_where_they_touch) {
  const TriMesh mesh =
      two_sheets([](const Vec3& x) { return Vec3(x.x() + 0.5, x.y(), x.z()); });  // edge on edge
  SelfSearch search(mesh.vertices, mesh.triangles);
  EXPECT_GT(search.flaws().crossings, 0);
  EXPECT_EQ(near(search, mesh, mesh.vertices), 0);
}

/// Nearer than it keeps somewhere on the way, asked at many times.
bool any_too_near(SelfSearch& search, const TriMesh& mesh, const Points& begin, const Points& end) {
  MovingSurface surface(mesh.vertices, mesh.triangles);
  for (int k = 0; k <= 8; ++k) {
    Points x;
    for (std::size_t i = 0; i < begin.size(); ++i) x.push_back(begin[i] + k / 8.0 * (end[i] - begin[i]));
    for (const auto [v, t] : found(search, x, x).vertex_triangle) {
      const Triangle& triangle = mesh.triangles[std::size_t(t)];
      const double distance = vertex_triangle_closest(vertex_triangle_points(x, v, x, triangle)).distance;
      if (distance <
          search.kept(PairKind::vertex_triangle, {v, triangle[0], triangle[1], triangle[2]}, delta))
        return true;
    }
  }
  return false;
}

TEST(SelfSearch, is_clear_only_where_no_pair_comes_too_near) {
  const TriMesh mesh = two_sheets([](const Vec3& x) { return Vec3(x + Vec3(0, 0.012, 0)); });
  SelfSearch search(mesh.vertices, mesh.triangles);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> move(-1, 1);
  Points begin = mesh.vertices;
  int clear = 0;
  for (int step = 0; step < 60; ++step) {
    const Mat3 turn = Eigen::AngleAxisd(0.05 * step, Vec3(1, 2, -2) / 3).toRotationMatrix();
    Points end;
    for (std::size_t i = 0; i < begin.size(); ++i)
      end.push_back(turn * mesh.vertices[i] + Vec3(0.3 * step, 0, 0) +
                    1e-4 * step * Vec3(move(random), move(random), move(random)));
    if (search.clear(begin, end, delta)) {
      ++clear;
      EXPECT_FALSE(any_too_near(search, mesh, begin, end)) << step;
    }
    begin = end;
  }
  EXPECT_GT(clear, 5);
  EXPECT_LT(clear, 60);
}

}  // namespace self_search_test
}  // namespace pliant
