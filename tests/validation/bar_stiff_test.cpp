// SPDX-License-Identifier: Apache-2.0
// The accuracy that geometric/bar-stiff promises: where it hangs, how fast and how long it swings.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/scene/library.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace bar_stiff_test {

Scene stiff_bar(std::vector<std::string> sets = {}) {
  LoadOptions options;
  options.libraries = {source_folder() + "/scenes"};
  options.sets = std::move(sets);
  Result<Scene> scene = load_scene("geometric/bar-stiff", options);
  EXPECT_TRUE(scene) << scene.error().text();
  return std::move(*scene);
}

/// The mean height of the free end's nodes below where they start, as the scene's probe sees it.
class Tip {
 public:
  explicit Tip(const Scene& scene) : simulation_(scene.simulation) {
    const Points& x = nodes();
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i].z() > 2 - 1e-9) tip_.push_back(i);
    start_ = height();
  }
  double drop() const { return start_ - height(); }

 private:
  const Points& nodes() const { return simulation_.bodies()[0].method().nodes().x; }
  double height() const {
    double sum = 0;
    for (std::size_t i : tip_) sum += nodes()[i].y();
    return sum / double(tip_.size());
  }
  const Simulation& simulation_;
  std::vector<std::size_t> tip_;
  double start_ = 0;
};

struct TurningPoint {
  double time, drop;
};

/// Lowest and highest points of the swing from the first `seconds`, between the samples by a parabola.
std::vector<TurningPoint> swing(Scene scene, double seconds) {
  const Tip tip(scene);
  const double h = scene.simulation.options().h;
  std::vector<TurningPoint> out;
  double a = 0, b = 0;
  for (int step = 1; step * h <= seconds; ++step) {
    const auto failure = scene.simulation.step();
    EXPECT_FALSE(failure) << failure->text();
    const double c = tip.drop();
    if (step > 1 && (b - a) * (c - b) <= 0) {
      const double shift = 0.5 * (a - c) / (a - 2 * b + c);
      out.push_back({(step - 1 + shift) * h, b - 0.25 * (a - c) * shift});
    }
    a = b;
    b = c;
  }
  return out;
}

TEST(BarStiff, hangs_within_two_percent_of_the_converged_finite_elements) {
  Scene scene = stiff_bar(
      {"timestep=0.5", "bodies.bar.geometric.integrator=euler", "bodies.bar.geometric.tolerance=1e-6"});
  const Tip tip(scene);
  for (int step = 0; step < 25; ++step) {
    const auto failure = scene.simulation.step();
    ASSERT_FALSE(failure) << failure->text();
  }
  const double before = tip.drop();
  ASSERT_FALSE(scene.simulation.step());
  ASSERT_NEAR(tip.drop(), before, 1e-4);  // at rest; single precision lets it tremble by 1e-5 m
  std::printf("tip drop at rest: %.4f m (converged: 0.2985 m)\n", tip.drop());
  EXPECT_NEAR(tip.drop() / 0.2985, 1, 0.02);
}

TEST(BarStiff, swings_at_a_sixtieth_of_a_second_as_at_a_960th_and_keeps_its_amplitude) {
  const auto coarse = swing(stiff_bar(), 3.6);
  const auto fine = swing(stiff_bar({"substeps=16"}), 1);
  ASSERT_GE(fine.size(), 2u);
  ASSERT_GE(coarse.size(), 8u);
  // From the start to the first lowest point, and back up: the first period.
  EXPECT_NEAR(coarse[0].time / fine[0].time, 1, 0.03);
  EXPECT_NEAR(coarse[1].time / fine[1].time, 1, 0.03);
  ASSERT_GT(coarse[6].time, 3);
  const double first = coarse[0].drop - coarse[1].drop, late = coarse[6].drop - coarse[7].drop;
  std::printf("lowest after %.4f s and back up after %.4f s; with 16 substeps %.4f and %.4f s\n",
              coarse[0].time, coarse[1].time, fine[0].time, fine[1].time);
  std::printf("the swing spans %.4f m at first, after 3 s %.3f of it\n", first, late / first);
  EXPECT_GT(late / first, 0.95);
  EXPECT_LT(late / first, 1.02);
}

}  // namespace bar_stiff_test
}  // namespace pliant
