// SPDX-License-Identifier: Apache-2.0
// The walks of docs/architecture.md: nine stops from scene file to exported frame (README.md prints them too), and
// from a grab on the page to the step.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "pliant/methods/catalogue.hpp"

namespace pliant {
namespace {

const std::filesystem::path root = PLIANT_SOURCE_DIR;

std::string text_of(const char* file) {
  std::ifstream in(root / file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What the pattern's first group finds, in order.
std::vector<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

/// Rows `| 3 | `file` | ... |` of the table.
std::vector<std::string> stops_of_architecture() {
  return all_matches(text_of("docs/architecture.md"), R"(\| [0-9]+ \| `([^`]*)` \|)");
}

/// Files in backquotes from "nine stops:" to the end of that sentence.
std::vector<std::string> stops_of_readme() {
  const std::string text = text_of("README.md");
  const auto begin = text.find("nine stops:");
  if (begin == std::string::npos) return {};
  return all_matches(text.substr(begin, text.find("`.\n", begin) + 1 - begin), "`([^`]*)`");
}

TEST(ReadingPath, has_nine_stops_and_every_one_is_a_file) {
  const std::vector<std::string> stops = stops_of_architecture();
  ASSERT_EQ(stops.size(), 9u);
  for (const std::string& stop : stops) EXPECT_TRUE(std::filesystem::is_regular_file(root / stop)) << stop;
}

/// Rows `| stop | `file` | `look for` | ...` whose stop matches.
struct Stop {
  std::string file, look_for;
};
std::vector<Stop> stops(const char* which) {
  const std::string text = text_of("docs/architecture.md");
  const std::regex row(std::string(R"(\| )") + which + R"( \| `([^`]*)` \| `([^`]*)` \|)");
  std::vector<Stop> found;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at)
    found.push_back({(*at)[1], (*at)[2]});
  return found;
}

bool holds(const std::string& file, const std::string& what) {
  return text_of(file.c_str()).find(what) != std::string::npos;
}

TEST(ReadingPath, every_stop_holds_what_it_names) {
  EXPECT_EQ(stops("[0-9]").size(), 9u);
  for (const Stop& stop : stops("[0-9]")) EXPECT_TRUE(holds(stop.file, stop.look_for)) << stop.file;
}

TEST(ReadingPath, is_true_for_every_method_with_one_word_changed) {
  for (const MethodEntry* entry : catalogue())
    for (Stop stop : stops("[0-9]")) {
      const std::string folder = "/methods/geometric/";
      const auto at = stop.file.find(folder);
      if (at == std::string::npos) continue;
      stop.file.replace(at, folder.size(), "/methods/" + entry->name + "/");
      EXPECT_TRUE(holds(stop.file, stop.look_for)) << stop.file << " has no " << stop.look_for;
    }
}

TEST(ReadingPath, of_a_grab_leads_from_the_page_to_the_equation) {
  EXPECT_EQ(stops("[a-z]").size(), 7u);
  for (const Stop& stop : stops("[a-z]")) EXPECT_TRUE(holds(stop.file, stop.look_for)) << stop.file;
}

TEST(ReadingPath, is_the_same_in_readme_and_architecture) {
  EXPECT_EQ(stops_of_readme(), stops_of_architecture());
}

}  // namespace
}  // namespace pliant
