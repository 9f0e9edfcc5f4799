// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace replay_test {

using Json = nlohmann::json;

Json session() {
  const Json body{{"name", "bar"}, {"shape", {{"box", {{"size", {1, 0.2, 0.2}}, {"nodes", {6, 2, 2}}}}}}};
  return {{"pliant_session", 1},
          {"scene", {{"bodies", Json::array({body})}}},
          {"steps", 10},
          {"commands", Json::array({{{"step", 4},
                                     {"client", 1},
                                     {"cmd", "option.set"},
                                     {"args", {{"path", "gravity"}, {"value", {0, 1, 0}}}}}})},
          {"hash", "0000000000000000"}};
}

TEST(ReplayCommand, tells_whether_the_state_is_the_one_that_was_saved) {
  const TempFolder folder;
  const auto file = folder.path() / "bar.session.json";
  Json saved = session();
  std::ofstream(file) << saved.dump();
  const auto other = run_pliant("replay " + file.string());
  EXPECT_EQ(other.exit, 1) << other.output;
  EXPECT_TRUE(other.says("not the one that was saved")) << other.output;

  const auto at = other.output.find(", state ");
  ASSERT_NE(at, std::string::npos);
  saved["hash"] = other.output.substr(at + 8, 16);
  std::ofstream(file) << saved.dump();
  const auto same = run_pliant("replay " + file.string() + " --threads 2");
  EXPECT_EQ(same.exit, 0) << same.output;
  EXPECT_TRUE(same.says("10 steps, 1 commands")) << same.output;
}

TEST(ReplayCommand, refuses_what_is_no_session) {
  const TempFolder folder;
  const auto file = folder.path() / "x.json";
  std::ofstream(file) << "{}";
  EXPECT_TRUE(refused(run_pliant("replay " + file.string()), "expected a session saved by `pliant view`"));
  EXPECT_TRUE(refused(run_pliant("replay " + (folder.path() / "none.json").string()), "found no such file"));
}

}  // namespace replay_test
}  // namespace pliant
