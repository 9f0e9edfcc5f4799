// SPDX-License-Identifier: Apache-2.0
// A beam of N cells through its thickness is too stiff in bending by 1 + 5/N^2: 2/N^2 because a section is
// lumped to lines of nodes, 3/N^2 because the two rotations that an edge sees resist curvature
// (docs/methods/geometric.md, Limits). Poisson's ratio is 0, so that sections stay plane.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant {
namespace {

/// Energy of a strip of N cells of height 1, one cell wide, bent to a circle of curvature 1e-3.
double energy_of_bent_strip(int cells, int length) {
  const double height = 1, radius = 1000;
  const Shape shape = make_shape(BoxShape{.size = {height / cells, height, double(length)},
                                          .nodes = {2, cells + 1, length * cells + 1}});
  geometric::Options options;
  options.stiffness = 1e6;
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
double bending_stiffness(int cells) {
  const double per_length = (energy_of_bent_strip(cells, 6) - energy_of_bent_strip(cells, 4)) / 2;
  const double inertia = 1.0 / cells / 12;
  return per_length / (0.5 * 1e6 * inertia * 1e-6);
}

TEST(BendingBias, is_one_plus_five_over_the_square_of_the_cells_through_the_thickness) {
  for (int cells : {4, 8, 16}) {
    const double stiffness = bending_stiffness(cells);
    std::printf("%d cells: bending stiffness %.4f of beam theory, 1 + 5/N^2 = %.4f\n", cells, stiffness,
                1 + 5.0 / (cells * cells));
    EXPECT_NEAR(stiffness, 1 + 5.0 / (cells * cells), 0.05 * 5 / (cells * cells)) << cells;
  }
}

}  // namespace
}  // namespace pliant
