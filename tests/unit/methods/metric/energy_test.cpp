// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/energy.hpp"

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/metric/calibration.hpp"
#include "pliant/methods/metric/cell_volume.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace energy_test {

std::vector<Options> models() {
  return {with_strength(),
          with_strength(1, {.squared = false}),
          with_strength(1, {.pillar_diagonal = 1}),
          with_strength(1, {.pillar_diagonal = 1, .squared = false}),
          with_strength(1, {.model = Kind::original}),
          with_strength(1, {.orientation = 0})};
}

TEST(MetricEnergy, forces_are_minus_its_gradient) {
  for (const Options& options : models()) {
    const Model model = lattice_model({4, 4, 4}, options);
    for (const double sigma : {0.1, 0.5}) {  // the second turns cells inside out
      Points x = shaken(model.rest, sigma, 3), f(x.size());
      forces(model, {}, x, f);
      double scale = 0, worst = 0;
      for (const Vec3& p : f) scale = std::max(scale, p.cwiseAbs().maxCoeff());
      for (const Index i : {0, 5, 21, 42, 63})
        for (int c = 0; c < 3; ++c) {
          const double s = 1e-5, at = x[i][c];
          x[i][c] = at + s;
          const double up = energy(model, {}, x);
          x[i][c] = at - s;
          const double down = energy(model, {}, x);
          x[i][c] = at;
          worst = std::max(worst, std::abs((up - down) / (2 * s) + f[i][c]));
        }
      EXPECT_LT(worst, (sigma < 0.2 ? 1e-8 : 1e-6) * scale);
    }
  }
}

TEST(MetricEnergy, forces_have_no_resultant_and_no_torque) {
  for (const Options& options : models()) {
    const Model model = lattice_model({4, 4, 4}, options);
    const Points x = shaken(model.rest, 0.4, 5);
    Points f(x.size());
    forces(model, {}, x, f);
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    double scale = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += f[i], torque += x[i].cross(f[i]), scale += f[i].norm();
    EXPECT_LT(sum.norm(), 1e-12 * scale);
    EXPECT_LT(torque.norm(), 1e-12 * scale * 10);
  }
}

TEST(MetricEnergy, turning_moving_and_mirroring_cost_nothing_but_mirroring_meets_the_orientation_term) {
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  for (const Options& options : models()) {
    const Model model = lattice_model({4, 4, 4}, options);
    const Points x = shaken(model.rest, 0.05, 2);
    Points moved = x, mirrored = x, rest = model.rest, f(x.size());
    for (Vec3& p : moved) p = turn * p + Vec3(3, -5, 1);
    for (Vec3& p : mirrored) p.x() = -p.x();
    for (Vec3& p : rest) p = turn * p + Vec3(3, -5, 1);
    const double here = energy(model, {}, x);
    EXPECT_NEAR(energy(model, {}, moved), here, 1e-9 * here);
    forces(model, {}, rest, f);
    for (const Vec3& p : f) EXPECT_LT(p.norm(), 1e-10);
    if (model.orientation > 0)
      EXPECT_GT(energy(model, {}, mirrored), here + 0.5 * model.orientation * 27);
    else
      EXPECT_NEAR(energy(model, {}, mirrored), here, 1e-9 * here);
  }
}

/// K of e = K r, a graph Laplacian: the same for x, y and z.
Eigen::MatrixXd matrix(const Model& model, const Points& x) {
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(model.nodes(), model.nodes());
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t) {
    const double s = (x[b] - x[a]).squaredNorm() * ih2 - 1, w = ih2 * eta * (squared ? s * std::abs(s) : s);
    k(a, a) += w, k(b, b) += w, k(a, b) -= w, k(b, a) -= w;
  });
  return k;
}

TEST(MetricEnergy, its_matrix_is_a_laplacian_that_vanishes_at_rest_and_is_negative_under_pressure) {
  const Model model = lattice_model({4, 4, 4}, with_strength(1, {.orientation = 0}));
  EXPECT_EQ(matrix(model, model.rest).norm(), 0);
  const Points x = shaken(model.rest, 0.2, 7);
  const Eigen::MatrixXd k = matrix(model, x);
  EXPECT_EQ((k - k.transpose()).norm(), 0);
  EXPECT_LT((k * Eigen::VectorXd::Ones(k.rows())).norm(), 1e-11 * k.norm());
  Points f(x.size());
  forces(model, {}, x, f);
  Eigen::MatrixXd r(k.rows(), 3);
  for (Index i = 0; i < model.nodes(); ++i) r.row(i) = x[i];
  const Eigen::MatrixXd e = k * r;
  for (Index i = 0; i < model.nodes(); ++i) EXPECT_LT((f[i] + Vec3(e.row(i))).norm(), 1e-9);
  const auto eigenvalues = [&](double stretch) {
    Points y = model.rest;
    for (Vec3& p : y) p *= stretch;
    return dense_eigenvalues(matrix(model, y));
  };
  EXPECT_GT(eigenvalues(1.1).minCoeff(), -1e-10);
  EXPECT_LT(eigenvalues(0.9).maxCoeff(), 1e-10);
}

TEST(MetricEnergy, a_flat_layer_of_cells_feels_nothing_off_its_plane_without_the_orientation_term) {
  for (const double orientation : {0.0, 2.0}) {
    const Model model = lattice_model({4, 2, 4}, with_strength(1, {.orientation = orientation}));
    Points x = shaken(model.rest, 0.1, 4), f(x.size());
    for (Vec3& p : x) p.y() = 0;
    forces(model, {}, x, f);
    double most = 0;
    for (const Vec3& p : f) most = std::max(most, std::abs(p.y()));
    if (orientation == 0)
      EXPECT_EQ(most, 0);
    else
      EXPECT_GT(most, 10);
  }
}

TEST(MetricEnergy, cell_volumes_and_their_gradients_agree) {
  const Model model = lattice_model({2, 2, 2}, with_strength(), {1, 2, 0.5});
  EXPECT_NEAR(model.cell_volume[0], 1, 1e-14);
  Points x = shaken(model.rest, 0.3, 8);
  std::array<Vec3, 8> gradient;
  const double volume = signed_volume(model.cells[0], x, gradient);
  EXPECT_NEAR(volume, signed_volume(model.cells[0], x), 1e-14);
  for (int corner = 0; corner < 8; ++corner)
    for (int c = 0; c < 3; ++c) {
      double& at = x[model.cells[0][corner]][c];
      const double s = 1e-6, before = at;
      at = before + s;
      const double up = signed_volume(model.cells[0], x);
      at = before - s;
      const double down = signed_volume(model.cells[0], x);
      at = before;
      EXPECT_NEAR((up - down) / (2 * s), gradient[corner][c], 1e-8);
    }
}

/// Energy of uniform strain per cell of an endless lattice: every node has all its forward constraints.
double energy_density(const Options& options, const Mat3& gradient) {
  constexpr int n = 5;  // the middle node of a box that holds all constraints of two cells
  const Model model = lattice_model({n, n, n}, options);
  const Vec3 middle(2, 2, 2);
  Points x = model.rest;
  for (Vec3& p : x) p = gradient * p;
  double sum = 0;
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t) {
    if (model.rest[a] != middle && model.rest[b] != middle) return;
    const double s = (x[b] - x[a]).squaredNorm() * ih2 - 1;
    sum += 0.5 * (squared ? eta * s * s * std::abs(s) / 6 : eta * s * s / 4);
  });
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    if (model.rest[o] != middle) return;
    const double g = (x[a] - x[o]).dot(x[b] - x[o]) * ihh;
    sum += eta * g * g / 2;
  });
  return sum;
}

TEST(MetricEnergy, the_moduli_are_those_that_the_calibration_says) {
  for (Options options : models()) {
    options.strength = not_given;
    options.stiffness = 1234;
    const CubicModuli unit = moduli(options);
    const double scale = 1234 / young(unit), e = 1e-5;
    Mat3 pull = Mat3::Identity(), both = pull, shear = pull;
    pull(0, 0) += e;
    both(0, 0) += e, both(1, 1) += e;
    shear(0, 1) += e;
    const double c11 = 2 * energy_density(options, pull) / (e * e);
    const double c12 = (energy_density(options, both) - c11 * e * e) / (e * e);
    const double c44 = 2 * energy_density(options, shear) / (e * e);
    EXPECT_NEAR(c11, scale * unit.c11, 1e-3 * c11);
    EXPECT_NEAR(c12, scale * unit.c12, 1e-3 * c11);
    EXPECT_NEAR(c44, scale * unit.c44, 1e-3 * c11);
    EXPECT_NEAR((c11 - c12) * (c11 + 2 * c12) / (c11 + c12), 1234, 2);
  }
}

}  // namespace energy_test
}  // namespace pliant::metric
