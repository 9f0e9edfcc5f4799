// SPDX-License-Identifier: Apache-2.0
// `stiffness` in pascals means what it says: energies of uniform strain, and the answers of bars that are
// stretched, bent and twisted, against the theory of an isotropic solid of Poisson's ratio 1/4.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/metric/calibration.hpp"

namespace pliant::metric {
namespace metric_pascals_test {

constexpr double young_modulus = 1e6, shear_modulus = 0.4 * young_modulus, density = 1000;

Model model_of(const Shape& shape, Options options = {}) {
  options.stiffness = young_modulus;
  Result<Model> model = make_model(shape.graph, density, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

double volume_of(const Model& model) {
  double sum = 0;
  for (const double v : model.cell_volume) sum += v;
  return sum;
}

/// Of a strain, J/m^3: lambda = mu for Poisson's ratio 1/4.
double energy_density(const Mat3& strain) {
  return shear_modulus * (strain.squaredNorm() + strain.trace() * strain.trace() / 2);
}

/// A box of 4 x 4 x 4 cells without its corner of 2 x 2 x 2, and with a single cell on its top.
Shape staircase() {
  Points nodes;
  std::vector<std::array<Index, 8>> cells;
  const auto node = [&](int i, int j, int k) {
    const Vec3 at = 0.1 * Vec3(i, j, k);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if ((nodes[n] - at).norm() < 1e-9) return Index(n);
    nodes.push_back(at);
    return Index(nodes.size() - 1);
  };
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 4; ++i) {
        if (j < 4 ? i < 2 && j < 2 && k < 2 : i != 1 || k != 2) continue;
        std::array<Index, 8> cell;
        for (int c = 0; c < 8; ++c) cell[std::size_t(c)] = node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
        cells.push_back(cell);
      }
  return shape_from_cells(nodes, cells);
}

Points displaced(const Points& rest, const Mat3& gradient) {
  Points x = rest;
  for (Vec3& p : x) p += gradient * p;
  return x;
}

TEST(MetricPascals, uniform_strain_has_the_energy_of_the_continuum_in_bodies_of_any_shape) {
  std::vector<Shape> shapes;
  for (const std::array<int, 3> nodes : {std::array{2, 2, 2}, std::array{2, 3, 4}, std::array{5, 4, 9}})
    shapes.push_back(make_shape(BoxShape{
        .size = {0.1 * (nodes[0] - 1), 0.1 * (nodes[1] - 1), 0.1 * (nodes[2] - 1)}, .nodes = nodes}));
  shapes.push_back(staircase());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> some(-1e-5, 1e-5);
  for (const Shape& shape : shapes) {
    const Model model = model_of(shape);
    for (int k = 0; k < 3; ++k) {
      Mat3 strain;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) strain(i, j) = strain(j, i) = some(random);
      const double theory = volume_of(model) * energy_density(strain);
      EXPECT_NEAR(energy(model, {}, displaced(model.rest, strain)), theory, 1e-3 * theory)
          << model.nodes() << " nodes";
    }
  }
}

TEST(MetricPascals, uniform_strain_leaves_the_nodes_inside_a_box_without_force) {
  const Model model = model_of(make_shape(BoxShape{.size = {0.6, 0.6, 0.6}, .nodes = {7, 7, 7}}));
  Mat3 strain = Mat3::Zero();
  strain.diagonal() = Vec3(1e-3, -3e-4, 2e-4);
  strain(0, 1) = strain(1, 0) = 5e-4;
  const Points x = displaced(model.rest, strain);
  Points f(x.size());
  forces(model, {}, x, f);
  double most = 0, inside = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& X = model.rest[i];
    most = std::max(most, f[i].norm());
    if (X.minCoeff() > 0.05 && X.maxCoeff() < 0.55) inside = std::max(inside, f[i].norm());
  }
  EXPECT_GT(most, 1);
  EXPECT_LT(inside, 1e-6 * most);  // shares are in single precision
}

/// A bar along x, 2 m x 0.4 m x 0.4 m, and its static answers.
class Bar {
 public:
  Bar(int cells, int along) {
    const Shape shape = make_shape(BoxShape{
        .size = {2, 0.4, 0.4}, .nodes = {along + 1, cells + 1, cells + 1}, .corner = {0, -0.2, -0.2}});
    body_ = std::make_unique<Body>(model_of(shape), Skin{shape.embedding, shape.contact}, Damping{},
                                   Options{.stiffness = young_modulus});
    for (Index i = 0; i < body_->model().nodes(); ++i) {
      const double x = body_->model().rest[std::size_t(i)].x();
      if (x < 1e-9) near_.push_back(i);
      if (x > 2 - 1e-9) far_.push_back(i);
    }
  }

  /// Rest with the near end held, and the far one led by `to`, where it is given.
  void settle(const Vec3& gravity, const std::function<Vec3(const Vec3&)>& to = {}) {
    std::vector<Index> held = near_;
    if (to) held.insert(held.end(), far_.begin(), far_.end());
    std::sort(held.begin(), held.end());
    Points targets;
    for (const Index i : held) {
      const Vec3& X = body_->model().rest[std::size_t(i)];
      targets.push_back(to && X.x() > 1 ? to(X) : X);
    }
    StepInput input;
    input.gravity = gravity, input.held = held, input.targets = targets, input.pool = &pool_;
    RelaxMemory memory;
    Relaxation now;
    for (int k = 0; k < 100; ++k) {
      now = body_->relax(input, 1e-4, memory);
      ASSERT_EQ(now.trouble, "");
      if (now.residual <= 1e-4) return;
    }
    FAIL() << "residual " << now.residual;
  }
  /// What holds the far end.
  void reaction(Vec3& force, Vec3& torque) const {
    Points f(body_->nodes().x.size());
    body_->elastic_forces(f);
    force.setZero(), torque.setZero();
    for (const Index i : far_) force -= f[i], torque -= body_->nodes().x[i].cross(f[i]);
  }
  double sag() const {
    double sum = 0;
    for (const Index i : far_) sum -= body_->nodes().x[i].y() - body_->model().rest[i].y();
    return sum / double(far_.size());
  }

 private:
  std::unique_ptr<Body> body_;
  std::vector<Index> near_, far_;
  Pool pool_{1};
};

TEST(MetricPascals, a_stretched_bar_pulls_with_the_force_of_its_section) {
  for (const int cells : {2, 4}) {
    Bar bar(cells, 5 * cells);
    bar.settle({0, 0, 0}, [](const Vec3& X) { return Vec3(X + Vec3(0.02, 0, 0)); });
    Vec3 force, torque;
    bar.reaction(force, torque);
    // Green's strain: (1 + e)(1 + e/2); ends that cannot shrink add two per cent
    const double theory = young_modulus * 0.16 * 0.01 * 1.01 * 1.005;
    EXPECT_NEAR(force.x() / theory, 1, 0.05) << cells;
  }
}

TEST(MetricPascals, a_beam_sags_as_timoshenko_says) {
  for (const int cells : {2, 4}) {
    Bar bar(cells, 5 * cells);
    const double gravity = 0.1, load = density * 0.16 * gravity, inertia = std::pow(0.4, 4) / 12;
    bar.settle({0, -gravity, 0});
    const double theory =
        load * 16 / (8 * young_modulus * inertia) + load * 4 / (2 * (5.0 / 6) * shear_modulus * 0.16);
    EXPECT_NEAR(theory / bar.sag(), 1, 0.1) << cells;
  }
}

TEST(MetricPascals, a_twisted_bar_resists_as_saint_venant_says) {
  Bar bar(4, 20);
  const double angle = 0.02;
  bar.settle({0, 0, 0}, [&](const Vec3& X) { return Vec3(Eigen::AngleAxisd(angle, Vec3::UnitX()) * X); });
  Vec3 force, torque;
  bar.reaction(force, torque);
  EXPECT_NEAR(torque.x() / (shear_modulus * 0.1406 * std::pow(0.4, 4) * angle / 2), 1, 0.15);
}

TEST(MetricPascals, cells_that_are_no_cubes_have_the_modulus_along_every_axis) {
  for (const Vec3& h :
       {Vec3(0.2, 0.1, 0.1), Vec3(0.05, 0.1, 0.1), Vec3(0.1, 0.13, 0.16), Vec3(0.3, 0.1, 0.02)}) {
    const SetStrengths eta = set_strengths({.stiffness = young_modulus}, h);
    const Vec3 h2 = h.cwiseAbs2();
    Mat3 c;
    const auto face = [&](int i, int j) {
      return eta.face[std::size_t(i + j - 1)] * 4 * h2[i] * h2[j] / std::pow(h2[i] + h2[j], 2) / h.prod();
    };
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      c(i, j) = face(i, j), c(i, k) = face(i, k);
      c(i, i) = 2 * (eta.length[std::size_t(i)] + eta.pillar[std::size_t(i)]) / h.prod() +
                h2[i] * (c(i, j) / h2[j] + c(i, k) / h2[k]);
      EXPECT_GT(eta.length[std::size_t(i)], 0);
      EXPECT_GT(c(i, j), 0);
    }
    const Mat3 inverse = c.inverse();
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(1 / inverse(i, i), young_modulus, 0.02 * young_modulus) << h.transpose();
  }
}

}  // namespace metric_pascals_test
}  // namespace pliant::metric
