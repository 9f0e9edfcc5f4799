// SPDX-License-Identifier: Apache-2.0
// Each function that the public headers declare is called in a test of this folder. Headers that the public ones only
// reach (the inside of the contact solver, of options and layouts) are no part of the promise.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/support/places.hpp"
#include "tests/support/source_text.hpp"

namespace pliant {
namespace walk_test {

namespace fs = std::filesystem;

/// The headers that those of include/pliant name.
std::set<fs::path> public_headers() {
  static const std::regex include("#include \"(pliant/[^\"]+)\"");
  std::set<fs::path> headers;
  for (const auto& entry : fs::directory_iterator(fs::path(source_folder()) / "include/pliant")) {
    const std::string text = text_of_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at)
      if (const fs::path header = fs::path(source_folder()) / "src" / std::string((*at)[1]);
          fs::exists(header))
        headers.insert(header);
  }
  return headers;
}

/// Names of functions: what stands before a bracket in a declaration, after a type.
std::set<std::string> functions_of(const fs::path& header) {
  static const std::regex declaration(R"re([A-Za-z0-9_>&*\]][ ]*[ &*]([a-z_][a-z0-9_]*)\()re");
  static const std::set<std::string> words{"if",      "for",      "while",    "return",
                                           "switch",  "sizeof",   "assert",   "static_assert",
                                           "defined", "decltype", "requires", "alignas"};
  std::string text = without_comments(text_of_file(header));
  // bodies of inline functions and templates, from the inside out; those of types and namespaces end in a semicolon or
  // begin the file
  static const std::regex body(R"re((\)|const|noexcept|override)[ \n]*\{[^{}]*\})re");
  for (std::string before; before != text;)
    before = std::exchange(text, std::regex_replace(text, body, "$1;"));
  const std::size_t detail = text.find("_detail {");
  if (detail != std::string::npos) text.resize(detail);
  std::set<std::string> names;
  bool hidden = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("private:") != std::string::npos) hidden = true;
    if (line.find("public:") != std::string::npos || line.starts_with("};")) hidden = false;
    if (hidden || line.starts_with("#") || line.find("operator") != std::string::npos) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), declaration), end; at != end; ++at)
      if (!words.contains((*at)[1])) names.insert((*at)[1]);
  }
  return names;
}

TEST(PublicHeaders, every_function_is_called_with_hostile_arguments) {
  std::string tests;
  for (const auto& entry : fs::directory_iterator(fs::path(source_folder()) / "tests/public"))
    if (entry.path().filename().string().starts_with("hostile_")) tests += text_of_file(entry.path());
  std::size_t count = 0;
  for (const fs::path& header : public_headers())
    for (const std::string& name : functions_of(header)) {
      ++count;
      EXPECT_NE(tests.find(name + "("), std::string::npos)
          << header.filename() << " declares " << name << ", which no test of tests/public calls";
    }
  EXPECT_GT(count, 200u) << "the headers were not read as they are written";
}

}  // namespace walk_test
}  // namespace pliant
