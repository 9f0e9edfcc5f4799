// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/pair_search.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/allocation_counter.hpp"
#include "tests/support/sheet_meshes.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace pair_search_test {

using Pairs = std::vector<IndexPair>;

/// A surface, and where its vertices go.
struct Mover {
  TriMesh mesh;
  Points end;
  MovingSurface surface;
  double grow;

  Mover(TriMesh m, const Vec3& way, double shake, double grow_by, unsigned seed = 1)
      : mesh(std::move(m)), surface(mesh.vertices, mesh.triangles), grow(grow_by) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> move(-shake, shake);
    for (const Vec3& x : mesh.vertices)
      end.push_back(x + way + Vec3(move(random), move(random), move(random)));
    surface.refit(mesh.vertices, end, grow);
  }
  MotionBox box(std::initializer_list<Index> vertices) const {
    MotionBox out;
    for (const Index v : vertices) out.add(mesh.vertices[v]), out.add(end[v]);
    out.low.array() -= grow;
    out.high.array() += grow;
    return out;
  }
  MotionBox triangle(Index t) const {
    const Triangle& c = mesh.triangles[t];
    return box({c[0], c[1], c[2]});
  }
  MotionBox edge(Index e) const { return box({surface.edges()[e][0], surface.edges()[e][1]}); }
  Index vertices() const { return Index(mesh.vertices.size()); }
  Index triangles() const { return Index(mesh.triangles.size()); }
  Index edges() const { return Index(surface.edges().size()); }
};

/// All pairs (i, j) below the counts that the predicate passes.
template <class Passes>
Pairs all_pairs(Index first, Index second, const Passes& passes) {
  Pairs out;
  for (Index i = 0; i < first; ++i)
    for (Index j = 0; j < second; ++j)
      if (passes(i, j)) out.push_back({i, j});
  return out;
}

TEST(PairSearch, finds_each_pair_of_two_surfaces_that_brute_force_finds_once) {
  const Mover a(sphere_surface(8), {0.1, 0.05, 0}, 0.03, 0.01);
  const Mover b(sphere_surface(9, 0.7, {1.7, 0.2, 0}), {-0.1, 0, 0}, 0.03, 0.02, 2);
  PairSearch search;
  PairCandidates found;
  search.find(a.surface, b.surface, found);
  EXPECT_EQ(found.vertex_triangle, all_pairs(a.vertices(), b.triangles(), [&](Index v, Index t) {
              return a.box({v}).overlaps(b.triangle(t));
            }));
  EXPECT_EQ(found.triangle_vertex, all_pairs(a.triangles(), b.vertices(), [&](Index t, Index v) {
              return a.triangle(t).overlaps(b.box({v}));
            }));
  EXPECT_EQ(found.edge_edge,
            all_pairs(a.edges(), b.edges(), [&](Index e, Index f) { return a.edge(e).overlaps(b.edge(f)); }));
  EXPECT_GT(found.vertex_triangle.size(), 20u);
  EXPECT_GT(found.triangle_vertex.size(), 20u);
  EXPECT_GT(found.edge_edge.size(), 100u);
}

TEST(PairSearch, finds_within_a_surface_what_has_no_vertex_in_common) {
  TriMesh folded = sheet_mesh({.width = 0.5, .length = 1, .across = 5, .along = 16, .jitter = 0.2});
  for (Vec3& x : folded.vertices)  // over itself, like a hairpin
    if (x.z() > 0.5) x = Vec3(x.x(), 0.04, 1 - x.z());
  std::shuffle(folded.triangles.begin(), folded.triangles.end(), std::mt19937(1));
  const Mover m(folded, {0, 0, 0.01}, 0.02, 0.01);
  PairSearch search;
  PairCandidates found;
  search.find_within(m.surface, found);
  EXPECT_EQ(found.vertex_triangle, all_pairs(m.vertices(), m.triangles(), [&](Index v, Index t) {
              return !has_vertex(m.mesh.triangles[t], v) && m.box({v}).overlaps(m.triangle(t));
            }));
  EXPECT_TRUE(found.triangle_vertex.empty());
  EXPECT_EQ(found.edge_edge, all_pairs(m.edges(), m.edges(), [&](Index e, Index f) {
              const SurfaceEdge &p = m.surface.edges()[e], &q = m.surface.edges()[f];
              return e < f && p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1] &&
                     m.edge(e).overlaps(m.edge(f));
            }));
  EXPECT_GT(found.vertex_triangle.size(), 200u);
}

TEST(PairSearch, takes_meshes_with_repeated_and_missing_vertices_and_shared_edges) {
  // A triangle that is an edge, one that is a point, three at one edge, a vertex in no triangle.
  const Points x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0.5, 0.5, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {0, 4, 4}, {2, 2, 2}};
  const MovingSurface surface(x, triangles);
  EXPECT_EQ(surface.edges().size(), 7u);
  PairCandidates found;
  PairSearch().find(surface, surface, found);
  EXPECT_EQ(found.edge_edge.size(), std::size_t(all_pairs(7, 7, [&](Index e, Index f) {
                                                  return surface.edge_box(e).overlaps(surface.edge_box(f));
                                                }).size()));
  for (const IndexPair& p : found.vertex_triangle) EXPECT_NE(p.first, 5);
}

TEST(PairSearch, finds_what_comes_within_the_sum_of_both_reaches) {
  const TriMesh low = sheet_mesh({.width = 1, .length = 1, .across = 3, .along = 3});
  TriMesh high = low;
  for (Vec3& x : high.vertices) x.y() += 0.1;
  PairCandidates found;
  PairSearch().find(Mover(low, {0, 0, 0}, 0, 0.06).surface, Mover(high, {0, 0, 0}, 0, 0.05).surface, found);
  EXPECT_GT(found.size(), 0u);
  PairSearch().find(Mover(low, {0, 0, 0}, 0, 0.04).surface, Mover(high, {0, 0, 0}, 0, 0.05).surface, found);
  EXPECT_EQ(found.size(), 0u);
  PairSearch().find(Mover(low, {0, 0.1, 0}, 0, 0).surface, Mover(high, {0, 0, 0}, 0, 0).surface, found);
  EXPECT_GT(found.size(), 0u);  // on its way
}

TEST(PairSearch, allocates_nothing_after_warm_up) {
  Mover a(sphere_surface(8), {0.1, 0.05, 0}, 0.03, 0.01),
      b(sphere_surface(9, 0.7, {1.7, 0.2, 0}), {-0.1, 0, 0}, 0.03, 0.02);
  PairSearch search;
  PairCandidates found, within;
  const auto once = [&] {
    a.surface.refit(a.mesh.vertices, a.end, a.grow);
    search.find(a.surface, b.surface, found);
    search.find_within(a.surface, within);
  };
  once(), once();
  const std::size_t before = allocations();
  once();
  EXPECT_EQ(allocations(), before);
}

}  // namespace pair_search_test
}  // namespace pliant
