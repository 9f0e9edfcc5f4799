// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/statics.hpp"

#include "tests/unit/methods/rigid/bodies.hpp"

namespace pliant::rigid {
namespace rigid_statics_test {

Relaxation relax(Method& body, const Steps& steps) {
  RelaxMemory memory;
  return body.relax(steps.input, 1e-9, memory);
}

TEST(RigidStatics, leave_a_body_without_load_where_it_is) {
  const auto body = body_of(racket_shape());
  const Points before = body->nodes().x;
  const Relaxation out = relax(*body, Steps(1));
  EXPECT_TRUE(out.trouble.empty());
  EXPECT_EQ(out.residual, 0);
  EXPECT_LT((body->nodes().x[3] - before[3]).norm(), 1e-15);
}

TEST(RigidStatics, say_that_a_free_body_falls) {
  const auto body = body_of(racket_shape());
  EXPECT_NE(relax(*body, Steps(1, {0, -9.81, 0})).trouble.find("nothing holds it"), std::string::npos);
}

/// Also when it starts upright, where it is balanced and would fall.
TEST(RigidStatics, find_the_lowest_place_on_a_ball_joint) {
  for (const Vec3& down : {Vec3(1, 0.3, -0.2), Vec3(-0.5, -0.1, -0.3), Vec3(0.5, 0.1, 0.3)}) {
    const auto body = body_of(racket_shape());
    Steps steps(1, 9.81 * down.normalized());
    const std::vector<Index> held{0};
    const Points targets{Vec3(-0.5, -0.1, -0.3)};
    steps.input.held = held, steps.input.targets = targets;
    const Relaxation out = relax(*body, steps);
    EXPECT_TRUE(out.trouble.empty());
    EXPECT_LT(out.residual, 1e-9);
    EXPECT_LT((motion_of(*body).centre - targets[0] - Vec3(0.5, 0.1, 0.3).norm() * down.normalized()).norm(),
              1e-8);
    EXPECT_EQ(body->nodes().x[0], targets[0]);
  }
}

/// Level, the pull against turning down has no stiffness at all.
TEST(RigidStatics, find_down_from_where_a_bar_is_level) {
  const auto body =
      body_of(make_shape(BoxShape{.size = {1, 0.2, 0.2}, .nodes = {3, 3, 3}, .corner = {0, -0.1, -0.1}}));
  Steps steps(1, {0, -9.81, 0});
  std::vector<Index> held;
  for (Index i = 0; i < body->describe().nodes; ++i)
    if (body->nodes().x[std::size_t(i)].norm() < 1e-9) held.push_back(i);
  const Points targets{Vec3::Zero()};
  ASSERT_EQ(held.size(), 1u);
  steps.input.held = held, steps.input.targets = targets;
  EXPECT_LT(relax(*body, steps).residual, 1e-9);
  EXPECT_LT((motion_of(*body).centre - Vec3(0, -0.5, 0)).norm(), 1e-8);
}

TEST(RigidStatics, find_the_lowest_place_on_a_hinge) {
  const auto body = body_of(racket_shape());
  Steps steps(1, {3, -9.81, 0});
  std::vector<Index> held;  // the edge of lowest x and y
  for (Index i = 0; i < 8; ++i)
    if (body->nodes().x[std::size_t(i)].x() < 0 && body->nodes().x[std::size_t(i)].y() < 0) held.push_back(i);
  ASSERT_EQ(held.size(), 2u);
  Points targets;
  for (const Index i : held) targets.push_back(body->nodes().x[std::size_t(i)]);
  steps.input.held = held, steps.input.targets = targets;
  EXPECT_LT(relax(*body, steps).residual, 1e-9);
  const Vec3 arm = motion_of(*body).centre - Vec3(-0.5, -0.1, 0);
  EXPECT_LT((arm.normalized() - Vec3(3, -9.81, 0).normalized()).norm(), 1e-8);
}

/// Each spring of two at its ends bears half the weight.
TEST(RigidStatics, hang_a_body_in_the_springs_of_its_grabs) {
  const auto body = body_of(racket_shape());
  Steps steps(1, {0, -9.81, 0});
  std::vector<Grab> grabs;
  for (Index i = 0; i < 8; ++i)
    if (const Vec3 x = body->nodes().x[std::size_t(i)]; x.y() > 0) grabs.push_back({i, x, 1e4});
  ASSERT_EQ(grabs.size(), 4u);
  steps.input.grabs = grabs;
  EXPECT_LT(relax(*body, steps).residual, 1e-9);
  EXPECT_LT((motion_of(*body).centre - Vec3(0, -120 * 9.81 / 4e4, 0)).norm(), 1e-7);
}

}  // namespace rigid_statics_test
}  // namespace pliant::rigid
