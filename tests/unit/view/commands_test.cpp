// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/commands.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace pliant::view {
namespace commands_test {

Incoming call(const std::string& cmd, Json args, int client = 1) {
  return {{client, cmd, std::move(args)}, 0, false};
}

TEST(Commands, EveryCommandHasOneHandlerAndOneName) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_NE(command.world == nullptr, command.loop == nullptr) << command.name;
    EXPECT_EQ(find_command(command.name), &command);
    EXPECT_TRUE(command.thing || (command.run != Run::move && command.run != Run::drag)) << command.name;
  }
  EXPECT_EQ(find_command("fly"), nullptr);
  EXPECT_EQ(unknown_command("grab.begun").nearest, "grab.begin");
}

TEST(Commands, TheDocumentationNamesEveryCommand) {
  std::ifstream file(source_folder() + "/docs/session.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const Command& command : commands()) {
    if (command.name == "leave") continue;  // given by the inbox when a page goes
    EXPECT_NE(text.find("`" + std::string(command.name) + "`"), std::string::npos) << command.name;
  }
}

TEST(Commands, AMoveIsReplacedByALaterOneOfTheSameThing) {
  const std::deque<Incoming> batch{call("grab.move", {{"grab", 1}}),     call("grab.move", {{"grab", 2}}),
                                   call("grab.move", {{"grab", 1}}, 2),  call("grab.move", {{"grab", 1}}),
                                   call("grab.end", {{"grab", 1}}),      call("grab.move", {{"grab", 2}}),
                                   call("handle.move", {{"handle", 1}}), call("undo", Json::object()),
                                   call("handle.move", {{"handle", 1}})};
  std::vector<bool> replaced;
  for (std::size_t i = 0; i < batch.size(); ++i) replaced.push_back(is_replaced(batch, i));
  EXPECT_EQ(replaced, (std::vector<bool>{true, true, false, false, false, false, false, false, false}));
}

TEST(Commands, OnlyASliderThatIsStillDraggedIsReplaced) {
  const Json dragged{{"path", "gravity"}, {"final", false}}, released{{"path", "gravity"}, {"final", true}};
  EXPECT_TRUE(is_replaced({call("option.set", dragged), call("option.set", released)}, 0));
  EXPECT_FALSE(is_replaced({call("option.set", released), call("option.set", dragged)}, 0));
  EXPECT_TRUE(replaces_waiting(call("option.set", dragged).call, call("option.set", released).call));
  EXPECT_FALSE(replaces_waiting(call("option.set", dragged).call, call("option.reset", released).call));
}

}  // namespace commands_test
}  // namespace pliant::view
