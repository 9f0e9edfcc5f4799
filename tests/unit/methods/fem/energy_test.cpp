// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/energy.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/fem/assembly.hpp"
#include "pliant/methods/fem/build.hpp"

namespace pliant::fem {
namespace energy_test {

Model model_of(const Shape& shape, const Options& options = {}) {
  auto model = make_model(shape, 1000, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

Shape block() { return make_shape(BoxShape{.size = {0.6, 0.6, 0.6}, .nodes = {4, 4, 4}}); }
Rotations unturned(const Model& model) {
  return Rotations(model.weight.size(), Eigen::Quaterniond::Identity());
}

Points random_points(std::size_t count, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, scale);
  Points out(count);
  for (Vec3& p : out) p = Vec3(normal(random), normal(random), normal(random));
  return out;
}

TEST(FemModel, the_tetrahedra_fill_every_shape_exactly_once) {
  for (const Shape& shape : {block(), make_shape(EllipsoidShape{}), make_shape(TorusShape{})}) {
    const Model model = model_of(shape);
    const double sum = std::accumulate(model.weight.begin(), model.weight.end(), 0.0);
    EXPECT_NEAR(sum / std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0), 1, 1e-12);
    EXPECT_EQ(model.weight.size(), 10 * shape.graph.cells.size());
  }
}

TEST(FemModel, a_shape_without_cells_is_refused_and_the_way_out_is_named) {
  const auto body = build(make_shape(SheetShape{}), 1000, {}, {});
  ASSERT_FALSE(body);
  ASSERT_EQ(body.error().problems.size(), 1u);
  EXPECT_EQ(body.error().problems[0].place, "method");
  EXPECT_NE(body.error().problems[0].hint.find("geometric"), std::string::npos);
}

TEST(FemModel, a_cell_inside_out_is_refused) {
  Shape shape = block();
  shape.graph.positions[0] = {0.55, 0.55, 0.55};
  EXPECT_FALSE(build(shape, 1000, {}, {}));
}

TEST(FemEnergy, a_stretch_costs_what_linear_elasticity_says) {
  const Shape shape = block();
  for (Material material : {Material::corotational, Material::linear}) {
    const Model model = model_of(shape, {.model = material, .stiffness = 2e5, .poisson = 0.25});
    EXPECT_NEAR(model.mu, 0.8e5, 1e-6);
    EXPECT_NEAR(model.lambda, 0.8e5, 1e-6);
    Points x = model.rest;
    for (Vec3& p : x) p.x() *= 1.1;
    EXPECT_NEAR(energy(model, x, unturned(model)), 0.216 * 1.5 * 0.8e5 * 0.01, 1e-9);
  }
}

TEST(FemEnergy, mirrored_deformations_cost_the_same_because_no_diagonal_is_preferred) {
  const Model model = model_of(block());
  const Points noise = random_points(model.rest.size(), 0.03, 4);
  const auto at = [](int i, int j, int k) { return std::size_t(i + 4 * (j + 4 * k)); };
  ASSERT_NEAR((model.rest[at(1, 2, 3)] - Vec3(0.2, 0.4, 0.6)).norm(), 0, 1e-12);
  Points x = model.rest, mirrored = model.rest;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        const Vec3 u = noise[at(i, j, k)];
        x[at(i, j, k)] += u;
        mirrored[at(3 - i, j, k)] += Vec3(-u.x(), u.y(), u.z());
      }
  const double one = energy(model, x, unturned(model)), other = energy(model, mirrored, unturned(model));
  EXPECT_GT(one, 1);
  EXPECT_NEAR(other / one, 1, 1e-12);
}

TEST(FemEnergy, the_force_is_the_exact_gradient_even_where_most_elements_are_inside_out) {
  const Model model = model_of(block(), {.poisson = 0.35});
  const Points x = random_points(model.rest.size(), 0.3, 1);
  int inverted = 0;
  for (Index e = 0; e < model.elements(); ++e)
    inverted += deformation_gradient(model.element(e), x).determinant() < 0;
  ASSERT_GT(inverted, model.elements() / 4);
  Rotations rotations = unturned(model);
  for (std::size_t e = 0; e < rotations.size(); ++e)
    rotations[e] = rotation(model, Index(e), deformation_gradient(model.element(Index(e)), x), rotations[e]);
  Points g(x.size());
  gradient(model, x, rotations, g);
  for (unsigned round = 0; round < 3; ++round) {
    const Points direction = random_points(x.size(), 1, 10 + round);
    double slope = 0;
    for (std::size_t i = 0; i < x.size(); ++i) slope += g[i].dot(direction[i]);
    const auto energy_at = [&](double s) {
      Points y = x;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += s * direction[i];
      return energy(model, y, rotations);
    };
    EXPECT_NEAR((energy_at(1e-6) - energy_at(-1e-6)) / 2e-6 / slope, 1, 1e-6);
  }
}

TEST(FemEnergy, turning_costs_nothing_corotated_and_much_in_the_linear_model) {
  const Shape shape = block();
  const Mat3 turn = Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  Points x = shape.graph.positions;
  for (Vec3& p : x) p = turn * p;
  const Model good = model_of(shape), naive = model_of(shape, {.model = Material::linear});
  EXPECT_LT(energy(good, x, unturned(good)), 1e-12);
  EXPECT_GT(energy(naive, x, unturned(naive)), 1000);
}

/// K' p by the assembled blocks.
Points product(const Model& model, const Points& x, const Points& p) {
  Assembly assembly;
  BlockGradients matrix;
  Pool pool(2);
  Rotations rotations = unturned(model);
  assembly.arrange(model, std::vector<unsigned char>(x.size(), 0), matrix);
  assembly.visit(model, x, p, 0, rotations, pool);
  assembly.gather_blocks(model, 1, matrix, pool);
  Points out(x.size(), Vec3::Zero());
  for (Index i = 0; i < Index(x.size()); ++i)
    for (Index k = matrix.pattern().begin[i]; k < matrix.pattern().begin[i + 1]; ++k)
      out[i] += Eigen::Map<const Mat3>(matrix.block(k)) * p[matrix.pattern().column[k]];
  return out;
}

/// dg/dx p by central differences.
Points difference(const Model& model, const Points& x, const Points& p) {
  Points ahead(x.size()), behind(x.size()), y = x;
  const double s = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + s * p[i];
  gradient(model, y, unturned(model), ahead);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] - s * p[i];
  gradient(model, y, unturned(model), behind);
  for (std::size_t i = 0; i < x.size(); ++i) ahead[i] = (ahead[i] - behind[i]) / (2 * s);
  return ahead;
}

double distance(const Points& a, const Points& b) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) error += (a[i] - b[i]).squaredNorm(), size += b[i].squaredNorm();
  return std::sqrt(error / size);
}

TEST(FemMatrix, is_the_derivative_of_the_force_at_rest_turned_or_not) {
  const Model model = model_of(block(), {.poisson = 0.35});
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, -2, 3).normalized()).toRotationMatrix();
  Points turned = model.rest;
  for (Vec3& p : turned) p = turn * p;
  const Points p = random_points(model.rest.size(), 1, 3);
  EXPECT_LT(distance(product(model, model.rest, p), difference(model, model.rest, p)), 1e-6);
  EXPECT_LT(distance(product(model, turned, p), difference(model, turned, p)), 1e-6);
}

TEST(FemMatrix, of_the_linear_model_is_the_derivative_everywhere) {
  const Model model = model_of(block(), {.model = Material::linear, .poisson = 0.35});
  const Points x = random_points(model.rest.size(), 0.3, 1), p = random_points(model.rest.size(), 1, 3);
  EXPECT_LT(distance(product(model, x, p), difference(model, x, p)), 1e-7);
}

TEST(FemMatrix, is_never_negative) {
  const Model model = model_of(block(), {.poisson = 0.35});
  const Points x = random_points(model.rest.size(), 0.3, 1);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Points p = random_points(x.size(), 1, seed), kp = product(model, x, p);
    double curvature = 0;
    for (std::size_t i = 0; i < x.size(); ++i) curvature += p[i].dot(kp[i]);
    EXPECT_GT(curvature, 0);
  }
}

}  // namespace energy_test
}  // namespace pliant::fem
