// SPDX-License-Identifier: Apache-2.0
// The factored Hessian against the Hessian in double precision, column by column.
#include "pliant/methods/geometric/factored_hessian.hpp"

#include "pliant/base/simd.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/linear_algebra.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace factored_hessian_test {

using Coefficients = FactoredHessian::Coefficients;
using Spring = LinearSystem::Spring;

/// A node is one edge from the hub; neighbours on the ring are joined, too.
Rows wheel(int spokes) {
  Rows rows;
  rows.rest = {Vec3(0, 0.1, 0)};
  for (int k = 0; k < spokes; ++k) {
    const double angle = 2 * M_PI * k / spokes;
    rows.rest.push_back(Vec3(std::cos(angle), 0.05 * (k % 3), std::sin(angle)));
    rows.edges.push_back({0, k + 1, 0});
  }
  for (int k = 1; k < spokes; ++k) rows.edges.push_back({k, k + 1, 0});
  std::sort(rows.edges.begin(), rows.edges.end(),
            [](const auto& a, const auto& b) { return std::pair(a.a, a.b) < std::pair(b.a, b.b); });
  rows.mass.assign(rows.rest.size(), 0.1);
  rows.edge_weight.assign(rows.edges.size(), 1e3);
  return rows;
}

/// Nodes in a line: no star knows a spin about it, and the ends have one edge.
Rows line(int nodes) {
  Rows rows;
  for (int i = 0; i < nodes; ++i) {
    rows.rest.push_back(Vec3(0.1 * i, 0.2 * i, -0.1 * i));
    rows.mass.push_back(0.1);
    if (i > 0) rows.edges.push_back({i - 1, i, 0}), rows.edge_weight.push_back(1e3);
  }
  return rows;
}

struct Named {
  std::string name;
  Rows rows;
};
std::vector<Named> bodies() {
  std::vector<Named> out;
  const Rows solid = jittered(lattice({3, 3, 6}, 0.05, 0.1, 1e3), 0.01);
  out.push_back({"lattice", solid});
  Rows relieved = solid;
  for (std::size_t k = 0; k < solid.edges.size(); ++k) relieved.relief.push_back(k % 3 * 0.45);
  out.push_back({"lattice with relief", relieved});
  Rows laplacian = solid;
  laplacian.laplacian_weight = 2e3;
  out.push_back({"edge and Laplacian rows", laplacian});
  out.push_back({"sheet", jittered(lattice({2, 4, 7}, 0.05, 0.1, 1e3), 0)});
  out.push_back({"hub of 50", jittered(wheel(50), 0.02)});
  out.push_back({"hub of 31", jittered(wheel(31), 0.02)});  // with its hub as many as fit at once
  out.push_back({"line", line(20)});
  out.push_back({"one edge", line(2)});
  Rows pair = line(2);
  pair.rest.push_back(Vec3(5, 0, 0));
  pair.mass.push_back(0.3);
  out.push_back({"an edge and a node alone", pair});
  return out;
}

Arrangement every_seventh_held(const Model& model, bool held) {
  std::vector<unsigned char> mask(model.rest.size(), 0);
  for (std::size_t i = 0; held && i < mask.size(); i += 7) mask[i] = 1;  // the hub, too
  return arrange(breadth_first_order(model.adjacency), mask);
}

struct Setting {
  Coefficients c{1.2, 0.8, 0.8};
  bool held = false, sprung = false, flowed = false;
};

Points flowed_vectors(const Model& model) {
  Points d = rest_vectors(model);
  const Points noise = random_points(d.size(), 0.1, 3);
  for (std::size_t k = 0; k < d.size(); ++k) d[k] += d[k].norm() * noise[k];
  return d;
}

/// H = m M + k L - t (L - H0) + springs on the free nodes; L the linear part of the forces, K less the relief, and
/// H0 of energy.hpp.
Eigen::MatrixXd dense_hessian(const Model& model, const Arrangement& a, const Rotations& rotations,
                              const Coefficients& c, std::span<const Spring> springs, RestVectors d) {
  const std::vector<Mat3> unturned(model.rest.size(), Mat3::Zero());
  Eigen::MatrixXd out(3 * a.free, 3 * a.free);
  Points p(model.rest.size(), Vec3::Zero()), product(p.size()), pull(p.size());
  for (Index column = 0; column < 3 * a.free; ++column) {
    const Index node = a.node[column / 3];
    p[node][column % 3] = 1;
    hessian_product(model, rotations, p, product, d);
    row_forces(model, p, unturned, pull, d);
    p[node].setZero();
    for (Index row = 0; row < a.free; ++row) {
      const Index i = a.node[row];
      out.block<3, 1>(3 * row, column) = c.turning * product[i] + (c.stiffness - c.turning) * pull[i];
    }
    out(column, column) += c.mass * model.mass[node];
  }
  for (const Spring& spring : springs)
    for (int x = 0; x < 3; ++x) out(3 * spring.place + x, 3 * spring.place + x) += spring.stiffness;
  return out;
}

/// Any rotations, as floats that are not quite of unit length.
Rotations turn_at_random(Sweeps& sweeps, const Arrangement& a, unsigned seed) {
  const Points axes = random_points(a.node.size(), 1, seed);
  Rotations out(a.node.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Eigen::Quaterniond q(Eigen::AngleAxisd(axes[i].norm(), axes[i].normalized()));
    const float floats[4] = {float(q.w()), float(q.x()), float(q.y()), float(q.z())};
    sweeps.set_quaternion(a.place[i], floats);
    out[i] = Eigen::Quaterniond(floats[0], floats[1], floats[2], floats[3]).normalized();
  }
  return out;
}

/// Distance of the solution from that of a dense factor, relative.
double solve_error(FactoredHessian& hessian, const Eigen::MatrixXd& dense, unsigned seed) {
  const Index free = Index(dense.rows()) / 3;
  const Points load = random_points(free, 1, seed);
  std::vector<float> g(4 * free, 99), z(4 * free, 99);
  Eigen::VectorXd right(3 * free);
  for (Index k = 0; k < 3 * free; ++k) right[k] = g[4 * (k / 3) + k % 3] = float(load[k / 3][k % 3]);
  hessian.solve(g.data(), z.data());
  const Eigen::VectorXd wanted = solve_positive(dense, right);
  Eigen::VectorXd got(3 * free);
  for (Index k = 0; k < 3 * free; ++k) got[k] = z[4 * (k / 3) + k % 3];
  for (Index k = 0; k < free; ++k) EXPECT_EQ(z[4 * k + 3], 99);  // is not its own
  return (got - wanted).norm() / wanted.norm();
}

class FactoredHessianAtEverySimdLevel : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (set_simd_level(GetParam()) != GetParam()) GTEST_SKIP() << "not on this processor";
  }
  void TearDown() override { set_simd_level(before_); }

 private:
  const SimdLevel before_ = simd_level();
};

TEST_P(FactoredHessianAtEverySimdLevel, solves_with_the_hessian_in_double_precision) {
  const std::vector<std::pair<std::string, Setting>> settings{
      {"plain", {}},
      {"held", {.held = true}},
      {"springs", {.sprung = true}},
      {"other damping of turns", {.c = {1.2, 0.9, 0.5}, .held = true}},
      {"flowed", {.flowed = true}},
      {"all of it", {.c = {0.7, 1.1, 0.9}, .held = true, .sprung = true, .flowed = true}}};
  Pool pool(2);
  for (const auto& [name, rows] : bodies()) {
    const Model model = model_of(rows);
    for (const auto& [what, setting] : settings) {
      if (setting.flowed && model.has_laplacian()) continue;  // Laplacian rows do not flow
      const Arrangement arrangement = every_seventh_held(model, setting.held);
      Sweeps sweeps;
      sweeps.arrange(model, arrangement);
      FactoredHessian hessian;
      hessian.arrange(model, arrangement);
      std::vector<Spring> springs;
      if (setting.sprung) springs = {{0, 300}, {arrangement.free - 1, 2e4}};
      if (setting.sprung && arrangement.free == 1) springs.pop_back();
      const Points d = setting.flowed ? flowed_vectors(model) : Points();
      for (unsigned seed : {1u, 2u}) {
        const Rotations rotations = turn_at_random(sweeps, arrangement, seed);
        ASSERT_TRUE(hessian.factor(model, arrangement, sweeps, setting.c, springs, d, pool)) << name << what;
        const Eigen::MatrixXd dense = dense_hessian(model, arrangement, rotations, setting.c, springs, d);
        EXPECT_LT(solve_error(hessian, dense, seed), 2e-7) << name << ", " << what;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, FactoredHessianAtEverySimdLevel,
                         testing::Values(SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(name(level.param)); });

TEST(FactoredHessian, springs_of_one_factor_are_gone_in_the_next) {
  const Model model = model_of(bodies()[0].rows);
  const Arrangement arrangement = every_seventh_held(model, true);
  Sweeps sweeps;
  sweeps.arrange(model, arrangement);
  FactoredHessian hessian;
  hessian.arrange(model, arrangement);
  const Rotations rotations = turn_at_random(sweeps, arrangement, 1);
  Pool pool(1);
  const std::vector<Spring> springs{{0, 1e5}, {5, 1e5}};
  const Coefficients c{1, 1, 1}, indefinite{-1e6, 1, 1};
  ASSERT_TRUE(hessian.factor(model, arrangement, sweeps, c, springs, {}, pool));
  ASSERT_TRUE(hessian.factor(model, arrangement, sweeps, c, {}, {}, pool));
  const Eigen::MatrixXd dense = dense_hessian(model, arrangement, rotations, c, {}, {});
  EXPECT_LT(solve_error(hessian, dense, 1), 2e-7);
  // Also where there is no factor.
  EXPECT_FALSE(hessian.factor(model, arrangement, sweeps, indefinite, springs, {}, pool));
  ASSERT_TRUE(hessian.factor(model, arrangement, sweeps, c, {}, {}, pool));
  EXPECT_LT(solve_error(hessian, dense, 1), 2e-7);
}

TEST(FactoredHessian, a_body_arranged_anew_is_factored_as_if_it_were_the_first) {
  const Model model = model_of(bodies()[0].rows);
  FactoredHessian hessian;
  Pool pool(1);
  for (bool held : {false, true, false}) {
    const Arrangement arrangement = every_seventh_held(model, held);
    Sweeps sweeps;
    sweeps.arrange(model, arrangement);
    const Rotations rotations = turn_at_random(sweeps, arrangement, 1);
    hessian.arrange(model, arrangement);
    const Coefficients c{1, 1, 1};
    ASSERT_TRUE(hessian.factor(model, arrangement, sweeps, c, {}, {}, pool));
    EXPECT_LT(solve_error(hessian, dense_hessian(model, arrangement, rotations, c, {}, {}), 1), 2e-7);
  }
}

TEST(FactoredHessian, factors_without_allocating_also_large_stars) {
  for (const Named& body : {bodies()[0], bodies()[3]}) {
    const Model model = model_of(body.rows);
    const Arrangement arrangement = every_seventh_held(model, true);
    Sweeps sweeps;
    sweeps.arrange(model, arrangement);
    FactoredHessian hessian;
    hessian.arrange(model, arrangement);
    const Points d = flowed_vectors(model);
    std::vector<float> g(4 * std::size_t(arrangement.free), 1), z = g;
    Pool pool(2);
    EXPECT_TRUE(hessian.factor(model, arrangement, sweeps, {1, 1, 1}, {}, {}, pool));  // takes its memory
    const std::size_t before = allocations();
    EXPECT_TRUE(hessian.factor(model, arrangement, sweeps, {1, 1, 1}, {}, d, pool));
    EXPECT_TRUE(hessian.factor(model, arrangement, sweeps, {1, 1, 1}, {}, {}, pool));
    hessian.solve(g.data(), z.data());
    EXPECT_EQ(allocations(), before) << body.name;
  }
}

// ---- whether it pays ----

/// A body of Young's modulus E, one end held or free, in steps of 1/60 s, with what its choice needs.
struct Choice {
  Model model;
  Arrangement arrangement;
  SymmetricMatrix stiffness;
  Coefficients c;
  FactoredHessian hessian;
  LinearSystem system;
  Pool pool{2};

  Choice(const Vec3& size, std::array<int, 3> nodes, double modulus, bool held = true)
      : model(model_of(*make_rows(make_shape(BoxShape{.size = size, .nodes = nodes}).graph, 1000,
                                  {.stiffness = modulus}))),
        stiffness(stiffness_matrix(model)) {
    std::vector<unsigned char> mask(model.rest.size(), 0);
    for (std::size_t i = 0; held && i < mask.size(); ++i) mask[i] = model.rest[i].z() < 1e-9;
    arrangement = arrange(breadth_first_order(model.adjacency), mask);
    const double h = 2.0 / 3 / 60;  // h' of BDF2
    c = {1, h * h, h * h};
    hessian.arrange(model, arrangement);
    system.choose(true);
    EXPECT_EQ(system.factor(model, stiffness, arrangement, {c.mass, c.stiffness}, true), "");
  }
  bool may_pay() const { return FactoredHessian::may_pay(model, c, system.factor_work(), arrangement.free); }
  bool pays() { return hessian.pays(model, arrangement, stiffness, c, pool); }
  double softness() { return hessian.softness(model, arrangement, stiffness, c, pool); }
};

TEST(FactoredHessian, softness_is_the_largest_eigenvalue_of_the_pencil_or_a_little_less) {
  for (double modulus : {1e5, 1e7, 1e9})
    for (bool held : {true, false}) {
      Choice beam({0.02, 0.02, 0.3}, {2, 2, 16}, modulus, held);
      const Rotations rest(beam.model.rest.size(), Eigen::Quaterniond::Identity());
      const Eigen::MatrixXd h = dense_hessian(beam.model, beam.arrangement, rest, beam.c, {}, {});
      const Eigen::MatrixXd a =
          dense_hessian(beam.model, beam.arrangement, rest, {beam.c.mass, beam.c.stiffness, 0}, {}, {});
      const double softest = pencil_eigenvalues(a, h).maxCoeff();
      EXPECT_GT(softest, modulus > 1e6 ? 100 : 5);
      EXPECT_GT(beam.softness() / softest, 0.7) << modulus << held;
      EXPECT_LT(beam.softness() / softest, 1.0001) << modulus << held;
    }
}

TEST(FactoredHessian, a_matrix_without_a_factor_has_no_softness_and_does_not_pay) {
  Choice beam({0.02, 0.02, 0.3}, {2, 2, 16}, 1e9);
  EXPECT_GT(beam.softness(), 100);
  beam.c.mass = -1e9;
  EXPECT_EQ(beam.softness(), 0);
  EXPECT_FALSE(beam.pays());
}

TEST(FactoredHessian, pays_for_a_stiff_slender_beam_and_neither_for_a_soft_one_nor_for_a_bar) {
  const Vec3 slender(0.01, 0.01, 0.6), wide(0.4, 0.4, 2);
  Choice beam(slender, {3, 3, 61}, 1e9);
  EXPECT_TRUE(beam.may_pay() && beam.pays());
  Choice stub({0.1, 0.1, 0.3}, {3, 3, 7}, 1e9);  // that it bends too little shows only when it is factored
  EXPECT_TRUE(stub.may_pay());
  EXPECT_FALSE(stub.pays());
  Choice soft(slender, {3, 3, 61}, 1e2);  // no motion can be so much softer than A
  EXPECT_FALSE(soft.may_pay());
  Choice bar(wide, {9, 9, 41}, 5e6);
  EXPECT_FALSE(bar.may_pay());
  EXPECT_FALSE(FactoredHessian::may_pay(beam.model, beam.c, 0, 0));  // nothing is free
}

TEST(FactoredHessian, the_bound_of_the_softness_is_above_it) {
  for (double modulus : {1e3, 1e5, 1e7, 1e9}) {
    Choice beam({0.02, 0.02, 0.3}, {2, 2, 16}, modulus, false);
    EXPECT_LT(beam.softness(), 1 + 24 * beam.c.stiffness * beam.model.stiffness_ratio / beam.c.mass)
        << modulus;
  }
}

TEST(FactoredHessian, takes_up_to_a_few_hundred_times_the_work_of_the_other_matrix) {
  for (const std::array<int, 3>& nodes :
       {std::array{3, 3, 61}, std::array{5, 5, 41}, std::array{2, 15, 15}}) {
    Choice body(0.01 * Vec3(nodes[0], nodes[1], nodes[2]), nodes, 1e7);
    const double ratio = body.hessian.multiply_adds() / body.system.factor_work();
    EXPECT_GT(ratio, 40) << nodes[1];
    EXPECT_LT(ratio, 260) << nodes[1];
  }
}

TEST(FactoredHessian, a_large_star_is_refused_before_it_costs_anything) {
  // A disc of spokes: A eliminates them one by one, H has them all in one dense block.
  const auto disc = [](int spokes) {
    Rows rows;
    rows.rest.push_back(Vec3::Zero());
    for (int k = 0; k < spokes; ++k)
      rows.rest.emplace_back(std::cos(2 * M_PI * k / spokes), std::sin(2 * M_PI * k / spokes), 0);
    for (int k = 0; k < spokes; ++k) rows.edges.push_back({0, k + 1});
    rows.mass.assign(rows.rest.size(), 1e-6);
    rows.edge_weight.assign(rows.edges.size(), 1e6);
    return model_of(rows);
  };
  const Coefficients c{1, 1e-4, 1e-4};
  EXPECT_TRUE(FactoredHessian::may_pay(disc(20), c, 0, 20));
  EXPECT_FALSE(FactoredHessian::may_pay(disc(3000), c, 0, 3000));
}

}  // namespace factored_hessian_test
}  // namespace pliant::geometric
