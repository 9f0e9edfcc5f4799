// SPDX-License-Identifier: Apache-2.0
// The cage method on the experiments of Martin et al. 2009: free spin and drop.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant {
namespace {

/// A bar of 1.5 x 1.5 x 6 m about the origin in a box of 2 x 2 x 6 cells (174 degrees of freedom), 1 kg/m^3.
struct CagedBar {
  Shape shape;
  std::unique_ptr<Method> body;
  Pool pool{1};

  explicit CagedBar(cage::Options options, double above = -0.75) {
    const Shape box =
        make_shape(BoxShape{.size = {1.5, 1.5, 6}, .nodes = {7, 7, 19}, .corner = {-0.75, above, -3}});
    options.cells = {2, 2, 6};
    shape = with_quadrature(box, cage::points_for(options, 58));
    auto built = cage::build(shape, 1, {.mass = 0, .stiffness = 0}, options);
    EXPECT_TRUE(built) << built.error().text();
    body = std::move(*built);
  }
  StepInput input(double h) {
    StepInput in;
    in.h = h;
    in.pool = &pool;
    return in;
  }
};

double spin_kept(const cage::Options& options, double h) {
  CagedBar bar(options);
  Points v;
  for (const Vec3& p : bar.shape.graph.positions) v.push_back(Vec3(0, 1, 0).cross(p));
  bar.body->place(bar.shape.graph.positions, v);
  const double before = angular_momentum(bar.body->nodes()).y();
  for (int i = 0; i < int(std::lround(2 / h)); ++i) EXPECT_TRUE(bar.body->advance(bar.input(h)).ok());
  return angular_momentum(bar.body->nodes()).y() / before;
}

TEST(CageSpin, the_split_keeps_angular_momentum_at_every_time_step) {
  for (const double stiffness : {1e3, 1e4})
    for (const double h : {0.01, 0.02, 0.04})
      EXPECT_NEAR(spin_kept({.stiffness = stiffness}, h), 1, 1e-6) << stiffness << " " << h;
}

TEST(CageSpin, normals_that_follow_keep_it_within_a_percent_and_frozen_ones_do_not) {
  EXPECT_NEAR(spin_kept({.stiffness = 1e4, .normals = cage::Normals::consistent}, 0.04), 1, 0.01);
  EXPECT_LT(spin_kept({.stiffness = 1e4, .normals = cage::Normals::frozen}, 0.04), 0.9);
}

TEST(CageDrop, comes_to_rest_without_gaining_energy_whatever_the_stiffness_and_the_time_step) {
  for (const double stiffness : {500.0, 5e5})
    for (const double h : {1.0 / 60, 1.0 / 30}) {
      CagedBar bar({.stiffness = stiffness}, 1.5);
      const auto energy = [&] {
        double sum = bar.body->elastic_energy() + kinetic_energy(bar.body->nodes());
        for (std::size_t i = 0; i < bar.body->nodes().x.size(); ++i)
          sum += 10 * bar.body->nodes().mass[i] * bar.body->nodes().x[i].y();
        return sum;
      };
      std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, 0)};
      StepInput in = bar.input(h);
      in.gravity = {0, -10, 0};
      in.colliders = ground;
      const double start = energy();
      double last = start;
      StepReport report;
      for (int i = 0; i < int(2.5 / h); ++i) {
        ground[0].aim(i * h, (i + 1) * h);
        report = bar.body->advance(in);
        ASSERT_TRUE(report.ok()) << report.trouble;
        const double now = energy();
        ASSERT_LT(now, last + 1e-3 * start) << stiffness << " " << h << " step " << i;
        last = now;
      }
      EXPECT_LT(report.penetration, 0.02 * 6);
      EXPECT_LT(max_speed(bar.body->nodes()), 0.1) << stiffness << " " << h;
    }
}

}  // namespace
}  // namespace pliant
