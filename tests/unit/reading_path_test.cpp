// SPDX-License-Identifier: Apache-2.0
// The nine stops from scene file to exported frame, as README.md and docs/architecture.md print them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

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

TEST(ReadingPath, is_the_same_in_readme_and_architecture) {
  EXPECT_EQ(stops_of_readme(), stops_of_architecture());
}

}  // namespace
}  // namespace pliant
