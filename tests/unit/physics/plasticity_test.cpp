// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/plasticity.hpp"

#include <gtest/gtest.h>

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

}  // namespace plasticity_test
}  // namespace pliant
