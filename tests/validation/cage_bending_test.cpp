// SPDX-License-Identifier: Apache-2.0
// Caged bars bend too stiffly, by how much the note of a run says: by the cage's cells, and in the limit of many by
// functions that are harmonic where elastic displacements are not (methods/cage/note_bending.hpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <complex>

#include "pliant/methods/cage/note_bending.hpp"
#include "tests/support/cantilever.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {
namespace cage_bending_test {

/// Strains xx, yy, zz and sqrt(2) xy at the points of a section.
using Strains = Eigen::Matrix<double, 4, Eigen::Dynamic>;

/// The least energy of a bar of thickness 2 (y) bent with curvature 1 about x, over E I/2, if each coordinate of its
/// displacement is harmonic: u_x any sum of Im (x + iy)^n, u_y = (z^2 - y^2)/2 and any sum of Re (x + iy)^n, n even,
/// u_z = -y z.
double least_harmonic_energy(double width, double nu) {
  constexpr int grid = 60, degree = 8;
  const double mu = 1 / (2 * (1 + nu)), lambda = nu / ((1 + nu) * (1 - 2 * nu));
  std::vector<Strains> functions(degree, Strains::Zero(4, grid * grid));
  Strains given = Strains::Zero(4, grid * grid);
  double inertia = 0;
  for (int k = 0; k < grid * grid; ++k) {
    const double x = width * (2 * (k % grid + 0.5) / grid - 1), y = 2 * (k / grid + 0.5) / grid - 1;
    const std::complex<double> z(x, y);
    for (int m = 0; m < degree / 2; ++m) {
      const int n = 2 * m + 2;
      const std::complex<double> slope = double(n) * std::pow(z / std::max(width, 1.0), n - 1);
      functions[2 * m].col(k) << slope.imag(), 0, 0, slope.real() / std::sqrt(2);
      functions[2 * m + 1].col(k) << 0, -slope.imag(), 0, slope.real() / std::sqrt(2);
    }
    given.col(k) << 0, -y, -y, 0;
    inertia += y * y;
  }
  const auto energy = [&](const Strains& a, const Strains& b) {
    return 2 * mu * (a.array() * b.array()).sum() +
           lambda * (a.topRows(3).colwise().sum().array() * b.topRows(3).colwise().sum().array()).sum();
  };
  Eigen::MatrixXd matrix(degree, degree);
  Eigen::VectorXd right(degree);
  for (int i = 0; i < degree; ++i) {
    right[i] = -energy(functions[i], given);
    for (int j = 0; j < degree; ++j) matrix(i, j) = energy(functions[i], functions[j]);
  }
  const Eigen::VectorXd best = solve_symmetric(matrix, right);
  return (energy(given, given) - right.dot(best)) / inertia;
}

TEST(CageBending, harmonic_displacements_cannot_bend_a_bar_as_softly_as_elasticity_does) {
  for (const double nu : {0.0, 0.3, 0.45})
    for (const double width : {0.25, 0.5, 1.0, 2.0, 4.0}) {
      const double least = least_harmonic_energy(width, nu), told = cage::harmonic_bending_bias(width, nu);
      fmt::print("poisson {}, {} times as wide as thick: {:.4f} of beam theory, told {:.4f}\n", nu, width,
                 least, told);
      EXPECT_NEAR(least, told, 0.012);
    }
}

TEST(CageBending, of_bars_in_boxes_is_as_stiff_as_the_note_says) {
  struct Bar {
    std::array<int, 3> cells;
    double width, poisson;
  };
  for (const Bar& bar : {Bar{{10, 1, 1}, 1, 0.3}, Bar{{10, 2, 2}, 1, 0.3}, Bar{{20, 2, 2}, 1, 0.3},
                         Bar{{20, 2, 2}, 1, 0.45}, Bar{{20, 2, 2}, 2, 0.3}}) {
    const double aspect = bar.cells[1] * std::max(10.0 / bar.cells[0], bar.width / bar.cells[2]);
    const std::string settings =
        fmt::format(R"(, "cells": [{}, {}, {}], "hold": 100)", bar.cells[0], bar.cells[1], bar.cells[2]);
    const double stiffness = stiffness_over_beam(
                     {"cage", settings, bar.poisson, {2, 0.2, 0.2 * bar.width}, {41, 5, 5}, 1e-5}),
                 told = cage::bending_bias(bar.cells[1], aspect, bar.width, bar.poisson);
    fmt::print(
        "{} x {} x {} cells, {} times as wide as thick, poisson {}: {:.3f} of beam theory, told {:.3f}\n",
        bar.cells[0], bar.cells[1], bar.cells[2], bar.width, bar.poisson, stiffness, told);
    EXPECT_NEAR(stiffness, told, 0.06);
  }
}

}  // namespace cage_bending_test
}  // namespace pliant
