// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/plasticity.hpp"

#include <gtest/gtest.h>

#include "pliant/physics/without_volume.hpp"

namespace pliant {
namespace plasticity_test {

TEST(PlasticLaw, nothing_flows_up_to_yield_and_never_more_than_all_above_it) {
  const PlasticLaw law{.yield = 0.1, .creep = 2, .cap = 0.5};
  EXPECT_EQ(flow_share(law, 0.1, 1.0 / 30), 0);
  EXPECT_EQ(flow_share(law, 0.05, 1.0 / 30), 0);
  EXPECT_NEAR(flow_share(law, 0.2, 1.0 / 30), 0.2, 1e-12);
  EXPECT_NEAR(flow_share(law, 0.2, 1.0 / 60), 0.1, 1e-12);
  EXPECT_EQ(flow_share(law, 100, 1.0 / 30), 1);
}

TEST(PlasticLaw, a_rest_length_changes_by_the_cap_at_most) {
  const PlasticLaw law{.yield = 0.1, .creep = 2, .cap = 0.5};
  EXPECT_EQ(capped_length(law, 3, 1), 1.5);
  EXPECT_EQ(capped_length(law, 0.1, 1), 0.5);
  EXPECT_EQ(capped_length(law, 1.2, 1), 1.2);
}

TEST(PlasticLaw, a_strain_that_stays_changes_no_volume_and_keeps_its_shape) {
  Mat3 e;
  e << 0.3, 0.1, -0.05, 0.1, -0.1, 0.02, -0.05, 0.02, -0.2;
  const Mat3 kept = without_volume(e), shift = kept - e;
  EXPECT_NEAR((Mat3::Identity() + kept).determinant(), 1, 1e-12);
  EXPECT_GT((Mat3::Identity() + e).determinant(), 0.5);
  EXPECT_LT((Mat3::Identity() + e).determinant(), 0.95);
  EXPECT_LT((shift - shift(0, 0) * Mat3::Identity()).norm(), 1e-12);
  EXPECT_LT((without_volume(kept) - kept).norm(), 1e-12);
  const Mat3 crushed = -2 * Mat3::Identity();
  EXPECT_EQ(without_volume(crushed), crushed);
}

}  // namespace plasticity_test
}  // namespace pliant
