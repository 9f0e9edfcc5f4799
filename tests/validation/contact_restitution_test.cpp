// SPDX-License-Identifier: Apache-2.0
// Restitution is asked of the points that touch; a body so stiff that it moves as one takes it over.
#include "tests/support/contact_rig.hpp"

namespace pliant {
namespace {

using geometric::Integrator;

/// Speed after over speed before the impact of a box dropped flat from a metre.
double rebound(double restitution, Integrator integrator) {
  ContactRig rig(
      make_shape(BoxShape{.size = {0.5, 0.5, 0.5}, .nodes = {4, 4, 4}, .corner = {-0.25, 1, -0.25}}), 1e10,
      integrator, 1.0 / 120);
  rig.colliders.emplace_back(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, Motion{}, 0.5, restitution);
  double down = 0, up = 0;
  while (rig.time() < 0.6 && rig.step()) {
    down = std::min(down, rig.velocity().y());
    up = std::max(up, rig.velocity().y());
  }
  EXPECT_NEAR(down, -std::sqrt(2 * 9.81), 0.15);
  return -up / down;
}

TEST(Restitution, a_stiff_body_leaves_with_its_share_of_the_speed) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::euler})
    for (const double restitution : {0.0, 0.5, 1.0}) {
      const double share = rebound(restitution, integrator);
      EXPECT_NEAR(share, restitution, 0.04) << (integrator == Integrator::bdf2 ? "bdf2" : "euler");
      measured(fmt::format("share_{}", restitution), share);
    }
}

}  // namespace
}  // namespace pliant
