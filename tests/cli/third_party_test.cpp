// SPDX-License-Identifier: Apache-2.0
// THIRD_PARTY.md names every work that is compiled in, loaded or bundled, and no other; the text of each licence is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/command.hpp"
#include "tests/support/source_text.hpp"

namespace pliant {
namespace third_party_test {

namespace fs = std::filesystem;
const fs::path root = source_folder();

std::string page() { return text_of_file(root / "THIRD_PARTY.md"); }

/// All matches of the pattern's first group.
std::vector<std::string> all_of(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

/// How each work is seen: `<Eigen/`, `libmetis.so`, `npm three`.
std::vector<std::string> marks() {
  static const std::regex mark("`((?:<|lib|ld-|linux-|npm )[^`]+)`");
  return all_of(page(), mark);
}

bool is_listed(const std::string& seen) {
  const auto all = marks();
  return std::any_of(all.begin(), all.end(), [&](const std::string& mark) { return seen.starts_with(mark); });
}

std::set<std::string> files_with(const std::vector<std::string>& folders, const std::regex& pattern,
                                 const std::set<std::string>& endings) {
  std::set<std::string> found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (endings.contains(entry.path().extension().string()))
        for (const std::string& name : all_of(text_of_file(entry.path()), pattern)) found.insert(name);
  return found;
}

/// Headers of others, in the sources of the library, the command and the benchmarks.
std::set<std::string> headers() {
  static const std::regex include("#include (<[^>]+>)");
  auto found = files_with({"src", "include", "apps", "bench"}, include, {".cpp", ".hpp", ".inl", ".h"});
  // C++'s own have no ending; POSIX and the compiler have these.
  static const std::regex standard(
      "<([a-z_0-9]+|sys/.*|(fcntl|unistd|time|signal|spawn|malloc|[a-z]*intrin)\\.h)>");
  std::erase_if(found, [](const std::string& name) { return std::regex_match(name, standard); });
  return found;
}

TEST(ThirdParty, lists_every_header_of_others_and_no_other) {
  const auto found = headers();
  EXPECT_GT(found.size(), 20u);
  for (const std::string& header : found) EXPECT_TRUE(is_listed(header)) << header;
  for (const std::string& mark : marks())
    EXPECT_TRUE(mark[0] != '<' ||
                std::any_of(found.begin(), found.end(),
                            [&](const std::string& name) { return name.starts_with(mark); }))
        << mark << " is in no source";
}

TEST(ThirdParty, lists_every_library_that_the_command_loads) {
  const std::string text = output_of("ldd '" + build_folder() + "/pliant'");
  static const std::regex name("(?:^|\\n)\\s*(?:/\\S*/)?([^/\\s]+)[^\\n]*");
  const auto libraries = all_of(text, name);
  EXPECT_GT(libraries.size(), 5u) << text;
  for (const std::string& library : libraries)
    EXPECT_TRUE(is_listed(library) || std::regex_match(library, std::regex("lib[atu]b?san.*"))) << library;
}

TEST(ThirdParty, lists_every_package_in_the_page) {
  static const std::regex import("(?:from|import) ['\"]((?:@[^/'\"]+/)?[^./'\"][^/'\"]*)");
  const auto packages = files_with({"web/src"}, import, {".ts"});
  EXPECT_FALSE(packages.empty());
  for (const std::string& package : packages) EXPECT_TRUE(is_listed("npm " + package)) << package;
}

TEST(ThirdParty, packages_of_the_page_have_exact_versions) {
  const auto read = [](const char* file) { return nlohmann::json::parse(text_of_file(root / "web" / file)); };
  const auto asked = read("package.json"), locked = read("package-lock.json");
  EXPECT_EQ(asked["devDependencies"], locked["packages"][""]["devDependencies"]);
  for (const char* kind : {"dependencies", "devDependencies", "overrides"}) {
    const nlohmann::json versions = asked.value(kind, nlohmann::json::object());
    for (const auto& [name, version] : versions.items()) {
      EXPECT_TRUE(std::regex_match(version.get<std::string>(), std::regex("\\d+\\.\\d+\\.\\d+")))
          << name << version;
      EXPECT_EQ(locked["packages"]["node_modules/" + name]["version"], version) << name;
    }
  }
}

TEST(ThirdParty, has_the_text_of_each_licence) {
  const std::string text = page();
  static const std::regex row("\\n\\| \\[([^\\]]+)\\]\\(#[^)]+\\)[^|]*\\| ([^|]+) \\|");
  int rows = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at, ++rows) {
    const std::string name = (*at)[1], licence = (*at)[2], heading = "\n## " + name + "\n";
    const std::size_t begin = text.find(heading);
    ASSERT_NE(begin, std::string::npos) << name << " has no section";
    const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    // Apache-2.0 is our own; those of the system's libraries come with the system.
    const bool elsewhere = section.find("[LICENSE](LICENSE)") != std::string::npos ||
                           section.find("common-licenses") != std::string::npos ||
                           section.find("publicdomain") != std::string::npos;
    EXPECT_TRUE(elsewhere || section.find("WARRANT") != std::string::npos ||
                section.find("Warranty") != std::string::npos)
        << name << ": " << licence;
  }
  EXPECT_GE(rows, 12);
}

}  // namespace third_party_test
}  // namespace pliant
