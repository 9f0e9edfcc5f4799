// SPDX-License-Identifier: Apache-2.0
// The promise of bodies that meet: no surface passes through another, or the step is shortened and says who, where.
#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace bodies_stopped_test {

using namespace test;

constexpr double edge = 0.2;  // m, of the cubes

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {3, 3, 3}, {0, 0, 0}});
  return shape;
}

// A cube that is squeezed and at rest: by its velocities alone it would stay where it is.
TEST(BodiesStopped, bodies_that_step_apart_and_meet_after_all_step_again_together) {
  MeetingWorld world;
  world.options.gravity.setZero();
  world.method.stiffness = 1e5;
  world.add(cube(), {{0, 0, 0}});
  world.add(cube(), {{0.185, 0.003, 0.007}});
  Points squeezed = world.bodies[0].method().nodes().x;
  for (Vec3& x : squeezed) x.x() *= 0.6;
  world.bodies[0].method().place(squeezed, Points(squeezed.size(), Vec3::Zero()));
  Simulation simulation = world.simulation();
  Crossings crossings(simulation);
  ASSERT_EQ(crossings.count(simulation), 0);
  ASSERT_FALSE(simulation.step());
  EXPECT_EQ(crossings.count(simulation), 0);
  EXPECT_GT(simulation.bodies()[1].report().contacts, 0);
  EXPECT_GT(simulation.bodies()[0].report().rounds, 0);
  EXPECT_TRUE(simulation.stops().empty());
  EXPECT_GT(linear_momentum(simulation.bodies()[1].method().nodes()).x(), 0);
}

// All nodes of one are held, and all of the other are driven into it: nothing can give way.
TEST(BodiesStopped, surfaces_that_nothing_holds_back_stop_on_their_way_and_say_so) {
  const Motion motion = straight_motion({{}, {.time = 0.1, .translate = {-0.3, 0, 0}}});
  MeetingWorld world;
  world.options.gravity.setZero();
  world.add(cube(), {{0, 0, 0}}, {hold_all(cube())});
  world.add(cube(), {{0.26, 0.013, 0.007}}, {hold_all(cube(), motion)});
  Simulation simulation = world.simulation();
  Crossings crossings(simulation);
  double missing = 0;
  for (int step = 0; step < 6; ++step) {
    ASSERT_FALSE(simulation.step());
    EXPECT_EQ(crossings.count(simulation), 0) << step;
    EXPECT_EQ(simulation.stops().empty(), step < 1) << step;  // 0.06 m apart, 0.05 m a step
    for (const Body& body : simulation.bodies())
      EXPECT_EQ(body.report().shortened > 0, !simulation.stops().empty()) << step;
    for (const Stop& stop : simulation.stops()) {
      EXPECT_EQ(stop.first, 0);
      EXPECT_EQ(stop.second, 1);
      EXPECT_NEAR(stop.place.x(), edge / 2, 1e-3);
      EXPECT_LE(stop.missing, 1);
      missing += stop.missing;
    }
  }
  EXPECT_GT(missing, 3);  // of the last five steps
  EXPECT_NEAR(centre_of(simulation.bodies()[1]).x(), edge, 1e-3);
  EXPECT_TRUE(simulation.crossing().empty());
}

}  // namespace bodies_stopped_test
}  // namespace pliant
