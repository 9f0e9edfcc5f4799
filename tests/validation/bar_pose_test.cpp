// SPDX-License-Identifier: Apache-2.0
// The static solve on the bar of geometric/bar-static, against what dynamics and other programs give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/scene/parse.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace bar_pose_test {

/// Tip drop of the middle of the free end, m.
double drop(std::vector<std::string> sets) {
  LoadOptions options;
  options.libraries = {source_folder() + "/scenes"};
  options.sets = std::move(sets);
  Result<Scene> scene = load_scene("geometric/bar-static", options);
  EXPECT_TRUE(scene) << scene.error().text();
  const Points& x = scene->simulation.bodies()[0].method().nodes().x;
  std::size_t tip = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if ((x[i] - Vec3(0, 1, 2)).norm() < (x[tip] - Vec3(0, 1, 2)).norm()) tip = i;
  const PoseResult result = scene->simulation.pose(0, 0, {});
  EXPECT_TRUE(result.ok()) << result.trouble;
  EXPECT_LT(result.iterations, 15);
  const double down = 1 - x[tip].y();
  std::printf("tip %.5f m below after %d Newton steps, residual %.1e\n", down, result.iterations,
              result.residual);
  return down;
}

TEST(BarPose, the_stiff_bar_rests_where_its_dynamics_settles) {
  EXPECT_NEAR(drop({}), 0.2956, 0.0005);
  EXPECT_NEAR(drop({"bodies.bar.geometric.linear_solver=multigrid"}), 0.2956, 0.0005);
}

TEST(BarPose, finite_elements_rest_where_independent_ones_do) {
  EXPECT_NEAR(drop({"bodies.bar.method=fem", "bodies.bar.fem.stiffness=5e6", "bodies.bar.fem.poisson=0"}),
              0.2875, 0.002);
}

/// With the default settings of every method, and of the search.
TEST(BarPose, loaded_or_not_every_method_finds_its_balance) {
  for (const char* method : {"geometric", "metric", "meshless", "cage", "fem"})
    for (const double gravity : {0.0, -9.81}) {
      Result<Scene> scene = build_scene(parse_scene(
          fmt::format(R"({{"gravity": [0, {}, 0], "bodies": [{{"method": "{}", "{}": {{"stiffness": 1e6}},
            "shape": {{"box": {{"size": [1, 0.2, 0.2], "nodes": [16, 4, 4]}}}},
            "pins": [{{"select": {{"halfspace": {{"point": [1e-4, 0, 0], "normal": [-1, 0, 0]}}}}}}]}}]}})",
                      gravity, method, method),
          "bar.json"));
      ASSERT_TRUE(scene) << scene.error().text();
      const PoseResult result = scene->simulation.pose(0, 0, {});
      EXPECT_TRUE(result.ok()) << method << ": " << result.trouble;
      EXPECT_LE(result.residual, 1e-6) << method;
      EXPECT_LE(result.iterations, 50) << method;
    }
}

}  // namespace bar_pose_test
}  // namespace pliant
