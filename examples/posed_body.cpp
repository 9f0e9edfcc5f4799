// SPDX-License-Identifier: Apache-2.0
// A body posed by code: one end of a bar is held, the other turned by 90 degrees; a static solve finds the rest.
// Prints where the turned end is; exit 1 when forces do not balance.
#include <cmath>
#include <iostream>
#include <pliant/pliant.hpp>

using namespace pliant;

int main() {
  const Shape bar = make_shape(BoxShape{.size = {2, 0.4, 0.4}, .nodes = {31, 7, 7}});      // m
  auto method = build_method(bar, 1000, Damping{}, geometric::Options{.stiffness = 1e6});  // kg/m^3, Pa
  if (!method) return std::cerr << method.error().text(), 2;

  // A pin has no keys. A handle is a hold that moves: relative to its start, about the centre of its nodes.
  const Hold pin{.nodes = select_nodes({SelectHalfspace{.normal = {-1, 0, 0}}}, bar)};
  const Hold handle{
      .nodes = select_nodes({SelectHalfspace{.point = {2, 0, 0}, .normal = {1, 0, 0}}}, bar),
      .motion = {.keys = {{.time = 0}, {.time = 1, .rotate = {.axis = {1, 0, 0}, .degrees = 90}}}}};
  std::vector<Body> bodies;
  bodies.emplace_back("bar", bar, std::move(*method), std::vector{pin, handle});
  Simulation world(std::move(bodies), {});

  const double twisted = 1;  // s: the handle's last key
  const PoseResult result = world.pose(0, twisted, {.tolerance = 1e-5});
  if (!result.ok()) return std::cerr << result.trouble << "\n", 1;
  std::cout << "at rest after " << result.iterations << " Newton steps: unbalanced forces " << result.residual
            << " of those that act\n";

  // The corner (2, 0, 0) of the turned end, a quarter turn about the axis through (2, 0.2, 0.2).
  const Body& body = world.bodies()[0];
  std::size_t corner = 0;
  for (std::size_t i = 0; i < body.rest_surface().size(); ++i)
    if ((body.rest_surface()[i] - Vec3(2, 0, 0)).norm() < 1e-9) corner = i;
  const Vec3 at = body.surface()[corner], expected(2, 0.4, 0);
  std::cout << "the corner (2, 0, 0) is at (" << at.transpose() << ") m, elastic energy "
            << body.method().elastic_energy() << " J\n";
  const bool turned = (at - expected).norm() < 1e-6;
  if (!turned) std::cerr << "expected (" << expected.transpose() << ")\n";
  return turned ? 0 : 1;
}
