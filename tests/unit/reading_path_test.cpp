// SPDX-License-Identifier: Apache-2.0
// The walks of docs/architecture.md: nine stops from scene file to exported frame (README.md prints them too), and
// from a grab on the page to the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "pliant/methods/catalogue.hpp"
#include "tests/support/places.hpp"
#include "tests/support/source_text.hpp"

namespace pliant {
namespace reading_path_test {

const std::filesystem::path root = source_folder();

std::string text_of(const char* file) { return text_of_file(root / file); }

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

/// Rows `| stop | `file` | `look for` | what happens |` whose stop matches.
struct Stop {
  std::string file, look_for, what_happens;
};
std::vector<Stop> stops(const char* which) {
  const std::string text = text_of("docs/architecture.md");
  const std::regex row(std::string(R"(\| )") + which + R"( \| `([^`]*)` \| `([^`]*)` \| ([^\n]*) \|\n)");
  std::vector<Stop> found;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at)
    found.push_back({(*at)[1], (*at)[2], (*at)[3]});
  return found;
}

/// In its code: a comment may speak of what is elsewhere.
bool code_holds(const std::filesystem::path& file, const std::string& what) {
  const std::string text = text_of_file(file);
  return text.find(what) != std::string::npos &&
         without_comments(text, file.extension() == ".ts").find(what) != std::string::npos;
}
bool holds(const std::string& file, const std::string& what) { return code_holds(root / file, what); }

/// The file of a stop for another method: the row's own exception "`method`: `file`", or the folder changed.
std::string file_for(const Stop& stop, const std::string& method) {
  const std::regex exception("`" + method + "`: `([^`]*)`");
  if (std::smatch found; std::regex_search(stop.what_happens, found, exception)) return found[1];
  const std::string folder = "/methods/geometric/";
  std::string file = stop.file;
  if (const auto at = file.find(folder); at != std::string::npos)
    file.replace(at, folder.size(), "/methods/" + method + "/");
  return file;
}

bool any_source_holds(const std::filesystem::path& folder, const std::string& what) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && code_holds(entry.path(), what)) return true;
  return false;
}

TEST(ReadingPath, every_stop_holds_what_it_names) {
  EXPECT_EQ(stops("[0-9]").size(), 9u);
  for (const Stop& stop : stops("[0-9]")) EXPECT_TRUE(holds(stop.file, stop.look_for)) << stop.file;
}

TEST(ReadingPath, is_true_for_every_method_with_one_word_changed) {
  for (const MethodEntry* entry : catalogue())
    for (const Stop& stop : stops("[0-9a-g]")) {
      const std::string file = file_for(stop, entry->name);
      EXPECT_TRUE(holds(file, stop.look_for)) << file << " has no " << stop.look_for;
    }
}

// The stop is a file that methods share: they must come by. Those that the row names do not.
TEST(ReadingPath, leads_every_method_to_the_contacts) {
  const std::vector<Stop> stop = stops("7");
  ASSERT_EQ(stop.size(), 1u);
  const std::vector<std::string> others = all_matches(stop[0].what_happens, "`([a-z]+)`");
  for (const MethodEntry* entry : catalogue()) {
    if (std::find(others.begin(), others.end(), entry->name) != others.end()) continue;
    EXPECT_TRUE(any_source_holds(root / "src/pliant/methods" / entry->name, "stage_.find(")) << entry->name;
  }
}

TEST(ReadingPath, of_a_grab_leads_from_the_page_to_the_equation) {
  EXPECT_EQ(stops("[a-z]").size(), 7u);
  for (const Stop& stop : stops("[a-z]")) EXPECT_TRUE(holds(stop.file, stop.look_for)) << stop.file;
}

TEST(ReadingPath, is_the_same_in_readme_and_architecture) {
  EXPECT_EQ(stops_of_readme(), stops_of_architecture());
}

}  // namespace reading_path_test
}  // namespace pliant
