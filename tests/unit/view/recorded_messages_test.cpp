// SPDX-License-Identifier: Apache-2.0
// tests/data/view holds messages as a page gets them, each with what is in it as JSON: the page's own tests
// read the same bytes. After a change that is meant, PLIANT_RECORD=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "pliant/view/frame_message.hpp"
#include "tests/support/places.hpp"

namespace pliant::view {
namespace recorded_messages_test {

namespace fs = std::filesystem;
using nlohmann::json;

/// A tetrahedron with cage and bones, and a second body that is only a triangle.
Snapshot example() {
  auto model = std::make_shared<Model>();
  model->epoch = 3;
  ModelBody first;
  first.id = 0;
  first.surface = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  first.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  first.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.25f, 0.25f, 0.25f}};
  first.cage = {{-0.5f, -0.5f, -0.5f}, {2.5f, -0.5f, -0.5f}, {-0.5f, 2.5f, -0.5f}, {-0.5f, -0.5f, 2.5f}};
  first.cage_triangles = first.triangles;
  first.joints = {{{0, 0, 0}, {0, 0, 0, 1}}, {{0, 1, 0}, {0, 0, 0, 1}}};
  first.bones = {{0, 1}};
  ModelBody second;
  second.id = 4;
  second.surface = {{5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  second.triangles = {{0, 1, 2}};
  model->bodies = {first, second};

  Snapshot out;
  out.model = model;
  out.epoch = 3;
  out.step = 812;
  out.time = 13.533333333333333;
  out.step_ms = 4.25f;
  out.steps_per_second = 59.5f;
  out.recording = true;
  out.applied = {{2, 41}};
  out.serial = 9;
  BodySnapshot one;
  one.id = 0;
  one.surface = {{0, -0.5f, 0}, {1, -0.25f, 0.125f}, {0, 0.5f, 0}, {0.0625f, 0, 1}};
  one.nodes = {{0, -0.5f, 0}, {1, -0.25f, 0.125f}, {0, 0.5f, 0}, {0.0625f, 0, 1}, {0.25f, 0, 0.25f}};
  one.cage = first.cage;
  one.joints = {{{0, -0.5f, 0}, {0, 0, 0, 1}}, {{0, 0.5f, 0}, {0, 0, 0.6f, 0.8f}}};
  one.scalar = {-0.5f, 0, 0.25f, 0.5f};
  one.node_flags = {flag_pinned, 0, 0, flag_active, 0};
  one.surface_flags = {flag_pinned, flag_handle, 0, flag_contact};
  BodySnapshot two;
  two.id = 4;
  two.surface = {{5, 0, 0}, {6, 0, 0.5f}, {5, 1, 0}};
  out.bodies = {one, two};
  GrabView grab;
  grab.id = 1;
  grab.client = 2;
  grab.point = {1, -0.25f, 0.125f};
  grab.target = {1.5f, 0, 0};
  grab.force = 124;
  grab.stiffness = 2000;
  out.grabs = {grab};
  return out;
}

json described(const std::vector<std::uint8_t>& bytes) {
  std::string why;
  const auto message = wire::read(bytes, why);
  if (!message) return why;
  const wire::Header& header = message->header;
  json out = {
      {"kind", int(header.kind)}, {"flags", header.flags},     {"seq", header.seq},
      {"epoch", header.epoch},    {"step", header.step},       {"applied", header.applied},
      {"time", header.time},      {"step_ms", header.step_ms}, {"steps_per_second", header.steps_per_second},
      {"blocks", json::array()}};
  for (const wire::Block& block : message->blocks) {
    json row = {{"body", block.body},
                {"channel", int(block.channel)},
                {"format", int(block.format)},
                {"count", block.count},
                {"lo", block.lo},
                {"hi", block.hi}};
    const auto integers = block.integers();
    row["values"] = integers.empty() ? json(block.numbers()) : json(integers);
    out["blocks"].push_back(std::move(row));
  }
  return out;
}

void compare(const std::string& name, const std::vector<std::uint8_t>& bytes) {
  const fs::path folder = fs::path(source_folder()) / "tests/data/view";
  if (std::getenv("PLIANT_RECORD")) {
    std::ofstream(folder / (name + ".bin"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    std::ofstream(folder / (name + ".json")) << described(bytes).dump(1) << "\n";
  }
  std::ifstream in(folder / (name + ".bin"), std::ios::binary);
  const std::string recorded(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(recorded, std::string(bytes.begin(), bytes.end())) << name;
  std::ifstream text(folder / (name + ".json"));
  EXPECT_EQ(json::parse(text, nullptr, false), json::parse(described(bytes).dump())) << name;
}

TEST(RecordedMessages, are_what_we_send) {
  const Snapshot snapshot = example();
  PageWish plain, all;
  for (const auto& [name, channel] : channel_names()) all.channels |= only(channel);
  all.quantised = true;
  FrameMessages messages;
  compare("model", messages.model(snapshot, 2, plain));
  compare("frame_f32", messages.frame(snapshot, 2, plain));
  messages.renew();
  compare("frame_u16_all_channels", messages.frame(snapshot, 2, all));
}

}  // namespace recorded_messages_test
}  // namespace pliant::view
