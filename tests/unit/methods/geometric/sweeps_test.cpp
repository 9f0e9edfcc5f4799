// SPDX-License-Identifier: Apache-2.0
// The single-precision sweeps against the energy in double precision, at every SIMD level.
#include "pliant/methods/geometric/sweeps.hpp"

#include "pliant/base/simd.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace sweeps_test {

struct Named {
  std::string name;
  Model model;
};

std::vector<Named> models() {
  std::vector<Named> out;
  Rows rows = jittered(lattice({4, 5, 9}, 0.05, 0.1, 1e5), 0.01);
  out.push_back({"edge", model_of(rows)});
  Rows relieved = rows;
  for (std::size_t k = 0; k < rows.edges.size(); ++k) relieved.relief.push_back(k % 3 * 0.45);
  out.push_back({"edge with relief", model_of(relieved)});
  rows.laplacian_weight = 2e5;
  out.push_back({"edge and Laplacian", model_of(rows)});
  rows.covariance = Covariance::paper;
  out.push_back({"paper", model_of(rows)});
  const auto add = [&](const char* name, const Shape& shape) {
    Options options;
    options.weights = Weights::calibrated;
    out.push_back({name, model_of(*make_rows(shape.graph, 1000, options))});
  };
  add("ellipsoid", make_shape(EllipsoidShape{.radii = {0.5, 0.3, 0.4}, .nodes = 9}));
  add("cylinder", make_shape(CylinderShape{.nodes = {7, 9}}));
  add("torus", make_shape(TorusShape{.nodes = {5, 24}}));
  add("sheet", make_shape(SheetShape{.nodes = {9, 9}}));
  const auto add_surface = [&](const char* name, Options options) {
    const Shape shape = on_surface(make_shape(TorusShape{.nodes = {5, 24}}), 0.05);
    out.push_back({name, model_of(*make_surface_rows(shape.graph, 1000, options))});
  };
  add_surface("shell", {.op = Operator::edge, .bending = 0.5});
  add_surface("surface of a solid", {.op = Operator::cotangent});
  add_surface("both kinds of rows and a second ring", {.op = Operator::mixed, .laplacian = 3, .bending = 1});
  Rows chain;  // collinear stars: the spin of a node is free
  for (int i = 0; i < 20; ++i) {
    chain.rest.push_back(Vec3(0.1 * i, 0, 0));
    chain.mass.push_back(1);
    if (i > 0) chain.edges.push_back({i - 1, i, 0}), chain.edge_weight.push_back(1e3);
  }
  out.push_back({"chain", model_of(chain)});
  return out;
}

class SweepsAtEverySimdLevel : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (set_simd_level(GetParam()) != GetParam()) GTEST_SKIP() << "not on this processor";
  }
  void TearDown() override { set_simd_level(before_); }

  Pool pool{1};

 private:
  const SimdLevel before_ = simd_level();
};

Arrangement every_third_held(const Model& model) {
  std::vector<unsigned char> held(model.rest.size(), 0);
  for (std::size_t i = 0; i < held.size(); i += 3) held[i] = 1;
  return arrange(breadth_first_order(model.adjacency), held);
}

Doubles positions(const Sweeps& sweeps, const Arrangement& arrangement, const Points& x) {
  Doubles out(4 * std::size_t(sweeps.padded()), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) out[4 * std::size_t(arrangement.place[i]) + c] = x[i][c];
  return out;
}

double relative_error(const Arrangement& arrangement, const Floats& got, const Points& wanted) {
  double error = 0, size = 0;
  for (Index k = 0; k < arrangement.free; ++k) {
    const Vec3& w = wanted[arrangement.node[k]];
    error += (Vec3(got[4 * k], got[4 * k + 1], got[4 * k + 2]) - w).squaredNorm();
    size += w.squaredNorm();
  }
  return std::sqrt(error / size);
}

TEST_P(SweepsAtEverySimdLevel, the_gradient_equals_that_in_double_precision) {
  for (const auto& [name, model] : models()) {
    const Arrangement arrangement = every_third_held(model);
    Sweeps sweeps;
    sweeps.arrange(model, arrangement);
    Points x = deformed(model.rest, 0.3);
    for (Vec3& p : x) p += Vec3(100, -200, 50);  // far from the origin nothing is lost
    Points wanted(x.size());
    gradient(model, x, rotations_at(model, x), wanted);
    Floats got(4 * std::size_t(sweeps.padded()), 0), base = got, u = got, mass(got.size(), 2.0f);
    const Doubles places = positions(sweeps, arrangement, x);
    for (int again = 0; again < 3; ++again) sweeps.rotate(places.data(), pool);
    sweeps.gradient(places.data(), 1, true, {.out = got.data()}, pool);
    EXPECT_LT(relative_error(arrangement, got, wanted), 2e-5) << name;
    for (float w : got) ASSERT_TRUE(std::isfinite(w));

    // base + diagonal u + scale g, and the product with u.
    double product = 0;
    for (Index k = 0; k < arrangement.free; ++k)
      for (int c = 0; c < 3; ++c) base[4 * k + c] = float(c + 1), u[4 * k + c] = float(k % 5);
    const double dot = sweeps.gradient(
        places.data(), 0.5f, false,
        {.base = base.data(), .diagonal = mass.data(), .u = u.data(), .out = got.data()}, pool);
    for (Index k = 0; k < arrangement.free; ++k)
      for (int c = 0; c < 3; ++c) {
        wanted[arrangement.node[k]][c] = 0.5 * wanted[arrangement.node[k]][c] + c + 1 + 2 * (k % 5);
        product += got[4 * k + c] * double(u[4 * k + c]);
      }
    EXPECT_LT(relative_error(arrangement, got, wanted), 2e-5) << name;
    EXPECT_NEAR(dot / product, 1, 1e-9) << name;
  }
}

TEST_P(SweepsAtEverySimdLevel, rotations_equal_those_in_double_precision) {
  for (const auto& [name, model] : models()) {
    if (name == "chain") continue;  // spin about the chain is arbitrary
    const Arrangement arrangement = every_third_held(model);
    Sweeps sweeps;
    sweeps.arrange(model, arrangement);
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.3, Vec3(1, -2, 3).normalized()));
    Points x = model.rest;
    for (Vec3& p : x) p = turn * p;
    const Doubles places = positions(sweeps, arrangement, x);
    sweeps.rotate(places.data(), pool);
    sweeps.rotate(places.data(), pool);
    for (Index i = 0; i < model.nodes(); ++i) {
      float q[4];
      sweeps.quaternion(arrangement.place[i], q);
      const Mat3 r = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
      // One row dominates the stars of a solid by its surface: two of three axes hang on the weak edge rows.
      const double tolerance = name == "surface of a solid" ? 1e-5 : 2e-6;
      ASSERT_LT((r - turn.toRotationMatrix()).cwiseAbs().maxCoeff(), tolerance) << name;
    }
  }
}

TEST_P(SweepsAtEverySimdLevel, the_hessian_product_equals_that_in_double_precision) {
  for (const auto& [name, model] : models()) {
    const Arrangement arrangement = every_third_held(model);
    Sweeps sweeps;
    sweeps.arrange(model, arrangement);
    const Points x = deformed(model.rest, 0.3);
    const Doubles places = positions(sweeps, arrangement, x);
    for (int again = 0; again < 3; ++again) sweeps.rotate(places.data(), pool);
    Points p = random_points(x.size(), 1, 8), wanted(p.size());
    Floats direction(4 * std::size_t(sweeps.padded()), 0), got = direction;
    for (Index k = 0; k < model.nodes(); ++k) {
      Vec3& v = p[arrangement.node[k]];
      v = v.cast<float>().cast<double>();
      for (int c = 0; c < 3; ++c) direction[4 * k + c] = float(v[c]);
    }
    Rotations rotations(x.size());
    for (Index i = 0; i < model.nodes(); ++i) {
      float q[4];
      sweeps.quaternion(arrangement.place[i], q);
      rotations[i] = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
    }
    hessian_product(model, rotations, p, wanted);
    sweeps.product(direction.data(), 1, 1, {.out = got.data()}, pool);
    EXPECT_LT(relative_error(arrangement, got, wanted), 2e-6) << name;
    sweeps.product(direction.data(), 0.25f, 0.25f, {.out = got.data()}, pool);
    for (Vec3& w : wanted) w *= 0.25;
    EXPECT_LT(relative_error(arrangement, got, wanted), 2e-6) << name;
  }
}

TEST_P(SweepsAtEverySimdLevel, turns_add_up_and_the_largest_is_found) {
  const Model model = models()[0].model;
  const Arrangement arrangement = every_third_held(model);
  Sweeps sweeps;
  sweeps.arrange(model, arrangement);
  Doubles places = positions(sweeps, arrangement, model.rest);
  sweeps.rotate(places.data(), pool);
  Floats spin(4 * std::size_t(sweeps.padded()), 0), ignored = spin;
  for (Index k = 0; k < model.nodes(); ++k) {
    const Vec3 v = Vec3(0.1, 0.2, -0.2).cross(model.rest[arrangement.node[k]]);
    for (int c = 0; c < 3; ++c) spin[4 * k + c] = float(v[c]);
  }
  sweeps.clear_turns();
  sweeps.product(spin.data(), 1, 1, {.out = ignored.data()}, pool);
  sweeps.add_turn(1.5);
  sweeps.add_turn(0.5);
  EXPECT_NEAR(sweeps.largest_turn(), 0.6, 1e-5);  // every star turns by the rotation of the whole
  for (int more = 1; more <= 2; ++more) {         // what was noted is done by the next product
    sweeps.product(spin.data(), 1, 1, {.out = ignored.data()}, pool);
    sweeps.add_turn(0.25);
    EXPECT_NEAR(sweeps.largest_turn(), 0.6 + 0.075 * more, 1e-5);
  }
  sweeps.product(spin.data(), 1, 1, {.out = ignored.data()}, pool);
  EXPECT_NEAR(sweeps.largest_turn(), 0.75, 1e-5);
  sweeps.clear_turns();
  EXPECT_EQ(sweeps.largest_turn(), 0);
}

INSTANTIATE_TEST_SUITE_P(Levels, SweepsAtEverySimdLevel,
                         testing::Values(SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(name(level.param)); });

/// One layer held, so that the order has a long free part and a held end.
Arrangement one_end_held(const Model& model) {
  std::vector<unsigned char> held(model.rest.size(), 0);
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = model.rest[i].z() < 1e-9;
  return arrange(breadth_first_order(model.adjacency), held);
}

TEST(SweepsOfManyBlocks, equal_the_gradient_in_double_precision_with_the_same_bits_for_any_threads) {
  const Model model = model_of(lattice({9, 9, 61}, 0.05, 0.1, 1e5));
  const Arrangement arrangement = one_end_held(model);
  const Points x = deformed(model.rest, 0.3);
  Points wanted(x.size());
  gradient(model, x, rotations_at(model, x), wanted);
  Floats first;
  for (int threads : {1, 2, 3, 7}) {
    Pool pool(threads);
    Sweeps sweeps;
    sweeps.arrange(model, arrangement);
    const Doubles places = positions(sweeps, arrangement, x);
    for (int again = 0; again < 3; ++again) sweeps.rotate(places.data(), pool);
    Floats got(4 * std::size_t(sweeps.padded()), 0);
    sweeps.gradient(places.data(), 1, true, {.out = got.data()}, pool);
    EXPECT_LT(relative_error(arrangement, got, wanted), 2e-5);
    if (first.empty()) first = got;
    EXPECT_EQ(first, got) << threads;
  }
}

TEST(Arrangement, keeps_neighbours_near_and_puts_held_nodes_last) {
  const Model model = models()[0].model;
  const Arrangement arrangement = every_third_held(model);
  EXPECT_EQ(arrangement.free, model.nodes() - (model.nodes() + 2) / 3);
  std::vector<int> seen(model.rest.size(), 0);
  for (Index k = 0; k < model.nodes(); ++k) {
    const Index i = arrangement.node[k];
    ++seen[i];
    EXPECT_EQ(arrangement.place[i], k);
    EXPECT_EQ(i % 3 == 0, k >= arrangement.free);
  }
  for (int count : seen) EXPECT_EQ(count, 1);
  const std::vector<Index> order = breadth_first_order(model.adjacency);
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = Index(k);
  for (const auto& e : model.edges) EXPECT_LT(std::abs(place[e.a] - place[e.b]), 2 * 4 * 5 + 5);
}

}  // namespace sweeps_test
}  // namespace pliant::geometric
