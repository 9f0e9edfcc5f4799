// SPDX-License-Identifier: Apache-2.0
// The finite-element baseline on the bars of the geometric method: where they hang, and that both methods
// agree.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "pliant/scene/library.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace bar_fem_test {

Scene bar(const std::string& name, std::vector<std::string> sets) {
  LoadOptions options;
  options.libraries = {source_folder() + "/scenes"};
  options.sets = std::move(sets);
  Result<Scene> scene = load_scene(name, options);
  EXPECT_TRUE(scene) << scene.error().text();
  return std::move(*scene);
}

const Points& nodes(const Scene& scene) { return scene.simulation.bodies()[0].method().nodes().x; }

/// The mean place of every layer of nodes along the bar.
Points centre_line(const Scene& scene) {
  const Points& x = nodes(scene);
  Points line(41, Vec3::Zero());
  for (std::size_t i = 0; i < x.size(); ++i) line[i / 81] += x[i] / 81;
  return line;
}

void step(Scene& scene, int steps) {
  for (int i = 0; i < steps; ++i) {
    const auto failure = scene.simulation.step();
    ASSERT_FALSE(failure) << failure->text();
  }
}

/// Milliseconds of the fastest of the next ten steps: for the reader; `pliant bench` is what measures.
double step_ms(Scene& scene) {
  double least = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    step(scene, 1);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

/// Large implicit Euler steps go to equilibrium.
double tip_drop_at_rest(double poisson) {
  Scene scene = bar("geometric/bar-static",
                    {"bodies.bar.method=fem", "bodies.bar.fem.integrator=euler",
                     "bodies.bar.fem.stiffness=5e6", "bodies.bar.fem.poisson=" + std::to_string(poisson)});
  const double start = centre_line(scene).back().y();
  step(scene, 11);
  const double before = centre_line(scene).back().y();
  step(scene, 1);
  const double after = centre_line(scene).back().y();
  EXPECT_NEAR(before, after, 1e-4);
  std::printf("tip drop at rest, E 5e6 Pa, nu %.2f: %.4f m\n", poisson, start - after);
  return start - after;
}

TEST(BarFem, hangs_where_independent_finite_elements_on_the_same_nodes_do) {
  EXPECT_NEAR(tip_drop_at_rest(0), 0.2875, 0.002);
  EXPECT_NEAR(tip_drop_at_rest(0.3), 0.2850, 0.002);
}

TEST(BarFem, hangs_within_six_percent_of_beam_theory) {
  // Small deflections: rho g L^4 12/(8 E a^2) for bending and rho g L^2/(2 (5/6) G) for shear, G = E/2.
  const double bending = 1000 * 9.81 * 16 * 12 / (8 * 5e6 * 0.16),
               shear = 1000 * 9.81 * 4 / (5.0 / 3 * 2.5e6);
  const double drop = tip_drop_at_rest(0);
  EXPECT_LT(drop,
            bending + shear);  // linear elements are too stiff, never too soft; large deflections stiffen
  EXPECT_NEAR(drop / (bending + shear), 1, 0.06);
}

TEST(BarFem, bends_like_the_geometric_bar_at_equal_tip_drop) {
  // [Huang06, Fig. 1]. Euler at large steps for both; the stiffness of the elements is set so that the tips
  // meet.
  Scene geometric = bar("geometric/bar", {"timestep=0.1", "bodies.bar.geometric.integrator=euler",
                                          "bodies.bar.geometric.tolerance=1e-5"});
  const double length = 2, height = centre_line(geometric).back().y();
  step(geometric, 60);
  const Points line = centre_line(geometric);
  const double drop = height - line.back().y();
  double elements_ms = 0;
  const auto fem = [&](double stiffness) {
    Scene scene =
        bar("geometric/bar-fem", {"timestep=0.1", "bodies.bar.fem.stiffness=" + std::to_string(stiffness)});
    step(scene, 60);
    const Points out = centre_line(scene);
    elements_ms = step_ms(scene);
    return out;
  };
  // The drop falls with stiffness nearly as a line within these few percent.
  const double one = height - fem(1e6).back().y(), two = height - fem(1.05e6).back().y();
  const double stiffness = 1e6 + 0.05e6 * (drop - one) / (two - one);
  const Points other = fem(stiffness);
  ASSERT_NEAR(height - other.back().y(), drop, 0.005);
  double sum = 0;
  for (std::size_t k = 0; k < line.size(); ++k) sum += (line[k] - other[k]).squaredNorm();
  const double rms = std::sqrt(sum / double(line.size()));
  std::printf("tip drop at E 1e6 Pa: geometric %.4f m, finite elements %.4f m (elastica 1.096 m)\n", drop,
              one);
  std::printf("at equal drop (elements of %.4g Pa) centre lines differ by %.5f of the length, rms\n",
              stiffness, rms / length);
  std::printf("a step at rest, h 0.1 s: geometric %.2f ms, finite elements %.1f ms\n", step_ms(geometric),
              elements_ms);
  EXPECT_LT(rms, 0.01 * length);
  EXPECT_NEAR(stiffness, 0.975e6, 0.025e6);  // linear elements are the stiffer ones
}

/// When the tip, let go, turns below and then above again: half a period and a whole one, s.
struct Turns {
  double below = 0, above = 0;
};

Turns first_turns(Scene scene) {
  Turns out;
  double before = 0, last = 0;
  const double h = scene.simulation.options().h;
  const double start = centre_line(scene).back().y();
  for (int k = 1; k * h < 1.2; ++k) {
    step(scene, 1);
    const double now = start - centre_line(scene).back().y();
    const double turn = (k - 1 + 0.5 * (before - now) / (before - 2 * last + now)) * h;  // by a parabola
    if (out.below == 0 && now < last) out.below = turn;
    if (out.below > 0 && now > last) {
      out.above = turn;
      break;
    }
    before = last;
    last = now;
  }
  return out;
}

TEST(BarFem, the_stiff_geometric_bar_swings_in_the_period_of_finite_elements_at_a_960th_of_a_second) {
  Scene coarse = bar("geometric/bar-stiff", {});
  Scene elements = bar("geometric/bar-stiff", {"bodies.bar.method=fem", "bodies.bar.fem.integrator=euler",
                                               "bodies.bar.fem.stiffness=5e6", "bodies.bar.fem.poisson=0"});
  const Turns fine = first_turns(
      bar("geometric/bar-stiff", {"substeps=16", "bodies.bar.method=fem", "bodies.bar.fem.stiffness=5e6",
                                  "bodies.bar.fem.poisson=0", "bodies.bar.fem.integrator=bdf2"}));
  const Turns got = first_turns(bar("geometric/bar-stiff", {}));
  std::printf(
      "first turns: geometric at h 1/60 s %.4f s and %.4f s, finite elements at h 1/960 s %.4f s and %.4f "
      "s\n",
      got.below, got.above, fine.below, fine.above);
  std::printf("a step at h 1/60 s: geometric %.2f ms, finite elements %.1f ms\n", step_ms(coarse),
              step_ms(elements));
  ASSERT_GT(fine.below, 0.3);
  ASSERT_GT(fine.above, 0.6);
  // With 16 substeps the geometric bar turns at 0.4363 s and 0.8613 s. At 1/60 s its second mode is damped,
  // which shapes the first turn.
  EXPECT_NEAR(got.below / fine.below, 1, 0.035);
  EXPECT_NEAR(got.above / fine.above, 1, 0.02);
}

}  // namespace bar_fem_test
}  // namespace pliant
