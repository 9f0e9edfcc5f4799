// SPDX-License-Identifier: Apache-2.0
// A mesh from arrays falls on the ground. Prints its height while it falls; exit 1 when it does not come to lie.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <pliant/pliant.hpp>
#include <string>

using namespace pliant;

/// A cube of 0.4 m, its lowest face 0.5 m above the ground: eight vertices and six quads, counter-clockwise from
/// outside, as an engine or a modelling program would have them in memory.
PolygonMesh cube() {
  PolygonMesh mesh;
  for (double y : {0.5, 0.9})
    for (double z : {0.0, 0.4})
      for (double x : {0.0, 0.4}) mesh.vertices.emplace_back(x, y, z);  // m
  for (const auto& quad :
       {std::array{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}}) {
    mesh.corner.insert(mesh.corner.end(), quad.begin(), quad.end());
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  }
  return mesh;
}

double lowest(const Points& surface) {
  double y = surface[0].y();
  for (const Vec3& p : surface) y = std::min(y, p.y());
  return y;
}

int main() {
  Pool pool(1);
  const Result<MeshShape> made = make_mesh_shape(cube(), {.nodes = 1000}, pool);
  if (!made) return std::cerr << made.error().text(), 2;
  for (const std::string& warning : made->report.warnings) std::cout << warning << "\n";
  const Shape& shape = made->shape;
  std::cout << shape.graph.positions.size() << " nodes in " << made->report.volume << " m^3\n";

  const Damping damping{.mass = 0.5, .stiffness = 0.01};                                   // 1/s, s
  auto method = build_method(shape, 1000, damping, geometric::Options{.stiffness = 2e5});  // kg/m^3, Pa
  if (!method) return std::cerr << method.error().text(), 2;
  std::vector<Body> bodies;
  bodies.emplace_back("cube", shape, std::move(*method), std::vector<Hold>{});
  std::vector<Collider> colliders;
  colliders.emplace_back(PlaneCollider{}, Motion{}, /*friction*/ 0.5, /*restitution*/ 0.0);
  Simulation world(std::move(bodies), {.h = 1.0 / 60}, std::move(colliders));

  for (int step = 1; step <= 120; ++step) {
    if (const auto failure = world.step()) return std::cerr << failure->text(), 1;
    if (step % 20 == 0)
      std::cout << "t = " << world.time() << " s: lowest vertex at " << lowest(world.bodies()[0].surface())
                << " m\n";
  }
  const Body& body = world.bodies()[0];
  const double speed = max_speed(body.method().nodes());
  std::cout << "after 2 s: fastest node " << speed << " m/s, volume " << *body.volume_ratio()
            << " of that at rest\n";
  const bool lies = std::abs(lowest(body.surface())) < 2e-3 && speed < 0.05;
  if (!lies) std::cerr << "the cube does not lie on the ground\n";
  return lies ? 0 : 1;
}
