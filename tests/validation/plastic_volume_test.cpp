// SPDX-License-Identifier: Apache-2.0
// What flows changes its shape, not its volume: bars that are stretched by a fifth and let go stay longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"
#include "pliant/sim/recorder.hpp"

namespace pliant {
namespace plastic_volume_test {

TEST(PlasticVolume, of_a_bar_left_longer_is_that_at_rest_for_every_method) {
  for (const auto& [method, settings] :
       {std::pair{"geometric", ""}, {"metric", ""}, {"meshless", ""}, {"cage", R"(, "cells": [4, 1, 1])"}}) {
    const ParsedScene parsed =
        parse_scene(fmt::format(R"({{"gravity": [0, 0, 0], "bodies": [{{"name": "bar", "method": "{0}",
          "{0}": {{"stiffness": 1e6, "plasticity": {{"yield": 0.02, "creep": 1}}{1}}},
          "damping": {{"mass": 2, "stiffness": 0.01}},
          "shape": {{"box": {{"size": [1, 0.25, 0.25], "nodes": [13, 4, 4]}}}}, "handles": [
          {{"select": {{"halfspace": {{"point": [1e-3, 0, 0], "normal": [-1, 0, 0]}}}}, "release": 2}},
          {{"select": {{"halfspace": {{"point": [0.999, 0, 0], "normal": [1, 0, 0]}}}}, "release": 2,
            "motion": [{{"time": 0}}, {{"time": 1, "translate": [0.2, 0, 0]}}]}}]}}]}})",
                                method, settings),
                    "bar.json", {});
    Result<Scene> scene = build_scene(parsed);
    ASSERT_TRUE(scene) << scene.error().text();
    Recorder recorder(scene->simulation, {});
    for (int frame = 1; frame <= 180; ++frame) ASSERT_FALSE(scene->simulation.step());
    recorder.note_frame(scene->simulation, 180);
    const auto cell = [&](const std::string& metric) {
      const auto& columns = recorder.columns();
      return recorder.rows()[0]
          .cells[std::size_t(std::find(columns.begin(), columns.end(), metric) - columns.begin())];
    };
    const double longer = cell("max_x") - cell("min_x"), volume = cell("volume_ratio");
    fmt::print("{}: {:.3f} as long, {:.4f} of its volume\n", method, longer, volume);
    EXPECT_GT(longer, 1.1) << method;
    EXPECT_NEAR(volume, 1, 0.02) << method;
  }
}

}  // namespace plastic_volume_test
}  // namespace pliant
