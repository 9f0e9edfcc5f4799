// SPDX-License-Identifier: Apache-2.0
// The cage method on the experiments of Martin et al. 2009: free spin, drop, bends and neck at rest.
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

/// The ends beyond |z| > reach held, one of them turned by an angle about x along the arc of the middle.
int iterations_of_bend(double degrees, double reach, double tolerance) {
  CagedBar bar({.stiffness = 1000, .precision = cage::Precision::twice});
  const double angle = degrees * M_PI / 180, radius = 2 * reach / angle;
  const Mat3 turn = Eigen::AngleAxisd(-angle, Vec3(1, 0, 0)).toRotationMatrix();
  const Vec3 goes(0, radius * (1 - std::cos(angle)), -reach + radius * std::sin(angle));
  std::vector<Index> held, sizes;
  Points targets;
  Index count[2] = {0, 0};
  for (Index i = 0; i < Index(bar.shape.graph.positions.size()); ++i) {
    const Vec3& p = bar.shape.graph.positions[std::size_t(i)];
    if (std::abs(p.z()) < reach) continue;
    held.push_back(i);
    ++count[p.z() > 0];
    targets.push_back(p.z() < 0 ? p : Vec3(turn * (p - Vec3(0, 0, reach)) + goes));
  }
  for (const Index i : held) sizes.push_back(count[bar.shape.graph.positions[std::size_t(i)].z() > 0]);
  StepInput in = bar.input(1.0 / 60);
  in.held = held;
  in.targets = targets;
  in.hold_sizes = sizes;
  for (int k = 1; k <= 150; ++k) {
    const Method::Relaxation now = bar.body->relax(in);
    EXPECT_TRUE(now.trouble.empty()) << now.trouble;
    if (now.change < tolerance || now.stuck) {
      EXPECT_LT(now.residual, 1e-3) << degrees;
      double apart = 0;
      for (std::size_t n = 0; n < held.size(); ++n)
        apart = std::max(apart, (bar.body->nodes().x[std::size_t(held[n])] - targets[n]).norm());
      EXPECT_LT(apart, 0.3) << degrees;
      return k;
    }
  }
  return 151;
}

TEST(CageStatics, bends_of_90_and_120_degrees_converge_from_rest_in_one_go) {
  EXPECT_LE(iterations_of_bend(90, 2.4, 1e-5), 100);
  EXPECT_LE(iterations_of_bend(120, 2.4, 1e-5), 100);
}

TEST(CageStatics, the_neck_converges_from_rest_in_one_go) {
  EXPECT_LE(iterations_of_bend(90, 0.8, 1e-5), 120);
}

}  // namespace
}  // namespace pliant
