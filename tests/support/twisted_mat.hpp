// SPDX-License-Identifier: Apache-2.0
// A mat of 1 m whose ends are turned against each other, 72 degrees a second each [Li20: 14_matTwist: 2e4 Pa, 1000 kg/m^3,
// h = 0.04 s, no gravity].
#pragma once

#include <random>

#include "pliant/geometry/surface_graph.hpp"
#include "tests/support/meeting_world.hpp"

namespace pliant::test {

/// Turns about x at this many degrees a second.
inline Motion turning(double degrees, double seconds) {
  return straight_motion({{}, {.time = seconds, .rotate = {{1, 0, 0}, degrees * seconds}}});
}

inline Shape sheet_of(const std::array<double, 2>& size, const std::array<int, 2>& nodes, double thickness) {
  return on_surface(make_shape(SheetShape{.size = size, .nodes = nodes, .thickness = thickness}), thickness);
}

inline Points shaken(Points x, double most, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> move(-most, most);
  for (Vec3& p : x) p += Vec3(move(random), move(random), move(random));
  return x;
}

/// The ends turn for so many seconds. seed > 0: its nodes start up to 0.1 mm off their places.
inline Simulation twisted_mat(int nodes, double seconds, int threads = 1, unsigned seed = 0) {
  const Shape shape = sheet_of({1, 1}, {nodes, nodes}, 0.01);
  MeetingWorld world;
  world.options = {.h = 0.04, .gravity = {0, 0, 0}, .threads = threads};
  world.method.stiffness = 2e4;
  world.method.op = geometric::Operator::sheet;
  world.contact.thickness = 0.1 / (nodes - 1);
  std::vector<Hold> holds;
  for (const int side : {-1, 1})
    holds.push_back(hold_of(
        shape, [&](const Vec3& x) { return side * x.x() > 0.499; }, turning(-72 * side, seconds)));
  auto built = geometric::build(shape, world.density, world.damping, world.method);
  EXPECT_TRUE(built) << built.error().text();
  Start start;
  if (seed > 0) {
    start.x = shaken(shape.graph.positions, 1e-4, seed);
    start.v.assign(start.x.size(), Vec3::Zero());
  }
  world.bodies.emplace_back("mat", shape, std::move(*built), std::move(holds), start, world.contact);
  return world.simulation();
}

}  // namespace pliant::test
