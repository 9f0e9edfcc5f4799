// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/expect.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/sim/free_fall.hpp"

namespace pliant {
namespace expect_test {

/// One node of a block is driven up and down like cos(2 pi t / 0.8) by a fine polygon, for 2 s at 0.1 s a
/// frame.
struct Swing {
  Shape shape = make_shape(BoxShape{Vec3(1, 1, 1), {2, 2, 2}});
  Simulation simulation = make();
  Recorder recorder{simulation, {{"tip", 0, {7}}}};
  SceneSpec scene;

  Simulation make() {
    Motion motion{{}, Ease::linear};
    for (int k = 0; k <= 200; ++k)
      motion.keys.push_back({0.01 * k, Vec3(0, std::cos(2 * M_PI * 0.01 * k / 0.8) - 1, 0), {}});
    const Points& X = shape.graph.positions;
    std::vector<Body> bodies;
    bodies.emplace_back("block", shape, std::make_unique<FreeFall>(shape, 1000),
                        std::vector<Hold>{{{7}, motion}}, Start{X, Points(X.size(), Vec3::Zero())});
    return Simulation(std::move(bodies), {0.1, Vec3(0, 0, 0), 1});
  }
  Swing() {
    scene.timestep = 0.1;
    scene.bodies.push_back({});
    scene.bodies[0].name = "block";
    recorder.note_frame(simulation, 0);
    for (int frame = 1; frame <= 20; ++frame) {
      EXPECT_FALSE(simulation.step());
      recorder.note_step(simulation);
      recorder.note_frame(simulation, frame);
    }
  }
  ExpectationResult result(ExpectSpec expect) {
    expect.metric = expect.metric == "volume_ratio" ? "tip_dy" : expect.metric;
    scene.expect = {expect};
    return evaluate(scene, recorder).at(0);
  }
};

TEST(Expect, measures_end_extremes_times_and_period) {
  Swing swing;
  EXPECT_NEAR(swing.result({.at = {"end", 0}}).measured, std::cos(2 * M_PI * 2 / 0.8) - 1, 1e-12);
  EXPECT_NEAR(swing.result({.at = {"min", 0}}).measured, -2, 1e-12);
  EXPECT_NEAR(swing.result({.at = {"max", 0}}).measured, 0, 1e-12);
  EXPECT_NEAR(swing.result({.at = {"", 0.4}}).measured, -2, 1e-12);
  EXPECT_NEAR(swing.result({.at = {"period", 0}}).measured, 0.8, 1e-9);
}

TEST(Expect, a_window_limits_what_counts) {
  Swing swing;
  EXPECT_NEAR(swing.result({.at = {"max", 0}, .from = 0.1, .to = 0.7}).measured,
              std::cos(2 * M_PI * 0.1 / 0.8) - 1, 1e-12);
}

TEST(Expect, always_shows_the_value_farthest_out) {
  Swing swing;
  const auto result = swing.result({.at = {"always", 0}, .min = -1.5, .max = 0.5});
  EXPECT_NEAR(result.measured, -2, 1e-12);
  EXPECT_FALSE(result.met);
  EXPECT_TRUE(swing.result({.at = {"always", 0}, .min = -2.5, .max = 0.5}).met);
}

TEST(Expect, what_has_no_value_is_not_met) {
  Swing swing;
  EXPECT_FALSE(swing.result({.metric = "inverted", .max = 1e9}).met);            // the method has no cells
  EXPECT_FALSE(swing.result({.at = {"", 7}, .max = 1e9}).met);                   // the run is shorter
  EXPECT_FALSE(swing.result({.at = {"period", 0}, .to = 0.5, .max = 1e9}).met);  // no full swing
}

TEST(Expect, text_says_what_was_measured_and_expected) {
  Swing swing;
  const std::string text = swing.result({.at = {"min", 0}, .from = 0.2, .min = -3, .max = -1}).text();
  EXPECT_EQ(text, "met      tip_dy of block, min, from 0.2 s: -2 (expected >= -3 and <= -1)");
}

TEST(Expect, announced_warnings_must_come_and_others_are_told) {
  SceneSpec scene;
  const std::vector<std::string> warnings{"bar: 3 cells stayed inside out", "ball: it collapsed to 0.1"};
  EXPECT_TRUE(evaluate_warnings(scene, warnings).empty());
  EXPECT_EQ(unexpected_warnings(scene, warnings), warnings);
  scene.expect_warnings = {"inside out", "stood still"};
  const auto results = evaluate_warnings(scene, warnings);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].text(), "met      warnings with \"inside out\": 1 (expected >= 1)");
  EXPECT_FALSE(results[1].met);
  EXPECT_EQ(unexpected_warnings(scene, warnings), std::vector{warnings[1]});
}

}  // namespace expect_test
}  // namespace pliant
