// SPDX-License-Identifier: Apache-2.0
// A checkpoint in memory: save, step, load, step again. The same state takes the same steps, bit for bit; prints both
// hashes; exit 1 when they differ.
#include <cstdint>
#include <iostream>
#include <pliant/pliant.hpp>

using namespace pliant;

/// Steps the world and gives the hash of every frame on the way; 0 when a step fails.
std::uint64_t run(Simulation& world, int steps) {
  std::uint64_t hash = hash_seed;
  for (int step = 0; step < steps; ++step) {
    if (const auto failure = world.step()) return std::cerr << failure->text(), 0;
    hash = frame_hash(world.bodies()[0].surface(), hash);
  }
  return hash;
}

int main() {
  const Shape bar = make_shape(BoxShape{.size = {2, 0.4, 0.4}, .nodes = {31, 7, 7}});      // m
  auto method = build_method(bar, 1000, Damping{}, geometric::Options{.stiffness = 1e6});  // kg/m^3, Pa
  if (!method) return std::cerr << method.error().text(), 2;
  const Hold wall{.nodes = select_nodes({SelectHalfspace{.normal = {-1, 0, 0}}}, bar)};
  std::vector<Body> bodies;
  bodies.emplace_back("bar", bar, std::move(*method), std::vector{wall});
  Simulation world(std::move(bodies), {.h = 1.0 / 60});

  if (run(world, 30) == 0) return 1;
  Writer checkpoint;
  world.save(checkpoint);
  std::cout << "saved " << checkpoint.bytes().size() << " bytes at t = " << world.time() << " s\n";

  const std::uint64_t first = run(world, 30);
  Reader reader(checkpoint.bytes());
  if (!world.load(reader)) return std::cerr << "the checkpoint is not a state of this simulation\n", 1;
  std::cout << "loaded: back at t = " << world.time() << " s\n";
  const std::uint64_t second = run(world, 30);

  std::cout << std::hex << "frames after the checkpoint: " << first << ", again after loading it: " << second
            << "\n";
  if (first != second) std::cerr << "the hashes differ\n";
  return first == second && first != 0 ? 0 : 1;
}
