// SPDX-License-Identifier: Apache-2.0
// A box of N cells through its thickness is too stiff in bending by 1 + 3 kept r^2/N^2, r the length of a cell over
// its height: the two rotations that an edge sees resist curvature, and `kept` of that is left (hourglass; 1/4, less
// in long cells). Where a section is lumped to lines of nodes there is 2/N^2 more (docs/methods/geometric.md,
// Limits). Poisson's ratio is 0, so that sections stay plane.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/note_bending.hpp"
#include "tests/support/cantilever.hpp"

namespace pliant {
namespace bending_bias_test {

/// Energy of a strip of N cells of height 1, one cell wide, bent to a circle of curvature 1e-3. Cells are `aspect`
/// times as long as high.
double energy_of_bent_strip(int cells, int aspect, double hourglass, int length) {
  const double height = 1, radius = 1000;
  const Shape shape = make_shape(BoxShape{.size = {height / cells, height, double(length)},
                                          .nodes = {2, cells + 1, length * cells / aspect + 1}});
  geometric::Options options;
  options.stiffness = 1e6;
  options.hourglass = hourglass;
  const Result<geometric::Rows> rows = geometric::make_rows(shape.graph, 1000, options);
  const Result<geometric::Model> model = geometric::make_model(*rows);
  Points x = model->rest;
  for (Vec3& p : x) {
    const double arm = radius - (p.y() - height / 2), angle = p.z() / radius;
    p = Vec3(p.x(), radius - arm * std::cos(angle), arm * std::sin(angle));
  }
  geometric::Rotations rotations(x.size(), Eigen::Quaterniond::Identity());
  geometric::update_rotations(*model, x, rotations);
  return geometric::energy(*model, x, rotations);
}

/// Bending stiffness over that of beam theory, E I; the ends cancel in a difference.
double bending_stiffness(int cells, int aspect, double hourglass) {
  const double per_length = (energy_of_bent_strip(cells, aspect, hourglass, 12) -
                             energy_of_bent_strip(cells, aspect, hourglass, 8)) /
                            4;
  const double inertia = 1.0 / cells / 12;
  return per_length / (0.5 * 1e6 * inertia * 1e-6);
}

/// The share that long cells keep of that of cubes.
double kept_by(double cubes, int aspect) { return cubes / std::min(aspect * aspect, 9); }

TEST(BendingBias, is_what_the_note_says_for_cells_as_long_as_high_and_for_longer_ones) {
  for (int aspect : {1, 2, 4})
    for (int cells : {4, 8, 16}) {
      const double stiffness = bending_stiffness(cells, aspect, 0),
                   told = geometric::bending_bias(cells, aspect, kept_by(0.25, aspect), 0);
      std::printf("%d cells, %d : 1: bending stiffness %.4f of beam theory, told %.4f\n", cells, aspect,
                  stiffness, told);
      EXPECT_NEAR(stiffness, told, 0.1 * (told - 1)) << cells << ", " << aspect;
      if (cells >= 8) {
        EXPECT_NEAR(stiffness, 1, 0.025) << cells << ", " << aspect;
      }
    }
}

TEST(BendingBias, of_the_papers_energy_is_that_of_an_hourglass_of_one) {
  for (int cells : {4, 8, 16}) {
    const double stiffness = bending_stiffness(cells, 1, 1), told = geometric::bending_bias(cells, 1, 1, 0);
    std::printf("%d cells, hourglass 1: bending stiffness %.4f of beam theory, told %.4f\n", cells, stiffness,
                told);
    EXPECT_NEAR(stiffness, told, 0.05 * (told - 1)) << cells;
  }
}

/// Clamps hinder the section of a bar with Poisson's ratio, in elasticity too: finite elements refined tend to 1.03 for
/// 0.45 at this length. The volume rows make it more.
TEST(BendingBias, of_clamped_bars_is_what_the_note_says) {
  struct Case {
    double poisson, clamp;
    int cells, aspect;
  };
  for (const Case& c : {Case{0, 0, 2, 1}, Case{0, 0, 4, 2}, Case{0, 0, 4, 4}, Case{0, 0, 8, 4},
                        Case{0.45, 0.025, 2, 1}, Case{0.45, 0.025, 4, 1}, Case{0.45, 0.025, 4, 2},
                        Case{0.45, 0.025, 8, 2}, Case{0.45, 0.025, 4, 4}, Case{0.45, 0.025, 8, 4}}) {
    geometric::Options options;
    options.poisson = c.poisson;
    const int along = 10 * c.cells / c.aspect;
    const double stiffness = stiffness_over_beam({.method = "geometric",
                                                  .settings = "",
                                                  .poisson = c.poisson,
                                                  .nodes = {along + 1, c.cells + 1, c.cells + 1}}),
                 told =
                     geometric::bending_bias(c.cells, c.aspect, kept_by(c.poisson > 0 ? 0.5 : 0.25, c.aspect),
                                             0, geometric::row_moduli(options).volume) +
                     geometric::end_bias(along);
    std::printf("clamped, poisson %.2f, %d cells, %d : 1: stiffness %.4f of beam theory, told %.4f\n",
                c.poisson, c.cells, c.aspect, stiffness, told);
    EXPECT_NEAR(stiffness - c.clamp, told, 0.2 * (told - 1))
        << c.poisson << ", " << c.cells << ", " << c.aspect;
  }
}

}  // namespace bending_bias_test
}  // namespace pliant
