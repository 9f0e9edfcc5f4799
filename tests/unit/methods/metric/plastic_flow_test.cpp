// SPDX-License-Identifier: Apache-2.0
// The rest metric of a cell whose edges along y are held stretched, against the law in numbers.
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace {

/// Rest length of the stretched edges after so many steps, from the energy: lengths only, so that it is
/// that of four edges, eta/4 (l^2 - g)^2 each.
double rest_length(const PlasticLaw& law, double stretch, double h, int steps) {
  Pool pool(1);
  Options options = papers(1, {.area = 0, .volume = 0, .pillar = 0, .orientation = 0});
  options.plasticity = law;
  const auto body = lattice_body({2, 2, 2}, options);
  std::vector<Index> held;
  Points targets = body->model().rest;
  for (Index i = 0; i < body->model().nodes(); ++i) {
    held.push_back(i);
    targets[std::size_t(i)].y() *= stretch;
  }
  StepInput input;
  input.h = h;
  input.held = held, input.targets = targets;
  input.pool = &pool;
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(body->advance(input).ok());
  const double s = std::sqrt(body->elastic_energy() / 200), l2 = stretch * stretch;
  return std::sqrt(stretch > 1 ? l2 - s : l2 + s);
}

TEST(MetricPlasticFlow, a_step_moves_the_rest_length_by_its_share_of_the_strain_above_yield) {
  const PlasticLaw law{.yield = 0.05, .creep = 2, .cap = 0.5};
  // kappa = creep (rho - yield) h/h_ref of l - l0
  EXPECT_NEAR(rest_length(law, 1.2, 0.01, 1), 1 + 2 * 0.15 * 0.01 * 30 * 0.2, 1e-9);
  EXPECT_NEAR(rest_length(law, 0.8, 0.01, 1), 1 - 2 * 0.15 * 0.01 * 30 * 0.2, 1e-9);
  const double one = 1 + 2 * 0.15 * 0.01 * 30 * 0.2;
  EXPECT_NEAR(rest_length(law, 1.2, 0.01, 2), one + 2 * ((1.2 - one) / one - 0.05) * 0.01 * 30 * (1.2 - one),
              1e-9);
}

TEST(MetricPlasticFlow, nothing_flows_up_to_yield_and_nothing_beyond_the_cap) {
  EXPECT_NEAR(rest_length({.yield = 0.21, .creep = 2, .cap = 0.5}, 1.2, 0.01, 10), 1, 1e-12);
  EXPECT_NEAR(rest_length({.yield = 0.01, .creep = 1e6, .cap = 0.07}, 1.2, 0.01, 10), 1.07, 1e-9);
  EXPECT_NEAR(rest_length({.yield = 0.01, .creep = 1e6, .cap = 0.07}, 0.8, 0.01, 10), 0.93, 1e-9);
}

}  // namespace
}  // namespace pliant::metric
