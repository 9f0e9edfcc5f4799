// SPDX-License-Identifier: Apache-2.0
// A checkpoint that is damaged and has a checksum that fits. The input says how: bytes 0 and 1, where it ends; then triples,
// a place and what stands there. It is refused, or the next step is made or says why it is not.
#include <cstring>
#include <memory>

#include "pliant/base/seal.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "tests/fuzz/check_mesh.hpp"

namespace {

using namespace pliant;

constexpr const char* scene_text = R"({
  "bodies": [
    {"name": "a", "method": "METHOD", "shape": {"box": {"size": [0.2, 0.2, 0.2], "nodes": [2, 2, 2]}},
     "contact": {"bodies": true}, "initial": {"velocity": [0, -1, 0]}},
    {"name": "b", "method": "rigid", "contact": {"bodies": true},
     "shape": {"box": {"size": [0.2, 0.2, 0.2], "nodes": [2, 2, 2], "corner": [0.03, 0.205, 0]}}}],
  "colliders": [{"plane": {"point": [0, -0.001, 0], "restitution": 0.5}}]})";

struct World {
  Scene scene;
  std::vector<std::byte> good;
};

World make_world(const std::string& method) {
  std::string text = scene_text;
  text.replace(text.find("METHOD"), 6, method);
  auto built = build_scene(parse_scene(text, "fuzz.json"));
  demand(bool(built));
  World out{std::move(*built), {}};
  for (int step = 0; step < 4; ++step) demand(!out.scene.simulation.step());
  out.good = save_checkpoint(out.scene.simulation);
  return out;
}

void seal_again(std::vector<std::byte>& bytes) {
  const std::size_t body = bytes.size() - sizeof(std::uint64_t);
  const std::uint64_t checksum = hash_bytes(bytes.data(), body);
  std::memcpy(bytes.data() + body, &checksum, sizeof checksum);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static std::vector<World> worlds = [] {
    std::vector<World> out;
    for (const std::string& method : method_names())
      if (method != "cage") out.push_back(make_world(method));
    return out;
  }();
  if (size < 3) return -1;
  World& world = worlds[data[0] % worlds.size()];
  std::vector<std::byte> bytes = world.good;
  // Mostly as long as it was.
  const std::size_t cut = data[1] < 224 ? 0 : std::size_t(data[1] - 223) * std::size_t(1 + data[2]);
  bytes.resize(std::max(sizeof(Seal) + sizeof(std::uint64_t), bytes.size() - std::min(bytes.size(), cut)));
  const std::size_t state = bytes.size() - sizeof(Seal) - sizeof(std::uint64_t);
  for (std::size_t i = 3; i + 2 < size && state > 0; i += 3)
    bytes[sizeof(Seal) + (std::size_t(data[i]) << 8 | data[i + 1]) % state] = std::byte(data[i + 2]);
  seal_again(bytes);
  Simulation& simulation = world.scene.simulation;
  if (load_checkpoint(bytes, 0, simulation).empty())
    if (const auto failure = simulation.step()) demand(!failure->text().empty());
  demand(load_checkpoint(world.good, 0, simulation).empty());
  return 0;
}
