// SPDX-License-Identifier: Apache-2.0
// The bar of the meshless notes, section 7: what one static solve makes of it, and whether large steps
// settle.
#include <gtest/gtest.h>

#include "tests/support/meshless_bar.hpp"

namespace pliant::meshless {
namespace {

struct Found {
  double volume, jacobian, energy, twist;
};

Found pose(const BarOptions& options, Options material = bar_material()) {
  Bar bar = make_bar(options, material);
  Pool pool(2);
  const auto settled = bar.method->settle({.time = 10, .contact = {}, .pool = &pool}, 1e-6);
  EXPECT_TRUE(settled && settled->trouble.empty()) << settled->trouble;
  const Points& x = bar.method->nodes().x;
  const Model& model = bar.body().model();
  double volume = 0;
  for (Index c = 0; c < model.cells.count(); ++c)
    volume += model.cells.weight[c] * deformation_gradient(model.cells, c, x).determinant();
  const Found found{volume / 4, least_jacobian(model, x), corotational_energy(model, x), bar.end_twist()};
  std::printf(
      "bend %g twist %g kappa %g: volume %.4f (surface %.4f), min J %.3f, energy %.1f, end twist %.1f\n",
      options.bend, options.twist, material.kappa, found.volume, bar.volume(), found.jacobian, found.energy,
      found.twist);
  return found;
}

TEST(MeshlessBar, static_bends_keep_their_volume_and_no_cell_inverts) {
  const Found at90 = pose({.bend = 90}), at110 = pose({.bend = 110});
  EXPECT_NEAR(at90.volume, 0.974, 0.01);
  EXPECT_NEAR(at90.jacobian, 0.52, 0.06);
  EXPECT_NEAR(at90.energy, 79, 6);
  EXPECT_NEAR(at110.volume, 0.964, 0.01);
  EXPECT_NEAR(at110.jacobian, 0.31, 0.06);
  EXPECT_NEAR(at110.energy, 124, 10);
}

TEST(MeshlessBar, static_twists_keep_their_volume) {
  const Found at90 = pose({.twist = 90}), at110 = pose({.twist = 110});
  EXPECT_NEAR(at90.volume, 1.003, 0.004);
  EXPECT_GT(at90.jacobian, 0.97);
  EXPECT_NEAR(at90.energy, 4.1, 0.5);
  EXPECT_NEAR(at90.twist, 66, 3);
  EXPECT_NEAR(at110.volume, 1.005, 0.005);
  EXPECT_NEAR(at110.energy, 6.3, 0.7);
  EXPECT_NEAR(at110.twist, 80, 3);
}

TEST(MeshlessBar, full_spin_stiffness_is_robust_and_loses_volume) {
  Options stiff = bar_material();
  stiff.kappa = 1;
  const Found at90 = pose({.bend = 90}, stiff), at110 = pose({.bend = 110}, stiff);
  EXPECT_NEAR(at90.volume, 0.947, 0.01);
  EXPECT_NEAR(at110.volume, 0.921, 0.012);
  EXPECT_GT(at110.jacobian, 0.3);
  const Found twist = pose({.twist = 90}, stiff);
  EXPECT_NEAR(twist.volume, 0.997, 0.004);
  EXPECT_NEAR(twist.twist, 69, 3);
}

TEST(MeshlessBar, without_warping_a_bent_bar_swells) {
  Options none = bar_material();
  none.warping = Warping::none;
  none.kappa = 0;
  BarOptions thick{.bend = 45, .radius = 0.3};
  EXPECT_NEAR(pose(thick, none).volume, 1.144, 0.03);
  thick.bend = 90;
  EXPECT_GT(pose(thick, none).volume, 1.15);
}

TEST(MeshlessBar, warping_at_nodes_depends_on_the_origin_and_at_cells_does_not) {
  for (const Warping warping : {Warping::cell, Warping::node}) {
    Options options = bar_material();
    options.warping = warping;
    options.kappa = 0;
    BarOptions here{.bend = 45, .radius = 0.3}, there = here;
    here.corner = {-0.5, -0.5, -2};  // the joint at the origin
    there.corner = {-0.5, 4.5, -2};
    const double near = pose(here, options).energy, far = pose(there, options).energy;
    if (warping == Warping::cell) {
      EXPECT_NEAR(far / near, 1, 1e-4);
    } else {
      EXPECT_GT(far / near, 3);
    }
  }
}

struct Settling {
  double peak, jacobian, speed;
};

/// Driven to the angle in 0.3 s, then held: peak energy over the final one, and what still moves at 1.5 s.
Settling settle(double degrees, double h, Rotations rotations) {
  Options options = bar_material();
  options.kappa = 0;
  options.rotations = rotations;
  options.iterations = 40;
  options.tolerance = 1e-5;
  Bar bar = make_bar({.bend = degrees, .time = 0.3, .radius = 0.3}, options);
  Pool pool(2);
  double peak = 0;
  const int steps = int(std::lround(1.5 / h));
  for (int k = 1; k <= steps; ++k) {
    EXPECT_TRUE(bar.method->advance({.h = h, .time = k * h, .contact = {}, .pool = &pool}).ok());
    if (k * h >= 0.3 - 1e-9)
      peak = std::max(peak, corotational_energy(bar.body().model(), bar.method->nodes().x));
  }
  double speed = 0;
  for (const Vec3& v : bar.method->nodes().v) speed = std::max(speed, v.norm());
  const Points& x = bar.method->nodes().x;
  const double last = corotational_energy(bar.body().model(), x);
  const Settling out{peak / last, least_jacobian(bar.body().model(), x), speed};
  std::printf("%s %g degrees, h %.3f s: peak %.2f of %.0f, min J %.2f, speed %.2f\n",
              rotations == Rotations::polar ? "polar" : "diffused", degrees, h, out.peak, last, out.jacobian,
              out.speed);
  return out;
}

TEST(MeshlessBar, diffused_rotations_settle_at_large_steps_and_lagged_polar_ones_do_not) {
  for (const double h : {0.033333, 0.1}) {
    const Settling diffused = settle(110, h, Rotations::diffused);
    EXPECT_LT(diffused.peak, 1.1);
    EXPECT_LT(diffused.speed, 0.1);
  }
  const Settling polar = settle(110, 0.1, Rotations::polar);
  EXPECT_GT(polar.peak, 1.5);
  EXPECT_GT(polar.speed, 0.3);
}

/// Node positions of every step of a bend by 90 degrees in 0.3 s under gravity, and of as long after it.
std::vector<Points> fast_bend(double h, double kappa, int iterations) {
  Options options = bar_material();
  options.kappa = kappa;
  options.iterations = iterations;
  options.tolerance = 1e-12;
  Bar bar = make_bar({.bend = 90, .time = 0.3}, options);
  Pool pool(2);
  std::vector<Points> out;
  for (int k = 1; k * h < 0.6 + h / 2; ++k) {
    EXPECT_TRUE(
        bar.method->advance({.h = h, .time = k * h, .gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool})
            .ok());
    out.push_back(bar.method->nodes().x);
  }
  return out;
}

TEST(MeshlessBar, a_few_iterations_a_step_follow_the_converged_motion) {
  struct Case {
    double kappa;
    int iterations;
    double h, most;  // of the bar's width
  };
  for (const Case& c :
       {Case{0.1, 4, 1.0 / 60, 0.02}, Case{0.1, 4, 1.0 / 30, 0.05}, Case{0.1, 6, 1.0 / 30, 0.01},
        Case{1, 2, 1.0 / 60, 0.01}, Case{1, 2, 1.0 / 30, 0.02}}) {
    const std::vector<Points> exact = fast_bend(c.h, c.kappa, 60),
                              few = fast_bend(c.h, c.kappa, c.iterations);
    double worst = 0, last = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      last = 0;
      for (std::size_t i = 0; i < exact[k].size(); ++i)
        last = std::max(last, (exact[k][i] - few[k][i]).norm());
      worst = std::max(worst, last);
    }
    std::printf("kappa %g, %d iterations, h %.4f s: off by %.4f at most, %.5f at the end\n", c.kappa,
                c.iterations, c.h, worst, last);
    EXPECT_LT(worst, c.most);
    EXPECT_LT(last, 0.1 * c.most);
  }
}

}  // namespace
}  // namespace pliant::meshless
