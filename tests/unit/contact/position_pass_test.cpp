// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/position_pass.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace position_pass_test {

/// Contacts of nodes that move on their own, each by s times its impulse.
ContactProblem loose(std::span<const Contact> touches, float s) {
  ContactProblem problem;
  problem.reset(Index(touches.size()), 1, false);
  for (Index c = 0; c < problem.size(); ++c) {
    problem.row(c).normal = touches[std::size_t(c)].normal;
    for (Index d = 0; d < problem.size(); ++d) problem.s(c, d) = c == d ? s : 0;
  }
  problem.prepare();
  return problem;
}

TEST(PositionPass, what_is_deep_is_lifted_to_half_the_slop_and_the_rest_is_left_alone) {
  std::vector<Contact> touches(3);
  touches[0].gap = -0.03, touches[0].normal = {0, 1, 0};
  touches[1].gap = 0.01, touches[1].normal = {1, 0, 0};
  touches[2].gap = -0.05, touches[2].normal = {0, 0, -1};
  constexpr float s = 0.25f;
  constexpr double slop = 0.01;
  ContactProblem problem = loose(touches, s);
  PositionPass pass;
  const std::span<const Vec3> impulses = pass.solve(touches, slop, 10, problem);
  ASSERT_EQ(impulses.size(), 3u);
  EXPECT_LT((double(s) * impulses[0] - Vec3(0, 0.025, 0)).norm(), 1e-9);
  EXPECT_EQ(impulses[1], Vec3(0, 0, 0));
  EXPECT_LT((double(s) * impulses[2] - Vec3(0, 0, -0.045)).norm(), 1e-9);
}

TEST(PositionPass, a_body_is_not_thrown_out_of_a_collider_at_once) {
  std::vector<Contact> touches(1);
  touches[0].gap = -5;
  ContactProblem problem = loose(touches, 1);
  PositionPass pass;
  EXPECT_NEAR(pass.solve(touches, 0, 2, problem)[0].y(), 0.24, 1e-9);  // 0.12 of its size
}

}  // namespace position_pass_test
}  // namespace pliant
