// SPDX-License-Identifier: Apache-2.0
// A beam of N cells through its thickness is too stiff in bending by 1 + 5/N^2: 2/N^2 because a section is
// lumped to lines of nodes, 3/N^2 because the two rotations that an edge sees resist curvature
// (docs/methods/geometric.md, Limits). Poisson's ratio is 0, so beam theory is exact up to shear.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/methods/geometric/build.hpp"

namespace pliant {
namespace {

/// Tip drop of a slender cantilever (40 x its height of 1) whose end carries the moment that bends it to a
/// curvature of 1e-4, over that of beam theory.
double drop_ratio(int cells) {
  const double height = 1, length = 10, modulus = 1e6;
  const int along = 10 * cells;
  const Shape shape =
      make_shape(BoxShape{.size = {height / cells, height, length}, .nodes = {2, cells + 1, along + 1}});
  geometric::Options options;
  options.stiffness = modulus;
  options.integrator = geometric::Integrator::euler;
  options.tolerance = 1e-7;
  auto built = geometric::build(shape, 1000, {0, 0}, options);
  EXPECT_TRUE(built) << built.error().text();
  Method& body = **built;
  const Points rest = body.nodes().x;
  // A pure moment: stress linear over the end section, lumped to its nodes.
  const double curvature = 1e-4, width = height / cells, spacing = height / cells;
  Points forces(rest.size(), Vec3::Zero());
  std::vector<Index> held;
  Points targets;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i].z() < 1e-9) held.push_back(Index(i)), targets.push_back(rest[i]);
    if (rest[i].z() < length - 1e-9) continue;
    const double y = rest[i].y() - height / 2;
    const bool rim = std::abs(y) > height / 2 - 1e-9;
    // The exact integral of the linear stress over the node's share, by moments: sum f y = E I kappa below.
    forces[i].z() = y * width / 2 * spacing * (rim ? 0.5 : 1);
  }
  double moment = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) moment += forces[i].z() * (rest[i].y() - height / 2);
  const double inertia = width * std::pow(height, 3) / 12;
  for (Vec3& f : forces) f *= modulus * inertia * curvature / moment;
  Pool pool(1);
  StepInput input;
  input.h = 20;
  input.pool = &pool;
  input.held = held;
  input.targets = targets;
  input.forces = forces;
  for (int k = 0; k < 12; ++k) EXPECT_TRUE(body.advance(input).ok());
  double drop = 0;
  int count = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].z() > length - 1e-9) drop += rest[i].y() - body.nodes().x[i].y(), ++count;
  return std::abs(drop) / count / (curvature * length * length / 2);
}

TEST(BendingBias, is_one_plus_five_over_the_square_of_the_cells_through_the_thickness) {
  for (int cells : {4, 8, 16}) {
    const double ratio = drop_ratio(cells), stiffness = 1 / ratio;
    std::printf("%d cells: bending stiffness %.4f of beam theory, 1 + 5/N^2 = %.4f\n", cells, stiffness,
                1 + 5.0 / (cells * cells));
    EXPECT_NEAR(stiffness, 1 + 5.0 / (cells * cells), 0.25 * 5 / (cells * cells)) << cells;
  }
}

}  // namespace
}  // namespace pliant
