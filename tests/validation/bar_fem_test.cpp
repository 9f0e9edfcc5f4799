// SPDX-License-Identifier: Apache-2.0
// The finite-element baseline on the bars of the geometric method: where they hang, and that both methods
// agree.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/scene/library.hpp"

namespace pliant {
namespace {

Scene bar(const std::string& name, std::vector<std::string> sets) {
  LoadOptions options;
  options.libraries = {PLIANT_SOURCE_DIR "/scenes"};
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

/// Large implicit Euler steps go to equilibrium.
double tip_drop_at_rest(double poisson) {
  Scene scene = bar("geometric/bar-static", {"bodies.bar.method=fem", "bodies.bar.fem.stiffness=5e6",
                                             "bodies.bar.fem.poisson=" + std::to_string(poisson)});
  const double start = centre_line(scene).back().y();
  step(scene, 11);
  const double before = centre_line(scene).back().y();
  step(scene, 1);
  const double after = centre_line(scene).back().y();
  EXPECT_NEAR(before, after, 1e-4);
  return start - after;
}

TEST(BarFem, hangs_where_independent_finite_elements_on_the_same_nodes_do) {
  EXPECT_NEAR(tip_drop_at_rest(0), 0.2875, 0.002);
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
  step(geometric, 60);
  const Points line = centre_line(geometric);
  const auto fem = [&](double stiffness) {
    Scene scene =
        bar("geometric/bar-fem", {"timestep=0.1", "bodies.bar.fem.stiffness=" + std::to_string(stiffness)});
    step(scene, 60);
    return centre_line(scene);
  };
  // The drop falls with stiffness nearly as a line within these few percent.
  const double drop = line.back().y(), one = fem(1e6).back().y(), two = fem(1.05e6).back().y();
  const double stiffness = 1e6 + 0.05e6 * (drop - one) / (two - one);
  const Points other = fem(stiffness);
  ASSERT_NEAR(other.back().y(), drop, 0.005);
  double sum = 0;
  for (std::size_t k = 0; k < line.size(); ++k) sum += (line[k] - other[k]).squaredNorm();
  const double rms = std::sqrt(sum / double(line.size()));
  std::printf(
      "bar: tip falls by %.3f L, by finite elements of %.3g Pa by %.3f L; centre lines apart by %.4f L\n",
      (line.front().y() - drop) / 2, stiffness, (other.front().y() - other.back().y()) / 2, rms / 2);
  EXPECT_LT(rms, 0.01 * 2);
  EXPECT_NEAR(stiffness, 1.05e6,
              0.05e6);  // the geometric bar is the stiffer one, by 1 + 5/N^2 - tetrahedra's own
}

TEST(BarFem, the_stiff_geometric_bar_swings_in_the_period_of_finite_elements_at_a_960th_of_a_second) {
  const auto lowest = [](Scene scene) {
    double before = 0, last = 0;
    const double start = centre_line(scene).back().y(), h = scene.simulation.options().h;
    for (int k = 1; k * h < 0.7; ++k) {
      step(scene, 1);
      const double now = start - centre_line(scene).back().y();
      if (k > 1 && now < last) return (k - 1 + 0.5 * (before - now) / (before - 2 * last + now)) * h;
      before = last;
      last = now;
    }
    return 0.0;
  };
  const double fine = lowest(
      bar("geometric/bar-stiff", {"substeps=16", "bodies.bar.method=fem", "bodies.bar.fem.stiffness=5e6",
                                  "bodies.bar.fem.poisson=0", "bodies.bar.fem.integrator=bdf2"}));
  ASSERT_GT(fine, 0.3);
  EXPECT_NEAR(lowest(bar("geometric/bar-stiff", {})) / fine, 1, 0.05);
}

}  // namespace
}  // namespace pliant
