// SPDX-License-Identifier: Apache-2.0
// A metric body that falls on the ground at time steps far too long for the impact: it lands whole, and no
// step gives it more energy than it fell with.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "metric_figures.hpp"

namespace pliant::metric {
namespace metric_contact_test {

constexpr double height = 5, gravity = 9.81;

class LongSteps : public testing::TestWithParam<double> {};

TEST_P(LongSteps, leave_a_stiff_box_that_lands_whole) {
  Options options;
  options.strength = 1e5;  // J: lengths answer within a hundredth of the step
  Experiment box(masked_graph({6, 6, 6}), options, 0.5);
  box.h = GetParam();
  box.gravity = {0, -gravity, 0};
  box.colliders = {ground()};
  box.raise(height);
  double mass = 0, most = 0, least_volume = 1;
  for (const double m : box.body().nodes().mass) mass += m;
  for (double time = 0; time < 10; time += box.h) {
    box.run(box.h);
    if (HasFatalFailure()) return;
    most = std::max(most, box.body().elastic_energy());
    least_volume = std::min(least_volume, box.outcome().volume);
  }
  const Outcome after = box.outcome();
  RecordProperty("most_elastic_over_fall", fmt::format("{:.3g}", most / (mass * gravity * height)));
  RecordProperty("least_volume", fmt::format("{:.3f}", least_volume));
  EXPECT_LT(most, mass * gravity * height);
  EXPECT_GT(least_volume, 0.9);
  EXPECT_EQ(after.inverted, 0);
  EXPECT_LT(after.shape, 0.02);
  double lowest = 1e9;
  for (const Vec3& x : box.body().nodes().x) lowest = std::min(lowest, x.y());
  EXPECT_NEAR(lowest, 0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(MetricContact, LongSteps, testing::Values(1.0 / 60, 1.0 / 30, 0.1, 0.3),
                         [](const auto& test) {
                           return "h_" + std::to_string(int(1000 * test.param)) + "_ms";
                         });

}  // namespace metric_contact_test
}  // namespace pliant::metric
