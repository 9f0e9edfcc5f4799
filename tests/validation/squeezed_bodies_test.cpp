// SPDX-License-Identifier: Apache-2.0
// Bodies that are squeezed through and together, and take their shape again [Li20: 1_squeezeOut, 8_rollers,
// 15_trashCompactor]: within 1 % of their size, wherever they lie then.
#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"
#include "tests/support/rigid_fit.hpp"

namespace pliant {
namespace squeezed_bodies_test {

using namespace test;

/// How far a body is from its shape at rest, over its size.
double deformed(const Body& body, const Shape& shape) {
  const NodeState& nodes = body.method().nodes();
  Eigen::AlignedBox3d box;
  for (const Vec3& x : shape.graph.positions) box.extend(x);
  return shape_error(nodes.x, shape.graph.positions, nodes.mass) / box.diagonal().norm();
}

/// Turns about z through its centre at this many degrees a second.
Motion rolling(double degrees, double seconds) {
  return straight_motion({{}, {.time = seconds, .rotate = {{0, 0, 1}, degrees * seconds}}});
}

// Two rolls take a ball of 0.2 m through a gap of 0.14 m between them by friction.
TEST(SqueezedBodies, a_ball_between_rolls_goes_through_and_is_a_ball_again) {
  MeetingWorld world;
  world.method.stiffness = 1e5;
  world.damping = {.mass = 0.5, .stiffness = 0.01};
  world.contact.friction = 1;
  world.colliders.push_back(plane_collider(0.5));
  const Shape ball = make_shape(EllipsoidShape{{0.1, 0.1, 0.1}, 9, {0, 0, 0}});
  world.add(ball, {{0, 0.66, 0}});
  const Shape roll = make_shape(CylinderShape{0.1, 0.3, {9, 4}, {0, 0, 0}});
  const Mat3 along_z = turned_by(90, {1, 0, 0});
  for (const int side : {-1, 1})  // inwards above
    world.add(roll, {{0.17 * side, 0.5, 0}, {0, 0, 0}, along_z}, {hold_all(roll, rolling(90 * side, 6))});
  WatchedRun run(std::move(world));
  run.run_to(3);
  measured("least_volume", run.least_volume);
  const Body& out = run.simulation.bodies()[0];
  measured("deformed", deformed(out, ball));
  EXPECT_GT(run.contacts, 5);
  EXPECT_LT(centre_of(out).y(), 0.12);  // it lies below
  EXPECT_LT(deformed(out, ball), 0.01);
  EXPECT_EQ(run.missing, 0);
}

// A ring of 0.28 m is pressed through a funnel that leaves it 0.17 m: less than twice its tube and what that takes.
TEST(SqueezedBodies, a_ring_squeezed_out_between_plates_is_a_ring_again) {
  MeetingWorld world;
  world.method.stiffness = 1e5;
  world.damping = {.mass = 0.5, .stiffness = 0.01};
  world.contact.friction = 0.1;
  world.colliders.push_back(plane_collider(0.5));
  const Shape ring = make_shape(TorusShape{.ring_radius = 0.1, .tube_radius = 0.04, .nodes = {5, 20}});
  world.add(ring, {{0, 0.72, 0}, {0, 0, 0}, turned_by(90, {1, 0, 0})});
  const Shape plate = make_shape(BoxShape{{0.3, 0.04, 0.3}, {5, 2, 5}, {0, 0, 0}});
  for (const int side : {-1, 1})
    world.add(plate, {{0.175 * side, 0.45, 0}, {0, 0, 0}, turned_by(62 * side, {0, 0, 1})},
              {hold_all(plate)});
  const Shape press = make_shape(BoxShape{{0.06, 0.1, 0.3}, {3, 3, 5}, {0, 0, 0}});
  world.add(press, {{0, 0.92, 0}}, {hold_all(press, straight_motion({{}, {1.5, {0, -0.4, 0}}, {2, {}}}))});
  WatchedRun run(std::move(world));
  run.run_to(2.5);
  const Body& out = run.simulation.bodies()[0];
  measured("least_volume", run.least_volume);
  measured("deformed", deformed(out, ring));
  EXPECT_LT(centre_of(out).y(), 0.2);  // it is through
  EXPECT_LT(deformed(out, ring), 0.01);
  EXPECT_EQ(run.missing, 0);
}

// Two walls press a ring, a ball and a cube in a closed box into a third of their room, and go back.
TEST(SqueezedBodies, what_a_compactor_presses_together_takes_its_shape_again) {
  MeetingWorld world;
  world.method.stiffness = 1e5;
  world.damping = {.mass = 0.5, .stiffness = 0.01};
  world.contact.friction = 0.2;
  world.colliders.push_back(plane_collider(0.2));
  world.colliders.push_back(Collider(PlaneCollider{{0, 0.26, 0}, {0, -1, 0}}, {}, 0.2, 0));
  for (const double side : {-1, 1})
    world.colliders.push_back(Collider(PlaneCollider{{0, 0, -0.12 * side}, {0, 0, side}}, {}, 0.2, 0));
  const Shape ring = make_shape(TorusShape{.ring_radius = 0.08, .tube_radius = 0.03, .nodes = {5, 16}});
  const Shape ball = make_shape(EllipsoidShape{{0.08, 0.08, 0.08}, 7, {0, 0, 0}});
  const Shape cube = make_shape(BoxShape{{0.14, 0.14, 0.14}, {4, 4, 4}, {0, 0, 0}});
  const std::array shapes{&ring, &ball, &cube};
  world.add(ring, {{0, 0.032, 0}});
  world.add(ball, {{0.14, 0.15, 0.02}});
  world.add(cube, {{-0.1, 0.15, -0.01}, {0, 0, 0}, turned_by(20, {1, 2, 0})});
  const Shape wall = make_shape(BoxShape{{0.04, 0.25, 0.23}, {2, 5, 5}, {0, 0, 0}});
  world.method.stiffness = 1e7;
  for (const int side : {-1, 1}) {
    const Vec3 in(-0.18 * side, 0, 0);
    world.add(wall, {{0.29 * side, 0.13, 0}},
              {hold_all(wall, straight_motion({{}, {1.5, in}, {2, in}, {2.5, {}}}))});
  }
  WatchedRun run(std::move(world));
  run.run_to(3.5);
  measured("least_volume", run.least_volume);
  EXPECT_LT(run.least_volume, 0.92);
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const double error = deformed(run.simulation.bodies()[k], *shapes[k]);
    measured("deformed_" + std::to_string(k), error);
    EXPECT_LT(error, 0.01) << k;
  }
  EXPECT_EQ(run.missing, 0);
}

}  // namespace squeezed_bodies_test
}  // namespace pliant
