// SPDX-License-Identifier: Apache-2.0
// Frame hashes of portable kernels, printed for scripts/portability, which compares processors.
#include <gtest/gtest.h>

#include <cstdio>

#include "include/pliant/methods.hpp"
#include "include/pliant/shapes.hpp"
#include "include/pliant/simulation.hpp"
#include "pliant/base/simd.hpp"

namespace pliant {
namespace frame_hashes_test {

std::uint64_t hash_of_fall(const MethodOptions& settings, int threads) {
  const Shape box = make_shape(BoxShape{.size = {0.4, 0.3, 0.2}, .nodes = {5, 4, 3}, .corner = {0, 0.01, 0}});
  auto method = build_method(box, 1000, {.stiffness = 0.01}, settings);
  EXPECT_TRUE(method) << method.error().text();
  std::vector<Body> bodies;
  bodies.emplace_back("box", box, std::move(*method), std::vector<Hold>{{.nodes = {0, 1}}});
  Simulation world(std::move(bodies), {.threads = threads});
  std::uint64_t hash = 0;
  for (int step = 0; step < 20; ++step) {
    const auto failure = world.step();
    EXPECT_FALSE(failure) << failure->text();
    hash = frame_hash(world.bodies()[0].surface(), hash);
  }
  return hash;
}

TEST(FrameHashes, of_portable_kernels_do_not_depend_on_the_number_of_threads) {
  const SimdLevel before = simd_level();
  set_simd_level(SimdLevel::portable);
  const std::pair<const char*, MethodOptions> methods[] = {
      {"geometric", geometric::Options{.stiffness = 1e5}},
      {"metric", metric::Options{.stiffness = 1e5}},
      {"cage", cage::Options{.cells = {1, 1, 1}, .clearance = 0.2}},
      {"meshless", meshless::Options{}},
      {"fem", fem::Options{.element = fem::ElementKind::hexahedron}},
      {"rigid", rigid::Options{}}};
  for (const auto& [name, settings] : methods) {
    const std::uint64_t hash = hash_of_fall(settings, 1);
    std::printf("hash %s %016llx\n", name, static_cast<unsigned long long>(hash));
    EXPECT_EQ(hash_of_fall(settings, 3), hash) << name;
  }
  set_simd_level(before);
}

}  // namespace frame_hashes_test
}  // namespace pliant
