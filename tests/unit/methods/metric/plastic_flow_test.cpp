// SPDX-License-Identifier: Apache-2.0
// The rest metric of a cell whose edges along y are held stretched, against the law in numbers.
#include "pliant/methods/metric/plastic_flow.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace plastic_flow_test {

/// Rest length of the stretched edges of a cell after so many steps.
double rest_length(const PlasticLaw& law, double stretch, double h, int steps) {
  const Model model = lattice_model({2, 2, 2}, with_strength());
  Points x = model.rest;
  for (Vec3& p : x) p.y() *= stretch;
  std::vector<double> metrics(model.rest_metrics(), 1.0);
  FlowScratch scratch;
  for (int k = 0; k < steps; ++k) flow(model, law, h, x, metrics, scratch);
  return std::sqrt(metrics[std::size_t(model.grid.points) + std::size_t(model.grid.place[0])]);
}

/// The stretch without its change of volume.
double shape_stretch(double stretch) { return stretch / std::cbrt(stretch); }

TEST(MetricPlasticFlow, a_step_moves_the_rest_metric_by_its_share_of_the_strain_above_yield) {
  const PlasticLaw law{.yield = 0.05, .creep = 2, .cap = 0.5};
  // kappa = creep (rho - yield) h/h_ref of l'^2 - l0^2, l' the length without the change of volume
  const auto next = [&](double rest, double to) {
    const double kappa = 2 * (std::abs(to / rest - 1) - 0.05) * 0.01 * 30;
    return std::sqrt(rest * rest + kappa * (to * to - rest * rest));
  };
  const double out = shape_stretch(1.2), in = shape_stretch(0.8);
  EXPECT_NEAR(rest_length(law, 1.2, 0.01, 1), next(1, out), 1e-9);
  EXPECT_NEAR(rest_length(law, 0.8, 0.01, 1), next(1, in), 1e-9);
  EXPECT_NEAR(rest_length(law, 1.2, 0.01, 2), next(next(1, out), out), 1e-9);
}

TEST(MetricPlasticFlow, nothing_flows_up_to_yield_and_nothing_beyond_the_cap) {
  EXPECT_NEAR(rest_length({.yield = 0.14, .creep = 2, .cap = 0.5}, 1.2, 0.01, 10), 1, 1e-12);
  EXPECT_NEAR(rest_length({.yield = 0.01, .creep = 1e6, .cap = 0.07}, 1.2, 0.01, 10), 1.07, 1e-9);
  EXPECT_NEAR(rest_length({.yield = 0.01, .creep = 1e6, .cap = 0.07}, 0.8, 0.01, 10), 0.93, 1e-9);
}

TEST(MetricPlasticFlow, a_body_that_swells_springs_back) {
  const Model model = lattice_model({4, 3, 3}, with_strength());
  Points x = model.rest;
  for (Vec3& p : x) p *= 1.3;
  std::vector<double> metrics(model.rest_metrics(), 1.0);
  FlowScratch scratch;
  EXPECT_EQ(flow(model, {.yield = 0.02, .creep = 10, .cap = 1}, 1.0 / 60, x, metrics, scratch), 0);
}

/// The volume that a stretched and squeezed bar has at rest after it has flowed.
TEST(MetricPlasticFlow, a_bar_that_is_stretched_by_a_fifth_keeps_its_volume) {
  const Model model = lattice_model({4, 3, 3}, with_strength());
  Points x = model.rest;
  for (Vec3& p : x) p = Vec3(1.2 * p.x(), 0.95 * p.y(), 0.95 * p.z());
  std::vector<double> metrics(model.rest_metrics(), 1.0);
  FlowScratch scratch;
  for (int k = 0; k < 200; ++k)
    flow(model, {.yield = 0.02, .creep = 10, .cap = 1}, 1.0 / 60, x, metrics, scratch);
  const std::size_t n = std::size_t(model.grid.points), p = std::size_t(model.grid.place[0]);
  double volume = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) volume *= std::sqrt(metrics[axis * n + p]);
  EXPECT_GT(std::sqrt(metrics[p]), 1.13);  // 1.2 without its change of volume, less the yield
  EXPECT_NEAR(volume, 1, 0.01);
  // one metric for all directions: the diagonal xy fits the lengths
  EXPECT_NEAR(metrics[3 * n + p], (metrics[p] + metrics[n + p]) / 2, 1e-6);
}

}  // namespace plastic_flow_test
}  // namespace pliant::metric
