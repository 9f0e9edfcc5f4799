// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/page_message.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pliant::view {
namespace page_message_test {

std::string code_of(const std::string& text) {
  const PageMessage message = read_page_message(text);
  const BadMessage* bad = std::get_if<BadMessage>(&message);
  return bad ? bad->code : "";
}

TEST(PageMessage, takes_the_four_kinds) {
  const auto hello = std::get<Hello>(read_page_message(
      R"({"type":"hello","format":"u16","channels":["surface","nodes"],"max_rate":20,"watch":true})"));
  EXPECT_TRUE(hello.watch);
  EXPECT_TRUE(hello.wish.quantised);
  EXPECT_EQ(hello.wish.max_rate, 20);
  EXPECT_EQ(hello.wish.channels, only(Channel::surface) | only(Channel::nodes));

  EXPECT_EQ(std::get<Ack>(read_page_message(R"({"type":"ack","seq":4294967295})")).seq, 4294967295u);

  PageWish wish = hello.wish;
  std::get<ViewChange>(read_page_message(R"({"type":"view","max_rate":0})")).apply(wish);
  EXPECT_EQ(wish.max_rate, 0);
  EXPECT_TRUE(wish.quantised) << "what is not named stays";

  const auto command =
      std::get<PageCommand>(read_page_message(R"({"id":5,"cmd":"grab.move","args":{"target":[1,2,3]}})"));
  EXPECT_EQ(command.id, 5u);
  EXPECT_EQ(command.cmd, "grab.move");
  EXPECT_EQ(command.args["target"][2], 3);
  EXPECT_TRUE(std::get<PageCommand>(read_page_message(R"({"id":6,"cmd":"play"})")).args.is_object());
}

TEST(PageMessage, has_defaults_for_everything_in_hello) {
  const auto hello = std::get<Hello>(read_page_message(R"({"type":"hello"})"));
  EXPECT_FALSE(hello.watch);
  EXPECT_FALSE(hello.wish.quantised);
  EXPECT_EQ(hello.wish.max_rate, 60);
}

TEST(PageMessage, refuses_what_is_no_json) {
  for (const char* text : {"", "{", "hello", "{\"type\":\"ack\",\"seq\":1", "{\"a\":1e999}", "{\"a\":NaN}",
                           "{\"a\":Infinity}", "\"\\ud800\"", "{\"a\":\"\xff\"}", "{\"a\":\"\xc0\xaf\"}",
                           "{\"type\":\"ack\",\"seq\":1}x", "// c\n{}"})
    EXPECT_EQ(code_of(text), "bad_json") << text;
}

TEST(PageMessage, refuses_what_has_the_wrong_shape) {
  for (const char* text : {"[]",
                           "1",
                           "null",
                           "{}",
                           R"({"type":1})",
                           R"({"type":"shout"})",
                           R"({"type":"ack"})",
                           R"({"type":"ack","seq":-1})",
                           R"({"type":"ack","seq":1.5})",
                           R"({"type":"ack","seq":4294967296})",
                           R"({"type":"hello","format":"f64"})",
                           R"({"type":"hello","channels":"surface"})",
                           R"({"type":"hello","channels":["sound"]})",
                           R"({"type":"hello","channels":[1]})",
                           R"({"type":"hello","max_rate":-1})",
                           R"({"type":"hello","max_rate":1e9})",
                           R"({"type":"hello","watch":1})",
                           R"({"type":"view","max_rate":"fast"})",
                           R"({"cmd":"play"})",
                           R"({"id":-1,"cmd":"play"})",
                           R"({"id":1.5,"cmd":"play"})",
                           R"({"id":4294967296,"cmd":"play"})"})
    EXPECT_EQ(code_of(text), "bad_message") << text;
}

TEST(PageMessage, keeps_the_id_of_a_command_that_is_wrong_otherwise) {
  for (const char* text : {R"({"id":7,"cmd":1})", R"({"id":7,"cmd":"play","args":[]})"}) {
    const auto bad = std::get<BadMessage>(read_page_message(text));
    EXPECT_EQ(bad.id, 7u) << text;
  }
}

TEST(PageMessage, allows_sixteen_levels_and_no_more) {
  const auto nested = [](int levels) {
    return R"({"id":1,"cmd":"play","args":{"a":)" + std::string(std::size_t(levels - 2), '[') +
           std::string(std::size_t(levels - 2), ']') + "}}";
  };
  EXPECT_EQ(code_of(nested(16)), "");
  EXPECT_EQ(code_of(nested(17)), "bad_json");
  EXPECT_EQ(code_of(std::string(60000, '[')), "bad_json");
  EXPECT_EQ(code_of(R"({"id":1,"cmd":"[[[[[[[[[[[[[[[[[[[[\"[["})"), "") << "brackets in a text do not nest";
}

TEST(PageMessage, is_bounded_in_size) {
  const std::string head = R"({"id":1,"cmd":")", tail = "\"}";
  const std::size_t rest = most_message_bytes - head.size() - tail.size();
  EXPECT_EQ(code_of(head + std::string(rest, 'a') + tail), "");
  EXPECT_EQ(code_of(head + std::string(rest + 1, 'a') + tail), "too_large");
}

TEST(PageMessage, a_damaged_command_is_refused_with_a_reason_or_is_a_whole_command) {
  std::mt19937 random(3);
  const std::string good = R"({"id":5,"cmd":"grab.move","args":{"grab":1,"target":[1.5,-2e3,3]}})";
  int refused = 0, whole = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (int hit = 0; hit < 3; ++hit) text[random() % text.size()] = char(random());
    const PageMessage message = read_page_message(text);
    if (const auto* bad = std::get_if<BadMessage>(&message)) {
      ++refused;
      ASSERT_TRUE(bad->code == "bad_json" || bad->code == "bad_message") << text;
      ASSERT_FALSE(bad->message.empty()) << text;
    } else {
      const auto* command = std::get_if<PageCommand>(&message);
      ASSERT_TRUE(command) << text;
      ++whole;
      ASSERT_TRUE(command->args.is_object()) << text;
      ASSERT_EQ(nlohmann::json::parse(text)["cmd"], command->cmd) << text;
    }
  }
  // Few hits leave JSON, such as those in a number or a name: measured 72.
  EXPECT_GT(whole, 30);
  EXPECT_GT(refused, 10000);
}

}  // namespace page_message_test
}  // namespace pliant::view
