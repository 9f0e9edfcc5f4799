// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/triangle_tree.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "pliant/geometry/triangle_geometry.hpp"
#include "pliant/io/read_mesh.hpp"
#include "tests/support/models.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace triangle_tree_test {

TriangleTree tree_of(const TriMesh& mesh) { return TriangleTree(mesh.vertices, mesh.triangles); }

Vec3 random_point(std::mt19937& random, double half) {
  std::uniform_real_distribution<double> u(-half, half);
  const double x = u(random), y = u(random), z = u(random);
  return {x, y, z};
}

/// Triangles all over the place, crossing each other, some without area.
TriMesh soup(int count) {
  std::mt19937 random(7);
  TriMesh mesh;
  for (Index t = 0; t < count; ++t) {
    const Vec3 at = random_point(random, 1);
    for (int k = 0; k < 3; ++k) mesh.vertices.push_back(at + random_point(random, t % 7 ? 0.1 : 0.7));
    if (t % 50 == 0) mesh.vertices.back() = mesh.vertices[mesh.vertices.size() - 2];
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

int sum_of_signs(const std::vector<TriangleTree::Crossing>& crossings) {
  int sum = 0;
  for (const auto& c : crossings) sum += c.cosine > 0 ? 1 : -1;
  return sum;
}

TEST(TriangleTree, nearest_is_the_nearest_of_all_triangles) {
  const TriMesh mesh = soup(400);
  const TriangleTree tree = tree_of(mesh);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const Vec3 p = random_point(random, i % 3 ? 1.5 : 40);
    double best = std::numeric_limits<double>::infinity();
    for (const Triangle& t : mesh.triangles)
      best = std::min(
          best,
          (closest_point(p, mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]).point - p).norm());
    const auto found = tree.nearest(p, std::numeric_limits<double>::infinity());
    ASSERT_GE(found.triangle, 0);
    EXPECT_NEAR(found.distance, best, 1e-12);
    EXPECT_NEAR((found.point - p).norm(), best, 1e-12);
    const Triangle& t = mesh.triangles[found.triangle];
    const Vec3 by_weights = found.barycentric[0] * mesh.vertices[t[0]] +
                            found.barycentric[1] * mesh.vertices[t[1]] +
                            found.barycentric[2] * mesh.vertices[t[2]];
    EXPECT_LT((by_weights - found.point).norm(), 1e-12);
    EXPECT_EQ(tree.nearest(p, 0.999 * best).triangle, -1);
    EXPECT_EQ(tree.nearest(p, 1.001 * best).triangle, found.triangle);
    EXPECT_FALSE(tree.any_within(p, 0.999 * best));
    EXPECT_TRUE(tree.any_within(p, 1.001 * best));
  }
}

TEST(TriangleTree, nearest_tells_edges_and_corners_by_zero_weights_and_ties_go_to_the_lowest_triangle) {
  const TriangleTree tree = tree_of(box_surface());
  const auto corner = tree.nearest({2, 2, 2}, 10);
  EXPECT_EQ((corner.barycentric.array() == 0).count(), 2);
  EXPECT_EQ(corner.triangle, 3);  // the first of those around vertex 7
  const auto edge = tree.nearest({2, 2, 0.5}, 10);
  EXPECT_EQ((edge.barycentric.array() == 0).count(), 1);
  EXPECT_EQ(edge.point, Vec3(1, 1, 0.5));
  EXPECT_EQ((tree.nearest({0.3, 0.2, 2}, 10).barycentric.array() == 0).count(), 0);
}

TEST(TriangleTree, crossings_are_those_of_all_triangles_in_order) {
  const TriMesh mesh = soup(400);
  const TriangleTree tree = tree_of(mesh);
  std::vector<TriangleTree> single;  // one triangle alone: no tree to go wrong
  for (const Triangle& t : mesh.triangles) single.emplace_back(mesh.vertices, std::vector<Triangle>{t});
  std::mt19937 random(2);
  std::vector<TriangleTree::Crossing> found;
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = random_point(random, i % 2 ? 1 : 30), b = random_point(random, 2);
    std::vector<Index> expected;
    for (Index t = 0; t < Index(mesh.triangles.size()); ++t)
      if (single[t].first_crossing(a, b).triangle >= 0) expected.push_back(t);
    tree.crossings(a, b, found);
    ASSERT_EQ(found.size(), expected.size());
    std::vector<Index> triangles;
    for (std::size_t k = 0; k < found.size(); ++k) {
      triangles.push_back(found[k].triangle);
      if (k > 0) {
        EXPECT_LE(found[k - 1].t, found[k].t);
      }
      const Triangle& t = mesh.triangles[found[k].triangle];
      const Vec3 n = (mesh.vertices[t[1]] - mesh.vertices[t[0]])
                         .cross(mesh.vertices[t[2]] - mesh.vertices[t[0]])
                         .normalized();
      const Vec3 x = a + found[k].t * (b - a);
      EXPECT_NEAR(n.dot(x - mesh.vertices[t[0]]), 0, 1e-9);
      EXPECT_NEAR(found[k].cosine, n.dot((b - a).normalized()), 1e-9);
    }
    std::sort(triangles.begin(), triangles.end());
    EXPECT_EQ(triangles, expected);
    const auto first = tree.first_crossing(a, b);
    EXPECT_EQ(first.triangle, found.empty() ? -1 : found.front().triangle);
  }
}

TEST(TriangleTree, a_line_through_edges_and_corners_of_a_closed_surface_enters_as_often_as_it_leaves) {
  const TriMesh sphere = sphere_surface(8);
  const TriangleTree tree = tree_of(sphere), box = tree_of(box_surface({-1, -1, -1}, {1, 1, 1}));
  std::vector<TriangleTree::Crossing> found;
  for (std::size_t i = 0; i < sphere.vertices.size(); ++i)
    for (std::size_t j = 0; j < sphere.vertices.size(); ++j) {
      // From outside to outside, through a corner and the middle between two others (mostly edges, too).
      const Vec3 &p = sphere.vertices[i], q = 0.5 * (sphere.vertices[j] + sphere.vertices[0]);
      if ((p - q).norm() < 1e-3) continue;
      const Vec3 d = (p - q) * std::ceil(4 / (p - q).norm());
      tree.crossings(p + d, p - d, found);
      EXPECT_EQ(sum_of_signs(found), 0) << i << " " << j;
    }
  for (const Vec3& d : {Vec3(1, 1, 1), Vec3(1, 1, 0), Vec3(1, 0, 0), Vec3(0.5, 0.5, 1)}) {
    box.crossings(-3 * d, 3 * d, found);
    ASSERT_EQ(found.size(), 2u);  // each corner, edge and diagonal once
    EXPECT_LT(found[0].cosine, 0);
    EXPECT_GT(found[1].cosine, 0);
    box.crossings(Vec3::Zero(), 3 * d, found);
    EXPECT_EQ(found.size(), 1u);
  }
}

TEST(TriangleTree, winding_is_one_inside_and_zero_outside_and_close_to_the_exact_sum) {
  const TriMesh mesh = sphere_surface(24);
  const TriangleTree tree = tree_of(mesh);
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = random_point(random, 1.5);
    if (std::abs(p.norm() - 1) < 0.01) continue;
    const double exact = tree.winding_exact(p);
    EXPECT_NEAR(exact, p.norm() < 1 ? 1 : 0, 1e-9);
    EXPECT_NEAR(tree.winding(p), exact, 0.07);
  }
  EXPECT_NEAR(tree.winding({1e9, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(tree_of(turned(mesh)).winding({0, 0, 0}), -1, 0.07);
}

TEST(TriangleTree, size_and_place_of_the_surface_change_nothing) {
  const TriMesh unit = sphere_surface(12);
  const TriangleTree reference = tree_of(unit);
  struct Case {
    double size;
    Vec3 at;
  };
  for (const Case& c : {Case{1e-6, {0, 0, 0}}, Case{1e6, {0, 0, 0}}, Case{1, {1e6, -1e6, 1e6}},
                        Case{1e-30, {0, 0, 0}}, Case{1e28, {0, 0, 0}}}) {
    TriMesh mesh = unit;
    for (Vec3& x : mesh.vertices) x = c.at + c.size * x;
    const TriangleTree tree = tree_of(mesh);
    std::mt19937 random(4);
    std::vector<TriangleTree::Crossing> crossings, expected;
    for (int i = 0; i < 100; ++i) {
      const Vec3 p = random_point(random, 1.5), q = random_point(random, 1.5);
      const Vec3 moved_p = c.at + c.size * p, moved_q = c.at + c.size * q;
      EXPECT_NEAR(tree.winding(moved_p), reference.winding(p), 1e-4);
      EXPECT_NEAR(tree.nearest(moved_p, 9 * c.size).distance / c.size, reference.nearest(p, 9).distance,
                  1e-8);
      tree.crossings(moved_p, moved_q, crossings);
      reference.crossings(p, q, expected);
      ASSERT_EQ(crossings.size(), expected.size()) << c.size;
      for (std::size_t k = 0; k < crossings.size(); ++k) EXPECT_NEAR(crossings[k].t, expected[k].t, 1e-6);
    }
  }
}

TEST(TriangleTree, hopeless_questions_have_no_answer) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::vector<TriangleTree::Crossing> found;
  const TriangleTree empty({}, {}), box = tree_of(box_surface());
  EXPECT_EQ(empty.nearest({0, 0, 0}, inf).triangle, -1);
  EXPECT_EQ(empty.winding({0, 0, 0}), 0);
  EXPECT_EQ(empty.self_intersections(9), 0u);
  EXPECT_EQ(box.nearest({nan, 0, 0}, inf).triangle, -1);
  EXPECT_EQ(box.nearest({0, 0, 0}, -1).triangle, -1);
  EXPECT_EQ(box.winding({nan, 0, 0}), 0);
  for (const Vec3& end : {Vec3(nan, 0, 0), Vec3(0.5, 0.5, 0.5)}) {
    box.crossings({0.5, 0.5, 0.5}, end, found);
    EXPECT_TRUE(found.empty());
    EXPECT_EQ(box.first_crossing({0.5, 0.5, 0.5}, end).triangle, -1);
  }
}

TEST(TriangleTree, many_equal_and_many_nested_triangles_build_a_tree_that_answers) {
  TriMesh mesh;
  for (Index t = 0; t < 5000; ++t) {
    const double size = t % 2 ? 1 : std::ldexp(1.0, -(t % 400));
    mesh.vertices.insert(mesh.vertices.end(), {Vec3(0, 0, 0), Vec3(size, 0, 0), Vec3(0, size, 0)});
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const TriangleTree tree = tree_of(mesh);
  std::vector<TriangleTree::Crossing> found;
  tree.crossings({0.3, 0.3, 1}, {0.3, 0.3, -1}, found);
  std::size_t expected = 0;
  for (Index t = 0; t < 5000; ++t) expected += mesh.vertices[3 * t + 1].x() > 0.6;
  EXPECT_EQ(found.size(), expected);
  EXPECT_EQ(tree.nearest({0.3, 0.3, 0.5}, 1).triangle, 0);
}

TEST(TriangleTree, self_intersections_are_pairs_that_pass_through_each_other) {
  EXPECT_EQ(tree_of(box_surface()).self_intersections(100), 0u);
  EXPECT_EQ(tree_of(sphere_surface(16)).self_intersections(100), 0u);
  TriMesh touching = box_surface();
  append(touching, box_surface({1, 0, 0}, {2, 1, 1}));
  EXPECT_EQ(tree_of(touching).self_intersections(100), 0u);
  // A triangle stuck through another: one pair.
  TriMesh pair;
  pair.vertices = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, -1}, {0.5, 0.5, 1}, {5, 5, 0}};
  pair.triangles = {{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(tree_of(pair).self_intersections(100), 1u);
  // Two triangles with one common vertex, the far edge of one through the other.
  TriMesh common;
  common.vertices = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0.5, -1}, {0.5, 0.5, 1}};
  common.triangles = {{0, 1, 2}, {0, 3, 4}};
  EXPECT_EQ(tree_of(common).self_intersections(100), 1u);
  TriMesh spheres = sphere_surface(12);
  append(spheres, sphere_surface(12, 1, {0.71, 0.13, 0.07}));
  EXPECT_GT(tree_of(spheres).self_intersections(1000), 20u);
  EXPECT_EQ(tree_of(spheres).self_intersections(5), 5u);
}

TEST(TriangleTree, winding_of_every_model_is_within_the_stated_error_of_the_exact_sum) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  for (const auto& file : model_files()) {
    const auto mesh = read_mesh(file);
    if (file.filename() == "b9.ply") continue;  // a cloud of points
    ASSERT_TRUE(mesh) << mesh.error().text();
    const TriangleTree tree = tree_of(*mesh);
    Eigen::AlignedBox3d box;
    for (const Vec3& x : mesh->vertices) box.extend(x);
    std::mt19937 random(5);
    for (int i = 0; i < 20; ++i) {
      const Vec3 p = box.center() + random_point(random, 0.5).cwiseProduct(box.sizes());
      EXPECT_NEAR(tree.winding(p), tree.winding_exact(p), 0.07) << file;
    }
  }
}

}  // namespace triangle_tree_test
}  // namespace pliant
