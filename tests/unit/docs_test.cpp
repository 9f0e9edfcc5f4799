// SPDX-License-Identifier: Apache-2.0
// The docs name files that exist, link to pages that exist, and stay short enough to read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/places.hpp"

namespace pliant {
namespace docs_test {

namespace fs = std::filesystem;
const fs::path root = source_folder();

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> files_under(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() &&
        std::find(endings.begin(), endings.end(), entry.path().extension().string()) != endings.end())
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> files = files_under(root / "docs", {".md"});
  for (const char* name : {"README.md", "CONTRIBUTING.md"}) files.push_back(root / name);
  return files;
}

/// What stands between two marks in a line.
std::vector<std::string> between(const std::string& line, std::string_view open, std::string_view close) {
  std::vector<std::string> found;
  for (std::size_t at = line.find(open); at != std::string::npos; at = line.find(open, at)) {
    at += open.size();
    const std::size_t end = line.find(close, at);
    if (end == std::string::npos) break;
    found.push_back(line.substr(at, end - at));
    at = end + close.size();
  }
  return found;
}

bool starts_with_any(std::string_view name, const std::vector<std::string_view>& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return name.starts_with(s); });
}

/// Names without blanks, wildcards and placeholders.
bool plain(std::string_view name) {
  return name.find_first_of(" *<>{}$=,") == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// "docs/methods/cage/measured.md" and "docs/methods/cage.md" -> "cage"; other pages -> "".
std::string method_of(const fs::path& page) {
  const std::string name = fs::relative(page, root / "docs/methods").generic_string();
  if (name.starts_with("..")) return {};
  return name.substr(0, name.find_first_of("/."));
}

bool exists_for(const std::string& name, const fs::path& page) {
  if (starts_with_any(
          name, {"src/", "docs/", "scripts/", "scenes/", "tests/", "examples/", "include/", "figures/"}))
    return fs::exists(root / name);
  if (name.starts_with(".")) return true;  // an ending
  if (!name.ends_with(".hpp") && !name.ends_with(".cpp") && !name.ends_with(".inl")) return true;
  std::vector<fs::path> folders = {root, root / "src/pliant", root / "include"};
  if (const std::string method = method_of(page); !method.empty()) {
    folders.push_back(root / "src/pliant/methods" / method);
    folders.push_back(root / "src/pliant/methods" / method / "reduced");
  }
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& f) { return fs::exists(f / name); });
}

TEST(Docs, name_files_that_exist) {
  for (const fs::path& page : pages()) {
    int number = 0;
    for (const std::string& line : lines_of(page)) {
      ++number;
      for (const std::string& name : between(line, "`", "`"))
        EXPECT_TRUE(!plain(name) || exists_for(name, page))
            << page << ":" << number << ": there is no " << name;
    }
  }
}

TEST(Docs, link_to_pages_that_exist) {
  for (const fs::path& page : pages()) {
    int number = 0;
    for (const std::string& line : lines_of(page)) {
      ++number;
      for (const std::string& link : between(line, "](", ")")) {
        const std::string file = link.substr(0, link.find('#'));
        if (file.empty() || link.starts_with("http")) continue;
        EXPECT_TRUE(fs::exists(page.parent_path() / file)) << page << ":" << number << ": " << link;
      }
    }
  }
}

/// Anyone can make every picture again: `pliant render` on the page, or a figure file of its name.
TEST(Docs, every_picture_of_the_gallery_is_shown_and_made_by_a_command) {
  std::string all, gallery;
  for (const fs::path& page : pages())
    for (const std::string& line : lines_of(page)) all += line + "\n";
  for (const std::string& line : lines_of(root / "docs/gallery.md")) gallery += line + "\n";
  for (const fs::path& picture : files_under(root / "docs/gallery", {".png", ".webp", ".gif"})) {
    const std::string name = picture.filename().string(), stem = picture.stem().string();
    EXPECT_NE(all.find("gallery/" + name + ")"), std::string::npos) << name << " is shown nowhere";
    const bool figure = fs::exists(root / "figures" / (stem + ".json"));
    const bool told = gallery.find((figure ? "scripts/figures " : "-o docs/gallery/") +
                                   (figure ? "" : name)) != std::string::npos;
    EXPECT_TRUE(told) << "docs/gallery.md does not say how " << name << " is made";
    EXPECT_LT(fs::file_size(picture), picture.extension() == ".png" ? 200000u : 2000000u) << name;
  }
  for (const fs::path& figure : files_under(root / "figures", {".json"}))
    EXPECT_NE(gallery.find("gallery/" + figure.stem().string() + "."), std::string::npos)
        << figure << " is not in the gallery";
}

TEST(Docs, of_a_method_are_three_and_the_first_is_short) {
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs/methods")) {
    if (entry.is_directory()) continue;
    const fs::path page = entry.path();
    EXPECT_TRUE(fs::exists(page.parent_path() / page.stem() / "measured.md")) << page;
    EXPECT_TRUE(fs::exists(page.parent_path() / page.stem() / "decisions.md")) << page;
    const std::vector<std::string> lines = lines_of(page);
    EXPECT_LE(lines.size(), 150u) << page;
    for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_LE(lines[i].size(), 140u) << page << ":" << i + 1;
  }
}

/// Texts must stand on their own: readers have neither of these.
TEST(Docs, do_not_argue_with_texts_that_a_reader_does_not_have) {
  const std::vector<std::string> words = {std::string("the ") + "specification",
                                          std::string("the ") + "prototype"};
  std::vector<fs::path> files = pages();
  for (const char* folder : {"src", "apps", "bench", "scenes", "tests"})
    for (fs::path& file : files_under(root / folder, {".hpp", ".cpp", ".inl", ".json", ".md", ".cmake"}))
      files.push_back(file);
  for (const fs::path& file : files) {
    int number = 0;
    for (std::string line : lines_of(file)) {
      ++number;
      std::transform(line.begin(), line.end(), line.begin(),
                     [](unsigned char c) { return char(std::tolower(c)); });
      for (const std::string& word : words)
        EXPECT_EQ(line.find(word), std::string::npos) << file << ":" << number << ": " << word;
    }
  }
}

/// [Kelager05] and [Terzopoulos87] give no values: whoever says so must say whose a number is.
TEST(Docs, do_not_call_our_numbers_those_of_a_paper) {
  const std::string papers = "papers' ", paper = "paper's ";
  const std::vector<std::string> words = {papers + "own number", papers + "number", papers + "strength",
                                          paper + "own number"};
  std::vector<fs::path> files = pages();
  files.push_back(root / "CHANGELOG.md");
  for (const char* folder : {"src", "bench", "scenes", "tests"})
    for (fs::path& file : files_under(root / folder, {".hpp", ".cpp", ".json"})) files.push_back(file);
  for (const fs::path& file : files) {
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      for (const std::string& word : words)
        EXPECT_EQ(line.find(word), std::string::npos) << file << ":" << number << ": " << word;
    }
  }
}

}  // namespace docs_test
}  // namespace pliant
