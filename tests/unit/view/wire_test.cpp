// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/wire.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace pliant::view {
namespace wire_test {

const std::vector<Float3> places = {{0, 0, 0}, {1, -2, 0.5f}, {-3.25f, 4, 7}};

std::vector<std::uint8_t> full_message() {
  wire::Header header;
  header.kind = wire::Kind::model;
  header.flags = wire::paused | wire::keyframe;
  header.seq = 17;
  header.epoch = 3;
  header.step = 812;
  header.applied = 41;
  header.time = 13.5;
  header.step_ms = 4.25f;
  header.steps_per_second = 60;
  wire::Writer writer(header);
  writer.positions(0, Channel::surface, places, false);
  writer.positions(1, Channel::nodes, places, true);
  writer.triangles(0, Channel::triangles, std::vector<Triangle3>{{0, 1, 2}, {2, 1, 0}});
  writer.bones(1, std::vector<Bone2>{{0, 1}});
  writer.joints(1, std::vector<Joint>{{{1, 2, 3}, {0, 0, 0, 1}}, {{-1, 0, 0}, {0, 1, 0, 0}}});
  writer.scalars(0, std::vector<float>{-0.5f, 0, 1.5f});
  writer.flags(0, Channel::surface_flags, std::vector<std::uint8_t>{0, flag_pinned, 255});
  GrabView grab;
  grab.id = 2;
  grab.client = 5;
  grab.point = {1, 2, 3};
  grab.target = {4, 5, 6};
  grab.force = 124;
  grab.stiffness = 2000;
  writer.grabs(std::vector<GrabView>{grab});
  return std::move(writer).bytes();
}

wire::Message read_or_die(const std::vector<std::uint8_t>& bytes) {
  std::string why;
  const auto message = wire::read(bytes, why);
  if (!message) throw std::runtime_error(why);
  return *message;
}

template <class T>
T at(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(Wire, has_its_header_where_the_protocol_says) {
  const auto bytes = full_message();
  EXPECT_EQ(std::memcmp(bytes.data(), "PLNT", 4), 0);
  EXPECT_EQ(at<std::uint16_t>(bytes, 4), 1);
  EXPECT_EQ(bytes[6], 2);
  EXPECT_EQ(bytes[7], 17);
  EXPECT_EQ(at<std::uint32_t>(bytes, 8), 17u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 12), 3u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 16), 812u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 20), 41u);
  EXPECT_EQ(at<double>(bytes, 24), 13.5);
  EXPECT_EQ(at<float>(bytes, 32), 4.25f);
  EXPECT_EQ(at<float>(bytes, 36), 60.f);
  EXPECT_EQ(at<std::uint16_t>(bytes, 40), 8);
  EXPECT_EQ(at<std::uint16_t>(bytes, 42), 0);
  EXPECT_EQ(at<std::uint32_t>(bytes, 44), bytes.size());
  // The first block: body 0, surface, f32x3, three points, their box.
  EXPECT_EQ(at<std::uint16_t>(bytes, 48), 0);
  EXPECT_EQ(bytes[50], 0);
  EXPECT_EQ(bytes[51], 0);
  EXPECT_EQ(at<std::uint32_t>(bytes, 52), 3u);
  EXPECT_EQ(at<Float3>(bytes, 56), (Float3{-3.25f, -2, 0}));
  EXPECT_EQ(at<Float3>(bytes, 68), (Float3{1, 4, 7}));
  EXPECT_EQ(at<Float3>(bytes, 48 + 32 + 12), (Float3{1, -2, 0.5f}));
  EXPECT_EQ(bytes.size() % 4, 0u);
}

TEST(Wire, reads_back_what_was_written) {
  const auto bytes = full_message();
  const wire::Message message = read_or_die(bytes);
  EXPECT_EQ(message.header.kind, wire::Kind::model);
  EXPECT_EQ(message.header.applied, 41u);
  ASSERT_EQ(message.blocks.size(), 8u);
  const auto numbers = message.find(0, Channel::surface)->numbers();
  ASSERT_EQ(numbers.size(), 9u);
  EXPECT_EQ(std::memcmp(numbers.data(), places.data(), 36), 0);
  EXPECT_EQ(message.find(0, Channel::triangles)->integers(), (std::vector<std::uint32_t>{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(message.find(1, Channel::bones)->integers(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(message.find(1, Channel::joints)->numbers(),
            (std::vector<float>{1, 2, 3, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(message.find(1, Channel::joints)->lo, (Float3{-1, 0, 0}));
  EXPECT_EQ(message.find(0, Channel::surface_flags)->numbers(), (std::vector<float>{0, 1, 255}));
  EXPECT_EQ(message.find(wire::whole_scene, Channel::grabs)->numbers(),
            (std::vector<float>{2, 5, 1, 2, 3, 4, 5, 6, 124, 2000}));
  EXPECT_EQ(message.find(7, Channel::surface), nullptr);
}

TEST(Wire, keeps_quantised_positions_within_half_a_step_of_their_box) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-20, 50);
  std::vector<Float3> cloud(500);
  for (Float3& point : cloud) point = {any(random), 3, any(random) * 1e-3f};
  wire::Writer writer({});
  writer.positions(0, Channel::surface, cloud, true);
  const auto bytes = std::move(writer).bytes();
  const wire::Message message = read_or_die(bytes);
  const wire::Block& block = message.blocks[0];
  EXPECT_EQ(block.format, wire::Format::u16x3);
  const auto numbers = block.numbers();
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const float step = (block.hi[k] - block.lo[k]) / 65535;
      EXPECT_NEAR(numbers[3 * i + k], cloud[i][k], 0.501f * step + 1e-6f * std::abs(cloud[i][k]));
    }
}

TEST(Wire, keeps_scalars_within_half_a_step_and_tells_their_range) {
  const auto bytes = full_message();
  const wire::Message message = read_or_die(bytes);
  const wire::Block& block = *message.find(0, Channel::scalar);
  EXPECT_EQ(block.lo[0], -0.5f);
  EXPECT_EQ(block.hi[0], 1.5f);
  EXPECT_NEAR(block.numbers()[1], 0, 1.0 / 255);
  EXPECT_EQ(block.numbers()[2], 1.5f);
}

TEST(Wire, holds_nothing_and_what_is_not_a_number_without_harm) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  wire::Writer writer({});
  writer.positions(0, Channel::surface, {}, false);
  writer.positions(0, Channel::nodes, std::vector<Float3>{{nan, inf, 1}, {nan, 2, 3}}, true);
  writer.scalars(0, std::vector<float>{nan});
  const auto bytes = std::move(writer).bytes();
  const wire::Message message = read_or_die(bytes);
  EXPECT_EQ(message.blocks[0].count, 0u);
  EXPECT_EQ(message.blocks[1].lo, (Float3{0, 2, 1}));
  EXPECT_EQ(message.blocks[1].hi, (Float3{0, 2, 3}));
  for (const float value : message.blocks[1].numbers()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Wire, refuses_what_it_does_not_know) {
  const auto good = full_message();
  const auto refused = [&](std::size_t offset, std::uint8_t value) {
    auto bytes = good;
    bytes[offset] = value;
    std::string why;
    return !wire::read(bytes, why) && !why.empty();
  };
  EXPECT_TRUE(refused(0, 'X'));   // magic
  EXPECT_TRUE(refused(4, 2));     // version
  EXPECT_TRUE(refused(6, 3));     // kind
  EXPECT_TRUE(refused(40, 7));    // fewer blocks than there are
  EXPECT_TRUE(refused(40, 9));    // more
  EXPECT_TRUE(refused(44, 1));    // size
  EXPECT_TRUE(refused(51, 99));   // format
  EXPECT_TRUE(refused(55, 255));  // count
  EXPECT_FALSE(refused(50, 99)) << "a channel that is not known is skipped by its size";
}

TEST(Wire, survives_every_truncation_and_random_damage) {
  const auto good = full_message();
  std::string why;
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(wire::read(std::span(good).first(n), why)) << n;
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = good;
    for (int hit = 0; hit < 4; ++hit) bytes[random() % bytes.size()] = std::uint8_t(random());
    if (const auto message = wire::read(bytes, why))
      for (const wire::Block& block : message->blocks) {
        block.numbers();
        block.integers();
      }
  }
}

}  // namespace wire_test
}  // namespace pliant::view
