// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/command_log.hpp"

#include <gtest/gtest.h>

namespace pliant::view {
namespace command_log_test {

using nlohmann::json;

void add_moves(CommandLog& log, int count) {
  for (int k = 0; k < count; ++k)
    log.add(std::uint32_t(k), 1, "grab.move", {{"grab", 1}, {"target", {0.1 * k, 0.2, 0.3}}});
}

TEST(CommandLog, is_an_empty_list_at_first_and_after_clear) {
  CommandLog log;
  EXPECT_EQ(log.text(), "[]");
  add_moves(log, 3);
  log.clear();
  EXPECT_EQ(log.text(), "[]");
}

TEST(CommandLog, gives_back_every_command_in_order_when_memory_holds_only_the_last) {
  CommandLog log;
  const int count = 5000;
  for (int half = 0; half < 2; ++half) {
    add_moves(log, count);
    EXPECT_LE(log.held(), CommandLog::most_held);
    const json list = json::parse(log.text());  // reading it does not harm what follows
    ASSERT_EQ(list.size(), std::size_t(count) * std::size_t(half + 1));
    for (int k = 0; k < count; ++k) {
      const json& entry = list[std::size_t(half) * std::size_t(count) + std::size_t(k)];
      ASSERT_EQ(entry["step"], k);
      ASSERT_EQ(entry["cmd"], "grab.move");
      ASSERT_EQ(entry["client"], 1);
      ASSERT_EQ(entry["args"]["target"][0].get<double>(), 0.1 * k);
    }
  }
}

TEST(CommandLog, says_when_it_took_too_much_and_begins_anew_after_clear) {
  CommandLog log(100000);
  add_moves(log, 5000);
  EXPECT_TRUE(log.full());
  EXPECT_EQ(log.text(), "");
  EXPECT_EQ(log.held(), 0u);
  log.clear();
  add_moves(log, 1);
  EXPECT_EQ(json::parse(log.text()).size(), 1u);
}

}  // namespace command_log_test
}  // namespace pliant::view
