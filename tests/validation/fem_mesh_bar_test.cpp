// SPDX-License-Identifier: Apache-2.0
// Finite elements in a mesh: a bar bends as beam theory says, along the lattice and across it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pliant/geometry/tetrahedral_shape.hpp"
#include "pliant/methods/fem/build.hpp"
#include "pliant/physics/selection.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace fem_mesh_bar_test {

constexpr double side = 0.4, length = 2, modulus = 5e7, weight = 1000 * 9.81;

/// The bar turned in space when it is filled, and turned back: the lattice lies across it.
Shape mesh_bar(int nodes, double degrees) {
  const Mat3 turn = Eigen::AngleAxisd(degrees * M_PI / 180, Vec3(1, 2, 0).normalized()).toRotationMatrix();
  // With a section each quarter of a metre.
  PolygonMesh mesh =
      as_polygons(make_shape(BoxShape{.size = {side, side, length}, .nodes = {2, 2, 9}}).surface);
  for (Vec3& v : mesh.vertices) v = turn * v;
  Pool pool(1);
  auto made = make_tetrahedral_shape(mesh, {.nodes = nodes}, pool);
  EXPECT_TRUE(made);
  for (Points* points : {&made->shape.graph.positions, &made->shape.surface.vertices})
    for (Vec3& p : *points) p = turn.transpose() * p;
  return std::move(made->shape);
}

/// Under its weight, over those of a beam with shear; held at the face z = 0.
struct OverTheory {
  double sag = 0;  ///< of the far face
  double bend =
      0;  ///< of the length beyond 0.5 m: sag at 2 m - 2 sag at 1.25 m + sag at 0.5 m. Wherever the bar is
          ///< clamped and however softly, the clamp only moves this length as a whole.
};

OverTheory over_theory(const Shape& shape, double poisson) {
  fem::Options options{.stiffness = modulus, .poisson = poisson, .integrator = fem::Integrator::euler};
  options.tolerance = 1e-8;
  auto body = fem::build(shape, 1000, Damping{0, 0}, options);
  EXPECT_TRUE(body) << body.error().text();
  const auto held = select_nodes({SelectHalfspace{.point = {0, 0, 1e-6}, .normal = {0, 0, -1}}}, shape);
  EXPECT_GT(held.size(), 4u);
  Points targets;
  for (const Index i : held) targets.push_back(shape.graph.positions[i]);
  Pool pool(1);
  StepInput input;
  input.h = 100;
  input.gravity = {0, -9.81, 0};
  input.held = held;
  input.targets = targets;
  input.pool = &pool;
  for (int step = 0; step < 3; ++step) {
    const StepReport report = (*body)->advance(input);
    EXPECT_TRUE(report.ok()) << report.trouble;
  }
  Points surface(shape.surface.vertices.size());
  (*body)->surface(surface);
  const auto sag_at = [&](double z) {
    double sum = 0;
    int count = 0;
    for (std::size_t v = 0; v < surface.size(); ++v)
      if (std::abs(shape.surface.vertices[v].z() - z) < 1e-9)
        sum += shape.surface.vertices[v].y() - surface[v].y(), ++count;
    EXPECT_EQ(count, 4);
    return sum / count;
  };
  const double shear = modulus / (2 * (1 + poisson)), area = 10 * (1 + poisson) / (12 + 11 * poisson);
  const auto theory_at = [&](double z) {
    return weight * 12 / (24 * modulus * side * side) *
               (std::pow(z, 4) - 4 * length * z * z * z + 6 * length * length * z * z) +
           weight / (area * shear) * (length * z - z * z / 2);
  };
  const auto bend = [](const auto& at) { return at(2.0) - 2 * at(1.25) + at(0.5); };
  return {sag_at(length) / theory_at(length), bend(sag_at) / bend(theory_at)};
}

TEST(FemMeshBar, sags_as_beam_theory_says_within_ten_percent_at_3000_nodes_and_nearer_with_more) {
  for (const double poisson : {0.0, 0.3}) {
    double off = 1;
    for (const int nodes : {400, 3000, 6000}) {
      const Shape bar = mesh_bar(nodes, 0);
      const auto [sag, bend] = over_theory(bar, poisson);
      std::printf("mesh bar of %zu nodes, nu %.1f: sags by %.3f of theory, bends by %.3f\n",
                  bar.graph.positions.size(), poisson, sag, bend);
      EXPECT_LT(std::abs(sag - 1), off) << nodes;
      off = std::abs(sag - 1);
      if (nodes >= 3000) {
        EXPECT_LT(off, 0.1) << nodes;
      }
    }
  }
}

TEST(FemMeshBar, that_lies_across_the_lattice_sags_within_ten_percent_of_theory_at_3000_nodes) {
  for (const double degrees : {20.0, 45.0}) {
    const auto [sag, bend] = over_theory(mesh_bar(3000, degrees), 0.3);
    std::printf("mesh bar turned by %.0f degrees: sags by %.3f of theory, bends by %.3f\n", degrees, sag,
                bend);
    EXPECT_NEAR(sag, 1, 0.1) << degrees;
    EXPECT_NEAR(bend, 1, 0.05) << degrees << ": what it sags too much is the clamp's";
  }
}

}  // namespace fem_mesh_bar_test
}  // namespace pliant
