// SPDX-License-Identifier: Apache-2.0
// Only methods/ knows the methods by name; everyone else asks the catalogue. Benchmarks name what they measure,
// and include/pliant/methods.hpp includes the settings.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "pliant/methods/catalogue.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

/// Names that mean something else as well: a column of metrics.csv, a mesh around another.
const std::set<std::string> words_of_the_language = {"metric", "cage"};

/// Comments are free to name methods. What looks like one in a literal is kept.
std::string without_comments(const std::string& text) {
  static const std::regex part(R"re("(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/)re");
  std::string out;
  std::size_t end = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), part), none; at != none; ++at) {
    out += text.substr(end, std::size_t(at->position()) - end);
    if (at->str().front() == '"') out += at->str();
    end = std::size_t(at->position() + at->length());
  }
  return out + text.substr(end);
}

/// Where a source names the method: its namespace, its folder, or a text.
std::vector<std::string> mentions(const std::string& source, const std::string& method) {
  std::string pattern = "\\b" + method + "::\\w*|\"pliant/methods/" + method + "/[^\"]*\"";
  // "geometric/bar" is a scene.
  if (!words_of_the_language.contains(method))
    pattern += "|\"[^\"\\n]*\\b" + method + "\\b(?!/)[^\"\\n]*\"";
  else
    pattern +=
        "|\\bmethod\\w*(\\(\\))? *[=!]= *\"" + method + "\"|\"bodies\\.[^\"]*\\." + method + "\\.[^\"]*\"";
  const std::string text = without_comments(source);
  const std::regex regex(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), none; at != none; ++at)
    out.push_back(at->str());
  return out;
}

TEST(MethodNames, stand_in_methods_only) {
  const fs::path root = PLIANT_SOURCE_DIR;
  int files = 0;
  for (const char* folder : {"src/pliant", "apps"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = fs::relative(entry.path(), root).generic_string();
      if (!entry.is_regular_file() || file.starts_with("src/pliant/methods/")) continue;
      ++files;
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      for (const std::string& method : method_names())
        for (const std::string& mention : mentions(text, method)) ADD_FAILURE() << file << ": " << mention;
    }
  EXPECT_GT(files, 100);
}

TEST(MethodNames, are_seen_where_they_stand) {
  const auto count = [](const char* source, const char* method) { return mentions(source, method).size(); };
  EXPECT_EQ(count("geometric::Options o;", "geometric"), 1u);
  EXPECT_EQ(count("#include \"pliant/methods/cage/body.hpp\"", "cage"), 1u);
  EXPECT_EQ(count("if (name == \"fem\") x();", "fem"), 1u);
  EXPECT_EQ(count("if (body.method == \"cage\") x();", "cage"), 1u);
  EXPECT_EQ(count("say(\"take meshless.iterations\");", "meshless"), 1u);
  EXPECT_EQ(count("// the geometric method\nrun(\"geometric/bar\");", "geometric"), 0u);
  EXPECT_EQ(count("option(\"metric\", ...); biometric::x();", "metric"), 0u);
}

}  // namespace
}  // namespace pliant
