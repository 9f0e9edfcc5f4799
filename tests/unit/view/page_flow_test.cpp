// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/page_flow.hpp"

#include <gtest/gtest.h>

namespace pliant::view {
namespace page_flow_test {

using std::chrono::milliseconds;
const FlowTime start = FlowTime() + std::chrono::hours(1);

/// A session with one triangle whose first vertex is at (serial, 0, 0).
Snapshot snapshot(std::uint64_t serial, std::uint32_t epoch = 1) {
  auto model = std::make_shared<Model>();
  model->epoch = epoch;
  model->bodies.resize(1);
  model->bodies[0].surface = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  model->bodies[0].triangles = {{0, 1, 2}};
  Snapshot out;
  out.model = model;
  out.epoch = epoch;
  out.step = std::uint32_t(serial);
  out.serial = serial;
  out.bodies.resize(1);
  out.bodies[0].surface = {{float(serial), 0, 0}, {1, 0, 0}, {0, 1, 0}};
  out.bodies[0].surface_flags = {0, flag_pinned, 0};
  out.applied = {{7, 40}, {8, 99}};
  return out;
}

struct Received {
  std::vector<std::uint8_t> bytes;
  wire::Message message;
};

Received decoded(std::optional<Outgoing> out) {
  if (!out || !out->binary()) throw std::runtime_error("nothing binary");
  Received received{std::move(out->bytes), {}};
  std::string why;
  const auto message = wire::read(received.bytes, why);
  if (!message) throw std::runtime_error(why);
  received.message = *message;
  return received;
}

SharedText text(std::string content) { return std::make_shared<const std::string>(std::move(content)); }

struct Greeted : PageFlow {
  Greeted() : PageFlow(1000) {
    PageWish wish;
    wish.channels |= only(Channel::surface_flags);
    greet(7, wish);
  }
};

TEST(PageFlow, sends_nothing_binary_before_hello) {
  PageFlow flow(1000);
  EXPECT_FALSE(flow.next(snapshot(1), start));
  flow.queue(text("hi"), false);
  EXPECT_EQ(*flow.next(snapshot(1), start)->text, "hi");
}

TEST(PageFlow, sends_texts_then_the_model_then_frames) {
  Greeted flow;
  flow.queue(text("welcome"), false);
  flow.queue(text("scene"), false);
  EXPECT_EQ(*flow.next(snapshot(1), start)->text, "welcome");
  EXPECT_EQ(*flow.next(snapshot(1), start)->text, "scene");
  const Received model = decoded(flow.next(snapshot(1), start));
  EXPECT_EQ(model.message.header.kind, wire::Kind::model);
  EXPECT_EQ(model.message.header.seq, 1u);
  EXPECT_TRUE(flow.ack(1));
  const Received frame = decoded(flow.next(snapshot(1), start));
  EXPECT_EQ(frame.message.header.kind, wire::Kind::frame);
  EXPECT_EQ(frame.message.header.seq, 2u);
  EXPECT_EQ(frame.message.header.applied, 40u) << "its own, not another page's";
  EXPECT_TRUE(frame.message.header.flags & wire::keyframe);
}

TEST(PageFlow, keeps_a_model_until_its_scene_was_told) {
  Greeted flow;
  flow.queue(text("scene 1"), false);
  flow.tell_scene(1);
  EXPECT_FALSE(flow.next(snapshot(1), start)->binary());
  decoded(flow.next(snapshot(1), start));
  EXPECT_TRUE(flow.ack(1));
  EXPECT_FALSE(flow.next(snapshot(2, 2), start + milliseconds(100))) << "its scene is still on its way";
  flow.queue(text("scene 2"), false);
  flow.tell_scene(2);
  EXPECT_EQ(*flow.next(snapshot(2, 2), start + milliseconds(100))->text, "scene 2");
  EXPECT_EQ(decoded(flow.next(snapshot(2, 2), start + milliseconds(100))).message.header.kind,
            wire::Kind::model);
}

TEST(PageFlow, has_one_message_in_flight_and_skips_to_the_newest) {
  Greeted flow;
  flow.next(snapshot(1), start);
  for (int i = 1; i < 50; ++i)
    EXPECT_FALSE(flow.next(snapshot(std::uint64_t(i)), start + milliseconds(100 * i)));
  EXPECT_EQ(flow.waiting(start + milliseconds(300)), milliseconds(300));
  flow.ack(1);
  const Received frame = decoded(flow.next(snapshot(50), start + milliseconds(5000)));
  EXPECT_EQ(frame.message.blocks[0].numbers()[0], 50);
  flow.ack(2);
  EXPECT_FALSE(flow.next(snapshot(50), start + milliseconds(6000))) << "the page has the newest already";
}

TEST(PageFlow, goes_on_with_texts_while_a_frame_is_not_acknowledged) {
  Greeted flow;
  flow.next(snapshot(1), start);
  flow.queue(text("reply"), false);
  EXPECT_EQ(*flow.next(snapshot(2), start)->text, "reply");
}

TEST(PageFlow, believes_only_acks_of_what_was_sent) {
  Greeted flow;
  EXPECT_FALSE(flow.ack(0));
  EXPECT_FALSE(flow.ack(1));
  flow.next(snapshot(1), start);
  EXPECT_FALSE(flow.ack(2));
  EXPECT_TRUE(flow.ack(1));
  flow.next(snapshot(1), start);
  EXPECT_TRUE(flow.ack(1)) << "late, and no harm";
  EXPECT_TRUE(flow.in_flight()) << "but the second is still under way";
}

TEST(PageFlow, keeps_the_rate_the_page_asked_for) {
  Greeted flow;
  PageWish wish = flow.wish();
  wish.max_rate = 20;
  flow.change_wish(wish);
  flow.next(snapshot(1), start);
  flow.ack(1);
  int frames = 0;
  std::uint32_t seq = 1;
  for (int ms = 0; ms < 1000; ++ms) {
    const FlowTime now = start + milliseconds(ms);
    if (flow.next(snapshot(std::uint64_t(ms) + 2), now)) {
      ++frames;
      flow.ack(++seq);
    } else {
      ASSERT_TRUE(flow.wake());
      EXPECT_LE(*flow.wake() - now, milliseconds(50));
    }
  }
  EXPECT_GE(frames, 20);
  EXPECT_LE(frames, 21);
}

TEST(PageFlow, sends_nothing_binary_to_a_hidden_page_and_the_newest_when_it_is_seen_again) {
  Greeted flow;
  PageWish wish = flow.wish();
  wish.max_rate = 0;
  flow.change_wish(wish);
  EXPECT_FALSE(flow.next(snapshot(1), start));
  wish.max_rate = 60;
  flow.change_wish(wish);
  EXPECT_TRUE(flow.next(snapshot(1), start));
}

TEST(PageFlow, sends_a_new_model_with_every_epoch) {
  Greeted flow;
  flow.next(snapshot(1), start);
  flow.ack(1);
  flow.next(snapshot(1), start);
  flow.ack(2);
  const Received model = decoded(flow.next(snapshot(2, 2), start));
  EXPECT_EQ(model.message.header.kind, wire::Kind::model);
  EXPECT_EQ(model.message.header.epoch, 2u);
  flow.ack(3);
  const Received frame = decoded(flow.next(snapshot(2, 2), start + milliseconds(20)));
  EXPECT_EQ(frame.message.header.kind, wire::Kind::frame);
  EXPECT_EQ(frame.message.header.epoch, 2u);
}

TEST(PageFlow, sends_flags_only_when_they_change) {
  Greeted flow;
  flow.next(snapshot(1), start);
  flow.ack(1);
  const auto flags_in = [&](const Snapshot& newest, int ms, std::uint32_t seq) {
    const Received frame = decoded(flow.next(newest, start + milliseconds(ms)));
    flow.ack(seq);
    return frame.message.find(0, Channel::surface_flags) != nullptr;
  };
  EXPECT_TRUE(flags_in(snapshot(1), 0, 2));
  EXPECT_FALSE(flags_in(snapshot(2), 100, 3));
  Snapshot unpinned = snapshot(3);
  unpinned.bodies[0].surface_flags[1] = 0;
  EXPECT_TRUE(flags_in(unpinned, 200, 4));
}

TEST(PageFlow, shows_a_newly_wanted_channel_at_once_while_nothing_moves) {
  Greeted flow;
  flow.next(snapshot(1), start);
  flow.ack(1);
  flow.next(snapshot(1), start);
  flow.ack(2);
  EXPECT_FALSE(flow.next(snapshot(1), start + milliseconds(100)));
  PageWish wish = flow.wish();
  wish.quantised = true;
  flow.change_wish(wish);
  const Received frame = decoded(flow.next(snapshot(1), start + milliseconds(100)));
  EXPECT_EQ(frame.message.blocks[0].format, wire::Format::u16x3);
}

TEST(PageFlow, bounds_what_a_page_leaves_unread) {
  Greeted flow;
  EXPECT_TRUE(flow.queue(text(std::string(600, 'a')), false));
  EXPECT_TRUE(flow.queue(text(std::string(900, 's')), true)) << "statistics are dropped instead";
  EXPECT_EQ(flow.dropped(), 1u);
  EXPECT_TRUE(flow.queue(text(std::string(400, 'a')), false));
  EXPECT_FALSE(flow.queue(text("a"), false));
  EXPECT_EQ(flow.queued_bytes(), 1001u);
}

TEST(ErrorRate, counts_within_its_window_only) {
  ErrorRate rate(3, milliseconds(100));
  EXPECT_FALSE(rate.add(start));
  EXPECT_FALSE(rate.add(start + milliseconds(60)));
  EXPECT_FALSE(rate.add(start + milliseconds(120)));
  EXPECT_TRUE(rate.add(start + milliseconds(130)));
}

}  // namespace page_flow_test
}  // namespace pliant::view
