// SPDX-License-Identifier: Apache-2.0
// The cage method on the experiments of Martin et al. 2009: free spin and drop.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/bumpy_bar.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant {
namespace cage_test {

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

/// Angular momentum that a bumpy bar of 6 m, turning by 1 rad/s about an axis across it, keeps in 2 s. Its
/// cage is that of the measurements in docs/methods/cage/measured.md: a fifth of a cell away.
double spin_kept(cage::Options options, double h, double clearance = 0.2) {
  options.normal_scale = cage::NormalScale::conformal;  // as the reference
  static const Shape solid = [] {
    BumpyBar bar;
    bar.resolution = {32, 48};
    Pool pool{1};
    return make_mesh_shape(bumpy_bar_surface(bar), {.nodes = 2000, .solid = true}, pool)->shape;
  }();
  options.cells = {2, 2, 6};
  options.clearance = clearance;
  const Shape shape = with_quadrature(solid, cage::points_for(options, 58));
  auto built = cage::build(shape, 1, {.mass = 0, .stiffness = 0}, options);
  EXPECT_TRUE(built) << built.error().text();
  Method& body = **built;
  Points v;
  for (const Vec3& p : shape.graph.positions) v.push_back(Vec3(0, 1, 0).cross(p));
  body.place(shape.graph.positions, v);
  const double before = angular_momentum(body.nodes()).y();
  Pool pool{1};
  for (int i = 0; i < int(std::lround(2 / h)); ++i)
    EXPECT_TRUE(body.advance({.h = h, .contact = {}, .pool = &pool}).ok());
  return angular_momentum(body.nodes()).y() / before;
}

// Free spins: E, h, the share that frozen normals keep in an independent implementation, and the shares that
// all three kinds of normals keep here. Consistent normals lose nothing because a free body gets its momenta
// back.
TEST(CageSpin, the_whole_table_of_what_is_kept_of_a_spin) {
  std::cout << "| E, Pa | h, s | frozen | frozen, reference | consistent | rigid-split |\n";
  for (const auto& [stiffness, h, reference] : {std::tuple{1e3, 0.01, 0.990},
                                                {1e3, 0.02, 0.982},
                                                {1e3, 0.04, 0.968},
                                                {1e4, 0.01, 0.958},
                                                {1e4, 0.02, 0.920},
                                                {1e4, 0.04, 0.849}}) {
    const double frozen = spin_kept({.stiffness = stiffness, .normals = cage::Normals::frozen}, h);
    const double consistent = spin_kept({.stiffness = stiffness, .normals = cage::Normals::consistent}, h);
    const double split = spin_kept({.stiffness = stiffness}, h);
    std::cout << fmt::format("| {:.0e} | {} | {:.3f} | {:.3f} | {:.5f} | {:.6f} |\n", stiffness, h, frozen,
                             reference, consistent, split);
    EXPECT_NEAR(split, 1, 1e-5) << stiffness << " " << h;
    EXPECT_NEAR(consistent, 1, 0.01) << stiffness << " " << h;
    EXPECT_NEAR(frozen, reference, 0.015) << stiffness << " " << h;
  }
}

TEST(CageSpin, frozen_normals_lose_the_more_of_a_spin_the_nearer_the_cage_is) {
  const cage::Options frozen{.stiffness = 1e4, .normals = cage::Normals::frozen};
  const double far = spin_kept(frozen, 0.02, 0.2), near = spin_kept(frozen, 0.02, 0.05);
  std::cout << fmt::format("kept with a cage 0.2 of a cell away {:.3f}, 0.05 away {:.3f}\n", far, near);
  EXPECT_LT(near, far - 0.1);
}

/// How deep the deepest vertex of the surface is below y = 0.
double depth(const Method& body, std::size_t vertices) {
  Points surface(vertices);
  body.surface(surface);
  double low = 0;
  for (const Vec3& p : surface) low = std::min(low, p.y());
  return -low;
}

TEST(CageDrop, comes_to_rest_without_gaining_energy_whatever_the_stiffness_and_the_time_step) {
  for (const double stiffness : {500.0, 5e3, 5e4, 5e5})
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
      const double scale = energy();
      double last = scale, gained = 0, deepest = 0;
      StepReport report;
      for (int i = 0; i < int(2.5 / h); ++i) {
        ground[0].aim(i * h, (i + 1) * h);
        report = bar.body->advance(in);
        ASSERT_TRUE(report.ok()) << report.trouble;
        const double now = energy();
        ASSERT_TRUE(std::isfinite(now));
        gained = std::max(gained, now - last);
        last = now;
        deepest = std::max(deepest, depth(*bar.body, bar.shape.surface.vertices.size()));
      }
      const double rest = depth(*bar.body, bar.shape.surface.vertices.size());
      std::cout << fmt::format(
          "E {:.0e} h 1/{:.0f}: largest gain of a step {:.1e} of the whole, deepest {:.1e} m on the way and "
          "{:.1e} m at "
          "rest, {:.1e} m/s\n",
          stiffness, 1 / h, gained / scale, deepest, rest, max_speed(bar.body->nodes()));
      // Twice the most that was measured: 2.4e-4 m of 6 m at rest, on the way 8.5e-3 m of the softest and 6e-4 m of others. A
      // gain, of 1e-7 at most, is what rounding leaves of solves by iteration.
      EXPECT_LT(gained, 1e-6 * scale) << stiffness << " " << h;
      EXPECT_LT(rest, 5e-4) << stiffness << " " << h;
      EXPECT_LT(deepest, stiffness < 1e3 ? 0.017 : 1.2e-3) << stiffness << " " << h;
      EXPECT_NEAR(report.contact_impulse.y() / (10 * h * 13.5), 1, 0.02) << stiffness << " " << h;
      EXPECT_LT(max_speed(bar.body->nodes()), 0.016) << stiffness << " " << h;
    }
}

}  // namespace cage_test
}  // namespace pliant
