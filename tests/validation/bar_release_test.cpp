// SPDX-License-Identifier: Apache-2.0
// A bar that was twisted and is let go swings about its axis faster than it bends: within a step its end
// turns by half a radian, and the straight prediction of the step swells it (newton_stop.hpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/physics/metrics.hpp"
#include "pliant/scene/library.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace bar_release_test {

struct Release {
  const char* name;
  double stiffness;  ///< Pa
  int degrees;
  const char* more;  ///< a setting more
};

class BarRelease : public testing::TestWithParam<Release> {};

double energy(const Body& body) {
  return kinetic_energy(body.method().nodes()) + body.method().elastic_energy();
}

TEST_P(BarRelease, a_twisted_bar_that_is_let_go_never_has_more_energy_than_it_was_given) {
  const Release& release = GetParam();
  LoadOptions options;
  options.libraries = {source_folder() + "/scenes"};
  options.sets = {fmt::format("bodies.bar.geometric.stiffness={}", release.stiffness),
                  fmt::format("bodies.bar.handles.0.motion.1.rotate.degrees={}", release.degrees),
                  "bodies.bar.damping.mass=0", "bodies.bar.damping.stiffness=0", "gravity=[0,0,0]"};
  if (*release.more) options.sets.push_back(release.more);
  Result<Scene> scene = load_scene("geometric/bar-twist", options);
  ASSERT_TRUE(scene) << scene.error().text();
  Simulation& simulation = scene->simulation;
  const Body& bar = simulation.bodies()[0];

  const auto run_to = [&](double time) {
    double most = 0;
    while (simulation.time() < time - 1e-9) {
      const auto failure = simulation.step();
      EXPECT_FALSE(failure) << failure->text();
      if (failure) return most;
      most = std::max(most, energy(bar));
    }
    return most;
  };
  run_to(2);
  const double given = energy(bar), most = run_to(5), left = energy(bar);
  std::printf("%s: %.4g J given, at most %.3f of it after, %.2g of it 3 s later\n", release.name, given,
              most / given, left / given);
  EXPECT_GT(given, 1);
  EXPECT_LT(most, 1.02 * given);
  EXPECT_LT(left, 0.1 * given);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, BarRelease,
    testing::Values(Release{"soft", 2e6, 270, ""}, Release{"stiff_45", 5e6, 45, ""},
                    Release{"stiff_90", 5e6, 90, ""}, Release{"stiff_270", 2e7, 270, ""},
                    Release{"stiffer", 5e7, 90, ""},
                    Release{"multigrid", 5e6, 90, "bodies.bar.geometric.linear_solver=multigrid"},
                    Release{"reduced", 5e6, 90, "bodies.bar.geometric.reduction={\"modal\":8}"}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace bar_release_test
}  // namespace pliant
