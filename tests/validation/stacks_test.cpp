// SPDX-License-Identifier: Apache-2.0
// Stacks of soft cubes: they stand as high as statics says, with friction and without, and fall where a column of their
// stiffness buckles [Li20: 10_cubeStack, 12_largeMassRatio].
#include <gtest/gtest.h>

#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant {
namespace stacks_test {

using namespace test;

constexpr double density = 1000, gravity = 9.81;

struct Stack {
  int cubes = 5;
  double edge = 0.2, modulus = 1e7, friction = 0.5;  // m, Pa, 1
  double askew = 0.003, taper = 0;                   // of the edge; of each cube to the next
  double damping = 0.5;                              // 1/s
  double h = 1.0 / 60;
  double edge_of(int k) const { return edge * (1 - taper * k); }
};

/// How high a column of this width is when it buckles under its weight: 7.8373 E I = rho g A L^3 [Greenhill].
double buckling_height(const Stack& s) {
  return std::cbrt(7.8373 * s.modulus * s.edge * s.edge / 12 / (density * gravity));
}

/// Where the centres of cubes are that touch without weight: half a percent of their edges is kept between them.
std::vector<double> places(const Stack& s) {
  std::vector<double> out;
  double top = 0;
  for (int k = 0; k < s.cubes; ++k) {
    if (k > 0) top += 5e-3 * (s.edge_of(k - 1) + s.edge_of(k)) / 2;
    out.push_back(top + s.edge_of(k) / 2);
    top += s.edge_of(k);
  }
  return out;
}

/// How high the centres of mass are. Cubes without lateral contraction are pressed by what stands on them, and by the
/// part of themselves that is higher.
std::vector<double> static_heights(const Stack& s) {
  std::vector<double> out = places(s);
  double sunk = 0;
  for (int k = 0; k < s.cubes; ++k) {
    double above = 0;  // Pa
    for (int j = k + 1; j < s.cubes; ++j)
      above += density * gravity * std::pow(s.edge_of(j), 3) / std::pow(s.edge_of(k), 2);
    const double edge = s.edge_of(k), own = density * gravity * edge;
    out[std::size_t(k)] -= sunk + edge * (above / 2 + own / 3) / s.modulus;
    sunk += edge * (above + own / 2) / s.modulus;
  }
  return out;
}

MeetingWorld build(const Stack& s) {
  MeetingWorld world;
  world.options.h = s.h;
  world.method.stiffness = s.modulus;
  world.damping = {.mass = s.damping, .stiffness = 0.01};
  world.contact.friction = s.friction;
  world.colliders.push_back(plane_collider(s.friction));
  const std::vector<double> at = places(s);
  for (int k = 0; k < s.cubes; ++k) {
    const double edge = s.edge_of(k);
    const Vec3 aside(s.askew * ((k * 7) % 5 - 2), 0, s.askew * ((k * 3) % 5 - 2));
    world.add(make_shape(BoxShape{{edge, edge, edge}, {3, 3, 3}, {0, 0, 0}}),
              {edge * aside + Vec3(0, at[std::size_t(k)] + 1e-3 * edge * (k + 1), 0)});
  }
  return world;
}

void expect_stands(const Stack& s, double seconds, double slow = 1e-3) {
  WatchedRun run(build(s));
  run.run_to(seconds);
  measured("speed", fastest_node(run.simulation));
  EXPECT_LT(fastest_node(run.simulation), slow);
  EXPECT_EQ(run.missing, 0);
  const std::vector<double> heights = static_heights(s);
  for (int k = 0; k < s.cubes; ++k)
    EXPECT_NEAR(run.height(std::size_t(k)), heights[std::size_t(k)], 0.01 * heights[std::size_t(k)]) << k;
}

TEST(Stacks, five_soft_cubes_below_the_height_of_buckling_stand) {
  const Stack low{.edge = 0.03, .modulus = 1e5, .h = 0.025};
  ASSERT_LT(low.cubes * low.edge, 0.85 * buckling_height(low));
  expect_stands(low, 5);
}

TEST(Stacks, five_soft_cubes_above_the_height_of_buckling_fall) {
  const Stack high{.edge = 0.2, .modulus = 1e5, .h = 0.025};
  ASSERT_GT(high.cubes * high.edge, 1.5 * buckling_height(high));
  WatchedRun run(build(high));
  run.run_to(2.5);
  EXPECT_LT(run.height(4), 0.5);
}

// In something viscous, and each a little smaller than the one below. Bent faces of triangles are not quite symmetric, and
// edges are rounded by the distance they keep: what they push sideways nothing holds. 6e-4 m/s were measured.
TEST(Stacks, five_cubes_stand_on_each_other_without_friction) {
  expect_stands({.friction = 0, .askew = 0, .taper = 0.05, .damping = 5, .h = 0.025}, 5, 2e-3);
}

TEST(Stacks, ten_cubes_stand) { expect_stands({.cubes = 10}, 5); }

/// A block of 10 m and 1e8 Pa, ten times as dense, on a cube of 1 m.
MeetingWorld heavy_on_light(double modulus) {
  MeetingWorld world;
  world.damping.stiffness = 0.01;
  world.colliders.push_back(plane_collider(0.5));
  world.method.stiffness = modulus;
  world.add(make_shape(BoxShape{{1, 1, 1}, {3, 3, 3}, {0, 0, 0}}), {{0, 0.505, 0}});
  world.method.stiffness = 1e8;
  world.density = 1e4;
  world.add(make_shape(BoxShape{{10, 10, 10}, {3, 3, 3}, {0, 0, 0}}), {{0.013, 6.05, -0.02}});
  return world;
}

// 9.8e7 Pa on 1e6 Pa: nothing that carries. It is pressed into the least room that surfaces leave each other.
TEST(Stacks, a_cube_under_ten_thousand_times_its_mass_is_pressed_flat_and_nothing_crosses) {
  WatchedRun run(heavy_on_light(1e6));
  run.run_to(1);
  measured("height", run.height(1));
  EXPECT_EQ(run.missing, 0);
  EXPECT_NEAR(run.height(1), 5.15, 0.25);  // the small one is 1 m high no more, and not gone
  EXPECT_LT(run.least_volume, 0.5);
}

}  // namespace stacks_test
}  // namespace pliant
