// SPDX-License-Identifier: Apache-2.0
// docs/papers.json, the claims of the papers: what it names exists, and what it keeps is what the scenes promise (EveryScene runs
// them). The page is made of it by scripts/papers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "pliant/scene/library.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/shipped_scene.hpp"

namespace pliant {
namespace papers_test {

using nlohmann::json;

json claims() { return json::parse(read_text(PLIANT_SOURCE_DIR "/docs/papers.json")); }

void each_cell(const std::function<void(const json& cell, const std::string& row)>& visit) {
  const json all = claims();
  for (const json& paper : all["papers"])
    for (const json& row : paper["rows"])
      for (const char* column : {"printed", "ours"})
        for (const json& cell : row.value(column, json::array())) visit(cell, row["claim"]);
}

std::string scene_of(const json& cell) { return cell.contains("run") ? cell["run"] : cell["pose"]; }

/// As `pliant run` prints it, without the value.
std::string text_of(const ExpectSpec& expect, const SceneSpec& scene) {
  const std::string body = expect.body.empty() ? scene.bodies.front().name : expect.body;
  std::string text = fmt::format("{} of {}, ", expect.metric, body);
  text += expect.at.word.empty() ? fmt::format("at {:g} s", expect.at.number) : expect.at.word;
  if (expect.from > 0) text += fmt::format(", from {:g} s", expect.from);
  if (expect.to < not_given) text += fmt::format(", to {:g} s", expect.to);
  return text;
}

bool of_every_run(const std::string& show) {
  for (const char* name :
       {"nodes", "unknowns", "set-up ms", "least ms a step", "Newton steps", "fails at, s"})
    if (show == name) return true;
  return false;
}

/// Output of scripts/papers with the command under test.
CommandResult papers(const std::string& arguments) {
  const std::string command =
      "PLIANT='" PLIANT_BINARY_DIR "/pliant' '" PLIANT_SOURCE_DIR "/scripts/papers' " + arguments + " 2>&1";
  CommandResult result;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.output.append(buffer, n);
  const int status = pclose(pipe);
  result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

TEST(Papers, rows_have_a_claim_a_verdict_and_a_command) {
  const json all = claims();
  int rows = 0;
  for (const json& paper : all["papers"])
    for (const json& row : paper["rows"]) {
      ++rows;
      EXPECT_FALSE(row["claim"].get<std::string>().empty());
      EXPECT_FALSE(row["verdict"].get<std::string>().empty()) << row["claim"];
      EXPECT_GT(row.value("printed", json::array()).size() + row.value("ours", json::array()).size(), 0u)
          << row["claim"];
    }
  EXPECT_GE(rows, 50);
}

TEST(Papers, scenes_and_cases_that_rows_name_exist) {
  const std::vector<ShippedScene> scenes = shipped_scenes({PLIANT_SOURCE_DIR "/scenes"});
  const CommandResult cases = run_pliant("bench --filter no-such-case");  // the refusal lists them
  each_cell([&](const json& cell, const std::string& row) {
    if (cell.contains("bench")) {
      EXPECT_TRUE(cases.says(" " + cell["bench"].get<std::string>() + ",")) << row;
      return;
    }
    EXPECT_TRUE(std::any_of(scenes.begin(), scenes.end(),
                            [&](const ShippedScene& s) { return s.name == scene_of(cell); }))
        << row << ": " << scene_of(cell);
  });
}

TEST(Papers, scenes_print_the_numbers_that_rows_show_and_keep_them_within_their_bounds) {
  each_cell([&](const json& cell, const std::string& row) {
    const std::string show = cell["show"];
    EXPECT_TRUE(cell.contains("value")) << row << ": run scripts/papers --write";
    if (cell.contains("bench") || of_every_run(show)) return;
    const ParsedScene scene = shipped(scene_of(cell));
    ASSERT_TRUE(scene.problems.empty()) << row;
    const auto& all = scene.spec.expect;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ExpectSpec& e) { return text_of(e, scene.spec) == show; });
    ASSERT_TRUE(found != all.end()) << row << ": " << scene_of(cell) << " expects no '" << show << "'";
    if (cell.contains("set") || !cell.contains("value")) return;  // bounds are of the scene as shipped
    EXPECT_GE(cell["value"].get<double>(), found->min) << row << ": " << show;
    EXPECT_LE(cell["value"].get<double>(), found->max) << row << ": " << show;
  });
}

TEST(Papers, the_page_is_made_of_the_rows) {
  const CommandResult made = papers("--render");
  ASSERT_EQ(made.exit, 0) << made.output;
  EXPECT_EQ(made.output, read_text(PLIANT_SOURCE_DIR "/docs/papers.md"));
}

// The other commands take minutes together: `make papers`.
TEST(Papers, the_script_prints_what_a_command_measures) {
  const CommandResult said = papers("--only metric/cell-printed");
  EXPECT_EQ(said.exit, 0) << said.output;
  EXPECT_TRUE(said.says("`pliant run metric/cell-printed`"));
  EXPECT_TRUE(said.says("1 commands, ")) << said.output;
}

}  // namespace papers_test
}  // namespace pliant
