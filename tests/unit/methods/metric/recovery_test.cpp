// SPDX-License-Identifier: Apache-2.0
// Bodies that were scrambled, flattened or mirrored come back with the orientation term; without it a share
// does, which is printed.
#include <fmt/format.h>

#include "pliant/contact/collider.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace recovery_test {

constexpr double drag = 1.5;

/// Steps until nothing moves any more, at most `seconds`; whole: volume within half a percent, nothing
/// inverted, and no energy left: the shape is that at rest.
bool comes_back(Body& body, const Points& start, double seconds, Pool& pool) {
  put(body, start);
  StepInput input;
  input.h = 0.02;
  input.pool = &pool;
  for (int k = 1; k <= int(seconds / input.h); ++k) {
    const StepReport report = body.advance(input);
    EXPECT_TRUE(report.ok()) << report.trouble;
    if (k % 50 != 0) continue;
    if (kinetic(body) + body.elastic_energy() < 1e-3) break;  // of 100 J and more at the start
  }
  const CellState cells = cell_state(body.model(), body.nodes().x);
  return std::abs(cells.volume_ratio - 1) < 0.005 && cells.inverted == 0 && body.elastic_energy() < 1e-2;
}

TEST(MetricRecovery, a_hundred_scrambled_boxes_all_come_back) {
  Pool pool(1);
  for (const double sigma : {1.0, 2.0}) {
    const auto with = lattice_body({5, 5, 5}, with_strength(), {.mass = drag, .stiffness = 0});
    int back = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
      const bool whole = comes_back(*with, shaken(with->model().rest, sigma, seed), 60, pool);
      EXPECT_TRUE(whole) << "sigma " << sigma << " seed " << seed;
      back += whole;
    }
    fmt::print("sigma {:.1f} h: {} of 100 come back with the orientation term\n", sigma, back);
  }
}

TEST(MetricRecovery, so_do_those_with_the_default_strengths) {
  Pool pool(1);
  Options options;
  options.strength = 100;
  const auto with = lattice_body({5, 5, 5}, options, {.mass = drag, .stiffness = 0});
  for (const double sigma : {1.0, 2.0})
    for (unsigned seed = 1; seed <= 20; ++seed)
      EXPECT_TRUE(comes_back(*with, shaken(with->model().rest, sigma, seed), 60, pool))
          << "sigma " << sigma << " seed " << seed;
}

TEST(MetricRecovery, without_the_orientation_term_few_do) {
  Pool pool(1);
  const auto without =
      lattice_body({5, 5, 5}, with_strength(1, {.orientation = 0}), {.mass = drag, .stiffness = 0});
  for (const double sigma : {1.0, 2.0}) {
    int back = 0;
    for (unsigned seed = 1; seed <= 100; ++seed)
      back += comes_back(*without, shaken(without->model().rest, sigma, seed), 30, pool);
    fmt::print("sigma {:.1f} h: {} of 100 come back without the orientation term\n", sigma, back);
    EXPECT_LE(back, 10) << "measured 0; a few may by chance, which rounding decides";
  }
}

TEST(MetricRecovery, flattened_and_mirrored_boxes_come_back_by_the_orientation_term_alone) {
  Pool pool(1);
  for (const Integrator integrator : {Integrator::bdf2, Integrator::stable, Integrator::accurate})
    for (const double height : {0.02, 0.0, -1.0}) {
      const auto with = lattice_body({5, 5, 5}, with_strength(1, {.integrator = integrator}),
                                     {.mass = drag, .stiffness = 0});
      const auto without =
          lattice_body({5, 5, 5}, with_strength(1, {.orientation = 0, .integrator = integrator}),
                       {.mass = drag, .stiffness = 0});
      Points x = with->model().rest;
      for (Vec3& p : x) p.y() *= height;
      if (height != -1) x = shaken(x, 1e-3, 4);
      EXPECT_TRUE(comes_back(*with, x, 60, pool)) << "to " << height;
      EXPECT_FALSE(comes_back(*without, x, 20, pool)) << "to " << height;
    }
}

constexpr double decades[] = {1e-3, 1e-2, 0.1, 1, 10, 100, 1e3};  // of the strengths of bodies.hpp

TEST(MetricRecovery, steps_from_a_thousandth_to_a_tenth_and_six_decades_of_strength_stay_bounded) {
  Pool pool(1);
  for (const Integrator integrator : {Integrator::bdf2, Integrator::stable, Integrator::accurate})
    for (const double h : {0.001, 0.01, 0.1})
      for (const double k : decades) {
        const auto body = lattice_body({4, 4, 4}, with_strength(k, {.integrator = integrator}));
        put(*body, shaken(body->model().rest, 0.5, 9));
        const double start = body->elastic_energy();
        StepInput input;
        input.h = h;
        input.pool = &pool;
        double most = 0;
        for (int step = 0; step < 2000; ++step) {
          const StepReport report = body->advance(input);
          ASSERT_TRUE(report.ok()) << report.trouble;
          ASSERT_EQ(report.breakdowns, 0);
          if (step < 100 || step % 10 == 0) most = std::max(most, kinetic(*body) + body->elastic_energy());
        }
        EXPECT_LT(most, 1.05 * start) << int(integrator) << " h " << h << " k " << k;
      }
}

/// The same under gravity, on the ground: soft ones are puddles there.
TEST(MetricRecovery, on_the_ground_all_steps_and_strengths_stay_bounded_too) {
  Pool pool(1);
  constexpr double gravity = 9.81, height = 1;
  for (const Integrator integrator : {Integrator::bdf2, Integrator::stable, Integrator::accurate})
    for (const double h : {0.001, 0.01, 0.1})
      for (const double k : {1e-3, 0.1, 10.0, 1e3}) {
        const auto body = lattice_body({3, 3, 3}, with_strength(k, {.integrator = integrator}));
        Points x = body->model().rest;
        for (Vec3& p : x) p.y() += height;
        put(*body, x);
        std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, 0)};
        StepInput input;
        input.h = h;
        input.gravity = {0, -gravity, 0};
        input.pool = &pool;
        const auto total = [&] {
          double sum = kinetic(*body) + body->elastic_energy();
          for (const Vec3& p : body->nodes().x) sum += gravity * p.y();
          return sum;
        };
        const double start = total();
        double most = 0, low = 0;
        for (int step = 0; step < 2000; ++step) {
          ground[0].aim(0, h);
          input.colliders = ground;
          const StepReport report = body->advance(input);
          ASSERT_TRUE(report.ok()) << report.trouble << " h " << h << " k " << k;
          ASSERT_EQ(report.breakdowns, 0);
          if (step < 100 || step % 10 == 0) most = std::max(most, total());
          for (const Vec3& p : body->nodes().x) low = std::min(low, p.y());
        }
        EXPECT_LT(most, 1.05 * start) << int(integrator) << " h " << h << " k " << k;
        EXPECT_GT(low, -0.05) << int(integrator) << " h " << h << " k " << k;
      }
}

TEST(MetricRecovery, what_yields_keeps_its_new_length_and_what_does_not_springs_back) {
  Pool pool(1);
  const auto stretched = [&](double yield) {
    Options options = with_strength(4);
    options.plasticity = PlasticLaw{.yield = yield, .creep = 1, .cap = 0.5};
    const auto body = lattice_body({3, 7, 3}, options, {.mass = 3, .stiffness = 0});
    std::vector<Index> held;
    for (Index i = 0; i < body->model().nodes(); ++i)
      if (const double y = body->model().rest[i].y(); y == 0 || y == 6) held.push_back(i);
    StepInput input;
    input.h = 0.01;
    input.pool = &pool;
    input.held = held;
    int yields = 0;
    for (int k = 1; k <= 400; ++k) {
      Points targets;
      for (const Index i : held)
        targets.push_back(body->model().rest[i] +
                          Vec3(0, body->model().rest[i].y() == 6 ? 1.8 * std::min(1.0, k / 100.0) : 0, 0));
      input.targets = targets;
      const StepReport report = body->advance(input);
      EXPECT_TRUE(report.ok());
      yields += report.yields;
    }
    input.held = {}, input.targets = {};
    for (int k = 0; k < 1000; ++k) EXPECT_TRUE(body->advance(input).ok());
    double low = 1e9, high = -1e9;
    for (const Vec3& p : body->nodes().x) low = std::min(low, p.y()), high = std::max(high, p.y());
    EXPECT_EQ(yields > 0, yield < 1);
    return (high - low) / 6;
  };
  EXPECT_NEAR(stretched(10), 1, 0.01);
  EXPECT_GT(stretched(0.02), 1.15);
}

}  // namespace recovery_test
}  // namespace pliant::metric
