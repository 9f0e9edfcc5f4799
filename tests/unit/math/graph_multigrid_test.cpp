// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/graph_multigrid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "pliant/base/simd.hpp"
#include "pliant/math/graph_aggregation.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace graph_multigrid_test {

using Vectors = std::vector<Float4>;

/// Box of nx x ny x nz nodes with six neighbours each, mass 1; ratio = h^2 lambda/m, so that an edge of K
/// weighs 2 ratio. The face z = 0 hangs on pinned neighbours.
GraphOperator lattice(int nx, int ny, int nz, double ratio) {
  GraphOperator graph;
  const auto at = [&](int i, int j, int k) { return Index((i * ny + j) * nz + k); };
  const float weight = float(2 * ratio);
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) {
        graph.positions.push_back(0.05 * Vec3(i, j, k));
        graph.mass.push_back(1);
        graph.anchor.push_back(k == 0 ? weight : 0);
        if (i + 1 < nx) graph.edges.push_back({at(i, j, k), at(i + 1, j, k), weight});
        if (j + 1 < ny) graph.edges.push_back({at(i, j, k), at(i, j + 1, k), weight});
        if (k + 1 < nz) graph.edges.push_back({at(i, j, k), at(i, j, k + 1), weight});
      }
  return graph;
}

/// The lattice with a node in every cell linked to its corners and to the next centres (14 neighbours), all
/// weights times a random .5 to 1.5.
GraphOperator body_centred(int nx, int ny, int nz, double ratio) {
  GraphOperator graph = lattice(nx, ny, nz, ratio);
  const float weight = float(2 * ratio);
  const Index corners = Index(graph.mass.size());
  const auto corner = [&](int i, int j, int k) { return Index((i * ny + j) * nz + k); };
  const auto centre = [&](int i, int j, int k) { return corners + Index((i * (ny - 1) + j) * (nz - 1) + k); };
  for (int i = 0; i + 1 < nx; ++i)
    for (int j = 0; j + 1 < ny; ++j)
      for (int k = 0; k + 1 < nz; ++k) {
        graph.positions.push_back(0.05 * Vec3(i + 0.5, j + 0.5, k + 0.5));
        graph.mass.push_back(1);
        graph.anchor.push_back(0);
        for (int c = 0; c < 8; ++c)
          graph.edges.push_back(
              {centre(i, j, k), corner(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)), weight});
        if (i + 2 < nx) graph.edges.push_back({centre(i, j, k), centre(i + 1, j, k), weight});
        if (j + 2 < ny) graph.edges.push_back({centre(i, j, k), centre(i, j + 1, k), weight});
        if (k + 2 < nz) graph.edges.push_back({centre(i, j, k), centre(i, j, k + 1), weight});
      }
  std::mt19937 random(1);
  std::uniform_real_distribution<float> factor(0.5f, 1.5f);
  for (auto& edge : graph.edges) edge.weight *= factor(random);
  return graph;
}

/// A with edge differences in double.
Points product(const GraphOperator& graph, const Points& x) {
  Points y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = (double(graph.mass[i]) + graph.anchor[i]) * x[i];
  for (const auto& edge : graph.edges) {
    const Vec3 force = edge.weight * (x[edge.a] - x[edge.b]);
    y[edge.a] += force;
    y[edge.b] -= force;
  }
  return y;
}

double dot(const Points& x, const Points& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i].dot(y[i]);
  return sum;
}

double norm(const Points& x) { return std::sqrt(dot(x, x)); }

Vectors single(const Points& x) {
  Vectors result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    result[i] = {float(x[i].x()), float(x[i].y()), float(x[i].z()), 0};
  return result;
}

Points apply(GraphMultigrid& multigrid, const Points& r, Pool& pool) {
  Vectors v = single(r);
  multigrid.apply(v.data(), v.data(), pool);
  Points z(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = Vec3(v[i].x, v[i].y, v[i].z);
  return z;
}

Points random_vectors(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Points x(count);
  for (Vec3& v : x) v = Vec3(normal(random), normal(random), normal(random));
  return x;
}

/// Gravity, a load on one side, and noise.
Points load(const GraphOperator& graph) {
  Points r = random_vectors(graph.mass.size(), 2);
  for (std::size_t i = 0; i < r.size(); ++i) {
    r[i] = 0.3 * r[i] + Vec3(0, -1, 0);
    if (graph.positions[i].x() < 0.01) r[i].z() += 5;
  }
  return r;
}

/// Preconditioned CG from zero; the number of products with A until |r| < tolerance |b|, or 1000.
int iterations_of_cg(const GraphOperator& graph, GraphMultigrid& multigrid, double tolerance) {
  Pool pool(1);
  Points r = load(graph);
  const double goal = tolerance * norm(r);
  Points z = apply(multigrid, r, pool), p = z;
  double rho = dot(r, z);
  for (int count = 1; count < 1000; ++count) {
    const Points q = product(graph, p);
    const double step = rho / dot(p, q);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= step * q[i];
    if (norm(r) < goal) return count;
    z = apply(multigrid, r, pool);
    const double next = dot(r, z);
    for (std::size_t i = 0; i < r.size(); ++i) p[i] = z[i] + next / rho * p[i];
    rho = next;
  }
  return 1000;
}

int iterations_of_cg(const GraphOperator& graph) {
  GraphMultigrid multigrid;
  const auto report = multigrid.build(graph);
  EXPECT_TRUE(report.ok()) << report.trouble;
  return iterations_of_cg(graph, multigrid, 1e-3);
}

double largest_eigenvalue(const GraphOperator& graph, int powers) {
  GraphMultigrid multigrid;
  EXPECT_TRUE(multigrid.build(graph).ok());
  Pool pool(1);
  Points x = random_vectors(graph.mass.size(), 3);
  double value = 0;
  for (int k = 0; k < powers; ++k) {
    x = apply(multigrid, product(graph, x), pool);
    value = norm(x);
    for (Vec3& v : x) v /= value;
  }
  return value;
}

void expect_symmetric_and_positive(const GraphOperator& graph, double tolerance) {
  GraphMultigrid multigrid;
  const auto report = multigrid.build(graph);
  ASSERT_TRUE(report.ok()) << report.trouble;
  Pool pool(1);
  for (unsigned seed = 10; seed < 13; ++seed) {
    const Points x = random_vectors(graph.mass.size(), seed),
                 y = random_vectors(graph.mass.size(), seed + 50);
    const Points bx = apply(multigrid, x, pool), by = apply(multigrid, y, pool);
    const double scale = std::sqrt(dot(x, bx) * dot(y, by));
    EXPECT_GT(dot(x, bx), 0);
    EXPECT_GT(dot(y, by), 0);
    EXPECT_NEAR(dot(x, by) / scale, dot(y, bx) / scale, tolerance);
  }
}

TEST(GraphMultigrid, is_symmetric_and_positive) {
  for (double ratio : {0.01, 0.1, 1.0, 10.0, 1000.0}) {
    expect_symmetric_and_positive(lattice(21, 22, 23, ratio), 1e-6);
    expect_symmetric_and_positive(body_centred(10, 11, 12, ratio), 1e-6);
  }
}

TEST(GraphMultigrid, few_iterations_of_cg_on_lattices_at_every_stiffness) {
  EXPECT_LE(iterations_of_cg(lattice(17, 17, 70, 0.01)), 2);
  EXPECT_LE(iterations_of_cg(lattice(17, 17, 70, 1)), 4);
  EXPECT_LE(iterations_of_cg(lattice(17, 17, 70, 10)), 5);
  EXPECT_LE(iterations_of_cg(lattice(17, 17, 70, 100)), 7);
  EXPECT_LE(iterations_of_cg(lattice(17, 17, 70, 1000)), 8);
}

TEST(GraphMultigrid, iterations_hardly_grow_with_the_number_of_nodes) {
  const int small = iterations_of_cg(lattice(16, 16, 32, 100));
  EXPECT_LE(iterations_of_cg(lattice(40, 40, 40, 100)), small + 1);
}

TEST(GraphMultigrid, few_iterations_of_cg_on_irregular_graphs_with_fourteen_neighbours) {
  EXPECT_LE(iterations_of_cg(body_centred(20, 20, 26, 1)), 5);
  EXPECT_LE(iterations_of_cg(body_centred(20, 20, 26, 10)), 7);
  EXPECT_LE(iterations_of_cg(body_centred(20, 20, 26, 100)), 9);
  EXPECT_LE(iterations_of_cg(body_centred(20, 20, 26, 1000)), 10);
}

TEST(GraphMultigrid, does_not_overshoot_where_it_is_iterated_without_cg) {
  EXPECT_LT(largest_eigenvalue(lattice(9, 9, 40, 123), 40), 1.5);
  EXPECT_LT(largest_eigenvalue(lattice(17, 17, 70, 100), 40), 1.5);
}

TEST(GraphMultigrid, a_free_body_of_any_stiffness_is_solved) {
  for (double ratio : {1.0, 1e3, 1e6, 1e9}) {
    GraphOperator graph = lattice(12, 12, 24, ratio);
    std::fill(graph.anchor.begin(), graph.anchor.end(), 0.0f);
    EXPECT_LE(iterations_of_cg(graph), 8) << ratio;
    expect_symmetric_and_positive(graph, 1e-5);
  }
}

TEST(GraphMultigrid, weights_that_differ_a_billion_times_are_solved) {
  GraphOperator graph = lattice(14, 14, 30, 1);
  for (auto& edge : graph.edges)
    if (graph.positions[edge.a].z() > 0.7 && graph.positions[edge.b].z() > 0.7) edge.weight *= 1e9f;
  EXPECT_LE(iterations_of_cg(graph), 20);
  for (std::size_t i = 0; i < graph.mass.size(); i += 7) graph.mass[i] = 1e-3f;
  EXPECT_LE(iterations_of_cg(graph), 40);
  expect_symmetric_and_positive(graph, 1e-5);
}

TEST(GraphMultigrid, separate_bodies_loose_nodes_and_bare_masses_are_solved) {
  GraphOperator graph = lattice(10, 10, 20, 100);
  const GraphOperator second = lattice(8, 8, 20, 10);
  const Index offset = Index(graph.mass.size());
  for (std::size_t i = 0; i < second.mass.size(); ++i) {
    graph.positions.push_back(second.positions[i] + Vec3(0.013, 0.021, 0.007));
    graph.mass.push_back(3);
    graph.anchor.push_back(0);
  }
  for (const auto& edge : second.edges)
    graph.edges.push_back({edge.a + offset, edge.b + offset, edge.weight});
  for (int k = 0; k < 500; ++k) {
    graph.positions.push_back(Vec3(0.01 * k, 0.5, 0.2));
    graph.mass.push_back(k % 2 ? 1e-3f : 1e3f);
    graph.anchor.push_back(k % 3 ? 0.0f : 1e4f);
  }
  EXPECT_LE(iterations_of_cg(graph), 8);
  graph.edges.clear();
  EXPECT_EQ(iterations_of_cg(graph), 1);
}

TEST(GraphMultigrid, small_graphs_are_solved_exactly) {
  for (int n : {1, 2, 3, 7}) {
    const GraphOperator graph = lattice(n, n, n, 50);
    GraphMultigrid multigrid;
    ASSERT_TRUE(multigrid.build(graph).ok());
    Pool pool(1);
    const Points x = random_vectors(graph.mass.size(), 4);
    const Points found = apply(multigrid, product(graph, x), pool);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((found[i] - x[i]).norm(), 1e-4);
  }
  GraphMultigrid empty;
  Pool pool(1);
  EXPECT_TRUE(empty.build({}).ok());
  empty.apply(nullptr, nullptr, pool);
}

TEST(GraphMultigrid, nodes_in_one_place_are_solved) {
  GraphOperator graph = lattice(10, 10, 10, 10);
  for (Vec3& p : graph.positions) p = Vec3(1, 2, 3);
  EXPECT_LE(iterations_of_cg(graph), 60);
  expect_symmetric_and_positive(graph, 1e-6);
}

TEST(GraphMultigrid, very_uneven_spacing_is_solved) {
  GraphOperator graph = lattice(12, 12, 40, 10);
  for (Vec3& p : graph.positions) p.z() = std::exp(8 * p.z());
  EXPECT_LE(iterations_of_cg(graph), 40);
  graph.positions.front() = Vec3(-1e9, 1e9, 1e9);
  EXPECT_LE(iterations_of_cg(graph), 200);
}

TEST(GraphMultigrid, the_order_of_the_nodes_does_not_matter) {
  const GraphOperator graph = lattice(12, 13, 14, 100);
  const Index n = Index(graph.mass.size());
  std::vector<Index> to(n);
  std::iota(to.begin(), to.end(), 0);
  std::shuffle(to.begin(), to.end(), std::mt19937(5));
  GraphOperator mixed = graph;
  for (Index i = 0; i < n; ++i) {
    mixed.positions[to[i]] = graph.positions[i];
    mixed.anchor[to[i]] = graph.anchor[i];
  }
  for (auto& edge : mixed.edges) edge = {to[edge.a], to[edge.b], edge.weight};
  EXPECT_EQ(iterations_of_cg(graph), iterations_of_cg(mixed));
}

void expect_same_bits_on_one_two_and_three_threads(const GraphOperator& graph) {
  GraphMultigrid multigrid;
  ASSERT_TRUE(multigrid.build(graph).ok());
  Pool one(1), two(2), three(3);
  const Vectors r = single(load(graph));
  Vectors first(r.size()), other(r.size());
  const double product = multigrid.apply(r.data(), first.data(), one);
  double expected = 0;
  for (std::size_t i = 0; i < r.size(); ++i)
    expected += double(r[i].x) * first[i].x + double(r[i].y) * first[i].y + double(r[i].z) * first[i].z;
  ASSERT_NEAR(product, expected, 1e-9 * expected);
  for (int repeat = 0; repeat < 20; ++repeat)
    for (Pool* pool : {&one, &two, &three}) {
      ASSERT_EQ(multigrid.apply(r.data(), other.data(), *pool), product) << pool->threads();
      ASSERT_EQ(std::memcmp(first.data(), other.data(), r.size() * sizeof(Float4)), 0) << pool->threads();
    }
}

TEST(GraphMultigrid, one_two_and_three_threads_give_the_same_bits) {
  for (const double ratio : {100.0, 0.01}) {
    expect_same_bits_on_one_two_and_three_threads(lattice(20, 20, 40, ratio));
    // Rows left over from groups of 4 and from lanes of 16: 1 (and of a block of 512), 2 and 14, 3 and 11.
    expect_same_bits_on_one_two_and_three_threads(lattice(11, 19, 49, ratio));
    expect_same_bits_on_one_two_and_three_threads(lattice(17, 19, 42, ratio));
    expect_same_bits_on_one_two_and_three_threads(lattice(15, 17, 37, ratio));
    expect_same_bits_on_one_two_and_three_threads(body_centred(14, 15, 16, ratio));
  }
}

TEST(GraphMultigrid, all_simd_levels_agree) {
  const SimdLevel before = simd_level();
  const GraphOperator graph = body_centred(12, 12, 12, 100);
  GraphMultigrid multigrid;
  ASSERT_TRUE(multigrid.build(graph).ok());
  Pool pool(1);
  const Points r = load(graph);
  set_simd_level(SimdLevel::portable);
  const Points portable = apply(multigrid, r, pool);
  for (SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512}) {
    set_simd_level(level);
    Points difference = apply(multigrid, r, pool);
    for (std::size_t i = 0; i < r.size(); ++i) difference[i] -= portable[i];
    EXPECT_LT(norm(difference), 1e-6 * norm(portable)) << name(level);
  }
  set_simd_level(before);
}

TEST(GraphMultigrid, apply_allocates_nothing) {
  const GraphOperator graph = lattice(16, 16, 16, 100);
  GraphMultigrid multigrid;
  ASSERT_TRUE(multigrid.build(graph).ok());
  Pool pool(2);
  Vectors r = single(load(graph));
  const std::size_t before = allocations();
  for (int repeat = 0; repeat < 3; ++repeat) multigrid.apply(r.data(), r.data(), pool);
  EXPECT_EQ(allocations(), before);
}

TEST(GraphMultigrid, reports_what_is_wrong_with_the_input_and_where) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const GraphOperator good = lattice(4, 4, 4, 1);
  const auto trouble = [&](auto change) {
    GraphOperator bad = good;
    change(bad);
    GraphMultigrid multigrid;
    return multigrid.build(bad).trouble;
  };
  for (float mass : {0.0f, -1.0f, nan, std::numeric_limits<float>::infinity()})
    EXPECT_NE(trouble([&](GraphOperator& g) { g.mass[17] = mass; }).find("node 17: mass"), std::string::npos);
  EXPECT_NE(trouble([](GraphOperator& g) { g.anchor[5] = -1; }).find("node 5: anchor"), std::string::npos);
  EXPECT_NE(trouble([](GraphOperator& g) { g.positions[6].y() = nan; }).find("node 6"), std::string::npos);
  EXPECT_NE(trouble([](GraphOperator& g) { g.edges[3].weight = nan; }).find("edge 3"), std::string::npos);
  EXPECT_NE(trouble([](GraphOperator& g) { g.edges[3].a = 64; }).find("edge 3"), std::string::npos);
  EXPECT_NE(trouble([](GraphOperator& g) { g.edges[2].a = g.edges[2].b; }).find("edge 2"), std::string::npos);
  EXPECT_FALSE(trouble([](GraphOperator& g) { g.anchor.pop_back(); }).empty());
  EXPECT_NE(trouble([](GraphOperator& g) { g.anchor[9] = 3e38f; }).find("node 9"), std::string::npos);
}

LevelGraph level_of(const GraphOperator& graph) {
  return {graph.positions,
          {graph.mass.begin(), graph.mass.end()},
          {graph.anchor.begin(), graph.anchor.end()},
          graph.edges};
}

TEST(BoxAggregates, are_the_eight_corners_of_lattice_cells) {
  const GraphOperator graph = lattice(6, 4, 8, 1);
  const LevelGraph level = level_of(graph);
  EXPECT_NEAR(mean_shortest_edge(level), 0.05, 1e-12);
  const Aggregates boxes = box_aggregates(level, Vec3::Zero(), 0.1);
  EXPECT_EQ(boxes.count, 3 * 2 * 4);
  std::vector<int> members(boxes.count, 0);
  for (Index box : boxes.of) ++members[box];
  for (int count : members) EXPECT_EQ(count, 8);
}

TEST(BoxAggregates, two_sheets_in_one_box_do_not_merge) {
  GraphOperator graph = lattice(8, 8, 1, 1);
  const GraphOperator second = graph;
  for (std::size_t i = 0; i < second.mass.size(); ++i) {
    graph.positions.push_back(second.positions[i] + Vec3(0, 0, 0.01));
    graph.mass.push_back(1);
    graph.anchor.push_back(0);
  }
  for (const auto& edge : second.edges) graph.edges.push_back({edge.a + 64, edge.b + 64, edge.weight});
  const Aggregates boxes = box_aggregates(level_of(graph), Vec3::Zero(), 0.1);
  EXPECT_EQ(boxes.count, 32);
  for (Index a = 0; a < 64; ++a)
    for (Index b = 64; b < 128; ++b) ASSERT_NE(boxes.of[a], boxes.of[b]);
}

TEST(BoxAggregates, tiny_components_join_the_most_strongly_linked_one) {
  // Nodes 0-3 in one box, 4-7 in another, node 8 alone in a third, linked weakly to the first.
  GraphOperator graph;
  for (double x : {0.0, 0.1, 0.2, 0.3, 2.0, 2.1, 2.2, 2.3, 1.5}) graph.positions.push_back(Vec3(x, 0, 0));
  graph.mass.assign(9, 1);
  graph.anchor.assign(9, 0);
  graph.edges = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {4, 5, 1}, {5, 6, 1}, {6, 7, 1}, {3, 8, 1}, {8, 4, 2}};
  const Aggregates boxes = box_aggregates(level_of(graph), Vec3::Zero(), 1.0);
  EXPECT_EQ(boxes.count, 2);
  EXPECT_EQ(boxes.of[8], boxes.of[4]);
  EXPECT_NE(boxes.of[8], boxes.of[0]);
}

TEST(BoxAggregates, nodes_without_edges_belong_to_none) {
  GraphOperator graph = lattice(2, 2, 2, 1);
  graph.positions.push_back(Vec3(0.01, 0.01, 0.01));
  graph.mass.push_back(1);
  graph.anchor.push_back(0);
  const Aggregates boxes = box_aggregates(level_of(graph), Vec3::Zero(), 0.1);
  EXPECT_EQ(boxes.count, 1);
  EXPECT_EQ(boxes.of[8], -1);
}

TEST(Coarsen, keeps_mass_and_scales_stiffness_but_not_mass) {
  GraphOperator graph = lattice(32, 32, 32, 1);
  std::fill(graph.anchor.begin(), graph.anchor.end(), 0.0f);
  const LevelGraph fine = level_of(graph);
  const LevelGraph coarse = coarsen(fine, box_aggregates(fine, Vec3::Zero(), 0.1));
  EXPECT_EQ(coarse.nodes(), 16 * 16 * 16);
  for (double mass : coarse.mass) EXPECT_EQ(mass, 8);
  // Four fine edges cross between two boxes; fine edges 31 per line, coarse edges 15 of twice the length.
  const double energy_ratio = 4.0 * 31 / (4 * 15 * 4.0);
  for (const auto& edge : coarse.edges) EXPECT_NEAR(edge.weight, 4 * 2 * std::pow(energy_ratio, 0.85), 1e-4);
}

}  // namespace graph_multigrid_test
}  // namespace pliant
