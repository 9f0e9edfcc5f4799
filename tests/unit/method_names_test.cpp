// SPDX-License-Identifier: Apache-2.0
// Only methods/ knows the methods by name; everyone else asks the catalogue. Benchmarks name what they measure,
// and include/pliant/methods.hpp includes the settings.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "pliant/methods/catalogue.hpp"
#include "tests/support/places.hpp"
#include "tests/support/source_text.hpp"

namespace pliant {
namespace method_names_test {

namespace fs = std::filesystem;

/// Names that mean something else as well: a column of metrics.csv, a mesh around another, what does not give way.
const std::set<std::string> words_of_the_language = {"metric", "cage", "rigid"};

/// A source without its comments, which are free to name methods, and what it says between quotes.
struct Code {
  std::string text;
  std::vector<std::string> literals;

  Code(const std::string& source, bool typescript) : text(without_comments(source, typescript)) {
    static const std::regex cpp(R"re("(?:\\.|[^"\\\n])*")re"),
        ts(R"re("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)re");
    for (std::sregex_iterator at(text.begin(), text.end(), typescript ? ts : cpp), none; at != none; ++at)
      literals.push_back(at->str());
  }
};

void find_all(const std::string& text, const std::string& pattern, std::vector<std::string>& out) {
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), none; at != none; ++at)
    out.push_back(at->str());
}

/// Where a source names the method: its namespace, its folder, or a text.
std::vector<std::string> mentions(const Code& code, const std::string& method) {
  std::vector<std::string> out;
  if (code.text.find(method) == std::string::npos) return out;
  find_all(code.text, "\\b" + method + "::\\w*|\"pliant/methods/" + method + "/[^\"]*\"", out);
  const bool word = words_of_the_language.contains(method);
  if (word) find_all(code.text, "\\bmethod\\w*(\\(\\))? *[=!]==? *[\"'`]" + method + "[\"'`]", out);
  // A setting ("metric.lattice"; "cage.move" is a command, "cage.hpp" a file), or the method so called.
  const std::string setting = "\\b" + method + "\\.(?!move\\b|hpp\\b|obj\\b)\\w+",
                    called = "\\bmethod\\w*[^\\w/]+(to\\W+)?" + method + "\\b";
  // "geometric/bar" is a scene.
  for (const std::string& literal : code.literals)
    if (literal.find(method) != std::string::npos)
      find_all(literal, word ? setting + "|" + called : "\\b" + method + "\\b(?!/)", out);
  return out;
}

TEST(MethodNames, stand_in_methods_only) {
  const fs::path root = source_folder();
  int files = 0;
  for (const char* folder : {"src/pliant", "apps", "web/src"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string file = fs::relative(entry.path(), root).generic_string();
      if (!entry.is_regular_file() || file.starts_with("src/pliant/methods/")) continue;
      ++files;
      const Code code(text_of_file(entry.path()), entry.path().extension() == ".ts");
      for (const std::string& method : method_names())
        for (const std::string& mention : mentions(code, method)) ADD_FAILURE() << file << ": " << mention;
    }
  EXPECT_GT(files, 100);
}

TEST(MethodNames, are_seen_where_they_stand) {
  const auto count = [](const char* source, const char* method) {
    return mentions(Code(source, false), method).size();
  };
  EXPECT_EQ(count("geometric::Options o;", "geometric"), 1u);
  EXPECT_EQ(count("#include \"pliant/methods/cage/body.hpp\"", "cage"), 1u);
  EXPECT_EQ(count("if (name == \"fem\") x();", "fem"), 1u);
  EXPECT_EQ(count("if (body.method == \"cage\") x();", "cage"), 1u);
  EXPECT_EQ(count("say(\"take meshless.iterations\");", "meshless"), 1u);
  EXPECT_EQ(count("// the geometric method\nrun(\"geometric/bar\");", "geometric"), 0u);
  EXPECT_EQ(count("option(\"metric\", ...); biometric::x();", "metric"), 0u);
  EXPECT_EQ(count("say(\"or set metric.lattice to mesh\");", "metric"), 1u);
  EXPECT_EQ(count("say(\"bodies.0.cage.points\");", "cage"), 1u);
  EXPECT_EQ(count("{\"cage.move\", cage_move}; cage.vertices.size(); say(\"--cage cage.obj\");", "cage"), 0u);
  const auto on_page = [](const char* source, const char* method) {
    return mentions(Code(source, true), method).size();
  };
  EXPECT_EQ(on_page("hint = 'switch its method to *cage*';", "cage"), 1u);
  EXPECT_EQ(on_page("if (body.method === 'cage') x();", "cage"), 1u);
  EXPECT_EQ(on_page("text = `a ${name} by fem`; // not geometric", "fem"), 1u);
  EXPECT_EQ(on_page("if (tool === 'cage') store.do('cage.move'); // the cage method", "cage"), 0u);
}

}  // namespace method_names_test
}  // namespace pliant
