// SPDX-License-Identifier: Apache-2.0
// Thin things and fast things: what goes farther in a step than it is thick never comes out on the other side [MuJoCo:
// engine_ipc_test: ContactBlocksTunneling, ContactRecoversFromPenetration].
#include <gtest/gtest.h>

#include "pliant/geometry/surface_graph.hpp"
#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace tunnelling_test {

using namespace test;
using geometric::Integrator;

Shape sheet(double side, int nodes, double thickness) {
  return on_surface(
      make_shape(SheetShape{.size = {side, side}, .nodes = {nodes, nodes}, .thickness = thickness}),
      thickness);
}

bool on_the_rim(const Vec3& x, double side) {
  return std::max(std::abs(x.x()), std::abs(x.z())) > 0.499 * side;
}

MeetingWorld soft(double modulus, Integrator integrator = Integrator::euler) {
  MeetingWorld world;
  world.method.stiffness = modulus;
  world.method.integrator = integrator;
  return world;
}

// 0.1 m in a step of 2 ms.
TEST(Tunnelling, a_sheet_at_fifty_metres_a_second_does_not_pass_a_plane) {
  MeetingWorld world = soft(1e6);
  world.options.h = 0.002;
  world.colliders.push_back(plane_collider(0.5));
  world.method.op = geometric::Operator::sheet;
  world.add(sheet(0.3, 7, 0.002), {{0, 0.25, 0}, {0, -50, 0}});
  WatchedRun run(std::move(world));
  for (int step = 0; step < 30; ++step) {
    run.step();
    for (const Vec3& x : run.simulation.bodies()[0].surface()) ASSERT_GT(x.y(), -1e-4) << step;
  }
}

TEST(Tunnelling, a_sheet_at_fifty_metres_a_second_does_not_pass_another) {
  MeetingWorld world = soft(1e6);
  world.options.h = 0.002;
  world.options.gravity.setZero();
  world.method.op = geometric::Operator::sheet;
  const Shape held = sheet(0.4, 9, 0.002);
  world.add(held, {}, {hold_of(held, [](const Vec3& x) { return on_the_rim(x, 0.4); })});
  world.add(sheet(0.3, 7, 0.002), {{0.013, 0.25, 0.007}, {0, -50, 0}});
  WatchedRun run(std::move(world));
  for (int step = 0; step < 20; ++step) run.step();
  EXPECT_GT(run.contacts, 0);
  EXPECT_EQ(run.missing, 0);
  measured("gain", run.gain / run.start_energy);
  EXPECT_LT(run.gain, 1e-3 * run.start_energy);
  EXPECT_GT(run.height(1), run.height(0));
}

TEST(Tunnelling, a_sheet_that_starts_under_a_plane_comes_out_without_a_jump) {
  MeetingWorld world = soft(1e6);
  world.options.h = 0.002;
  world.colliders.push_back(plane_collider(0.5));
  world.method.op = geometric::Operator::sheet;
  world.add(sheet(0.3, 7, 0.002), {{0, -0.02, 0}});
  WatchedRun run(std::move(world));
  double lowest = -1, fastest = 0;
  for (int step = 0; step < 100; ++step) {
    run.step();
    lowest = 1;
    for (const Vec3& x : run.simulation.bodies()[0].surface()) lowest = std::min(lowest, x.y());
    fastest = std::max(fastest, fastest_node(run.simulation));
  }
  measured("lowest", lowest);
  measured("fastest", fastest);
  EXPECT_GT(lowest, -1e-3);
  EXPECT_LT(fastest, 1);
}

/// A ball of 0.1 m flies at 100 m/s, 1.7 m a step, against a sheet of 1 mm that is held at its rim.
WatchedRun shot(double modulus, Integrator integrator) {
  MeetingWorld world = soft(modulus, integrator);
  world.options.gravity.setZero();
  const Shape ball = make_shape(EllipsoidShape{{0.05, 0.05, 0.05}, 5, {0, 0, 0}});
  world.add(ball, {{0.013, 1.2, 0.007}, {0, -100, 0}});
  world.method.op = geometric::Operator::sheet;
  const Shape held = sheet(0.6, 13, 0.001);
  world.add(held, {}, {hold_of(held, [](const Vec3& x) { return on_the_rim(x, 0.6); })});
  return WatchedRun(std::move(world));
}

TEST(Tunnelling, a_ball_at_a_hundred_metres_a_second_does_not_pass_a_sheet_of_a_millimetre) {
  for (const double modulus : {1e8, 1e6})
    for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
      const std::string name =
          fmt::format("{}_{:g}", integrator == Integrator::euler ? "euler" : "bdf2", modulus);
      WatchedRun run = shot(modulus, integrator);
      for (int step = 0; step < 8; ++step) {
        run.step();
        ASSERT_FALSE(testing::Test::HasFatalFailure());
      }
      measured(name + "_gain", run.gain / run.start_energy);
      EXPECT_GT(run.contacts, 0) << name;
      EXPECT_EQ(run.missing, 0) << name;
      EXPECT_LT(run.gain, 0.01 * run.start_energy) << name;
      EXPECT_GT(velocity_of(run.simulation.bodies()[0]).y(), 0) << name;  // thrown back
    }
}

}  // namespace tunnelling_test
}  // namespace pliant
