// SPDX-License-Identifier: Apache-2.0
// Dependencies point one way: apps -> view -> scene -> sim, methods/catalogue -> methods/* -> methods -> contact
// -> physics, proximity -> geometry -> math -> base, with io and render beside them on meshes and frames only.
// Methods never include one another, and no file includes itself by way of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace pliant {
namespace include_direction_test {

namespace fs = std::filesystem;
using Folders = std::set<std::string>;

/// What the files of a folder may include besides their own folder. "methods" is the folder itself (the
/// interface and the entry), below "methods/*", which is every method; "methods/catalogue", above them, knows
/// them all.
const std::map<std::string, Folders>& allowed() {
  static const Folders ground = {"base", "math", "geometry"},
                       matter = {"base", "math", "geometry", "physics", "proximity", "contact"};
  static const auto with = [](Folders folders, const Folders& more) {
    folders.insert(more.begin(), more.end());
    return folders;
  };
  static const std::map<std::string, Folders> table = {
      {"base", {}},
      {"math", {"base"}},
      {"geometry", {"base", "math"}},
      {"physics", ground},
      {"proximity", ground},
      {"contact", with(ground, {"physics", "proximity"})},
      {"methods", matter},
      {"methods/*", with(matter, {"methods"})},
      {"methods/catalogue", with(matter, {"methods", "methods/*"})},
      {"island", with(matter, {"methods"})},
      {"sim", with(matter, {"methods", "island"})},
      {"io", {"base", "geometry"}},
      {"scene", with(matter, {"methods", "methods/catalogue", "island", "sim", "io"})},
      {"render", {"base", "geometry", "io"}},
      {"view", with(matter, {"methods", "methods/catalogue", "island", "sim", "io", "scene"})},
      // pliant.hpp, the public set
      {"", with(matter, {"methods", "methods/*", "methods/catalogue", "island", "sim", "io", "scene"})},
  };
  return table;
}

/// "methods/geometric/step.cpp" -> "methods/geometric"; "math/x.hpp" -> "math"; "pliant.hpp" -> "". The
/// catalogue, with what checks the settings of all methods, is a layer of its own.
std::string folder_of(const std::string& file) {
  for (const char* of_all : {"methods/catalogue.", "methods/check_settings."})
    if (file.starts_with(of_all)) return "methods/catalogue";
  return fs::path(file).parent_path().generic_string();
}

/// The row of the table a folder belongs to.
std::string row_of(const std::string& folder) {
  if (folder == "methods/catalogue") return folder;
  if (folder.starts_with("methods/")) return "methods/*";
  return folder.substr(0, folder.find('/'));
}

/// "methods/geometric/reduced" -> "methods/geometric": folders inside a method's folder belong to the method.
std::string method_of(const std::string& folder) { return folder.substr(0, folder.find('/', 8)); }

std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex include("(^|\n)[ \t]*#[ \t]*include[ \t]*([\"<][^\">]*)[\">]");
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it)
    out.push_back((*it)[2]);
  return out;
}

/// Why `file` (relative to src/pliant) must not have this include ("\"pliant/..." or "<..."), or nothing.
std::optional<std::string> objection(const std::string& file, const std::string& include) {
  const std::string folder = folder_of(file), row = row_of(folder);
  if (!allowed().contains(row)) return "folder '" + row + "' has no place in the order of folders";
  if (include.starts_with("\"") && !include.starts_with("\"pliant/"))
    return "includes of our own files are written from the root, \"pliant/...\"";
  if (include.find("cholmod") != std::string::npos || include.find("Cholmod") != std::string::npos)
    return "CHOLMOD is a yardstick of tests and benchmarks, never part of the product";
  if (include.starts_with("<boost/") && file != "view/server.cpp")
    return "Boost is known to view/server.cpp alone";
  if (row == "sim" && (include == "<fstream" || include == "<filesystem")) return "sim does no file access";
  const std::size_t at = include.find("pliant/");
  if (at != 1) return std::nullopt;
  const std::string target = folder_of(include.substr(at + 7));
  if (row_of(target) == row && row != "methods/*") return std::nullopt;  // view/commands belongs to view
  if (target == folder || (row == "methods/*" && method_of(target) == method_of(folder))) return std::nullopt;
  if (row == "methods/*" && row_of(target) == row) return "methods never include one another";
  if (!allowed().at(row).contains(row_of(target)))
    return "'" + row + "' must not know '" + row_of(target) + "'";
  return std::nullopt;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_source(const fs::path& path) {
  static const std::set<std::string> extensions = {".cpp", ".hpp", ".inl"};
  return extensions.contains(path.extension().string());
}

std::vector<fs::path> sources_under(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (is_source(entry.path())) out.push_back(entry.path());
  return out;
}

const fs::path root = source_folder();

TEST(IncludeDirection, every_include_points_the_right_way) {
  std::size_t seen = 0;
  for (const char* folder : {"src/pliant", "include/pliant"})  // inner and public headers
    for (const fs::path& path : sources_under(root / folder)) {
      ++seen;
      const std::string file = fs::relative(path, root / folder).generic_string();
      for (const std::string& include : includes_of(text_of(path)))
        if (const auto why = objection(file, include))
          ADD_FAILURE() << file << ": " << include << ": " << *why;
    }
  ASSERT_GT(seen, 20u);
}

TEST(IncludeDirection, a_wrong_include_is_seen) {
  EXPECT_EQ(includes_of("#include <a>\n  # include \"pliant/b.hpp\"\n// #include \"c\"\n"),
            (std::vector<std::string>{"<a", "\"pliant/b.hpp"}));
  const std::pair<const char*, const char*> wrong[] = {
      {"base/a.hpp", "\"pliant/math/b.hpp"},
      {"math/a.cpp", "\"pliant/geometry/b.hpp"},
      {"geometry/a.cpp", "<pliant/physics/b.hpp"},
      {"physics/a.cpp", "\"pliant/methods/method.hpp"},
      {"proximity/a.cpp", "\"pliant/physics/b.hpp"},
      {"proximity/a.cpp", "\"pliant/contact/b.hpp"},
      {"geometry/a.cpp", "\"pliant/proximity/b.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/methods/metric/b.hpp"},
      {"methods/geometric/reduced/a.cpp", "\"pliant/methods/metric/b.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/methods/catalogue.hpp"},
      {"methods/entry.hpp", "\"pliant/methods/geometric/options.hpp"},
      {"methods/entry.hpp", "\"pliant/methods/catalogue.hpp"},
      {"scene/a.cpp", "\"pliant/methods/geometric/options.hpp"},
      {"sim/a.cpp", "\"pliant/methods/catalogue.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/sim/b.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/io/b.hpp"},
      {"sim/a.cpp", "\"pliant/io/b.hpp"},
      {"sim/a.cpp", "\"pliant/scene/b.hpp"},
      {"sim/a.cpp", "<fstream"},
      {"io/a.cpp", "\"pliant/physics/b.hpp"},
      {"io/a.cpp", "\"pliant/math/b.hpp"},
      {"render/a.cpp", "\"pliant/sim/b.hpp"},
      {"scene/a.cpp", "\"pliant/render/b.hpp"},
      {"scene/a.cpp", "\"pliant/pliant.hpp"},
      {"scene/a.cpp", "\"pliant/view/session.hpp"},
      {"view/session.cpp", "<boost/beast.hpp"},
      {"attic/a.cpp", "<vector"},
      {"base/a.cpp", "\"a.hpp"},
      {"math/a.cpp", "<Eigen/CholmodSupport"},
      {"math/a.cpp", "<cholmod.h"},
  };
  for (const auto& [file, include] : wrong) EXPECT_TRUE(objection(file, include)) << file << " " << include;
  const std::pair<const char*, const char*> right[] = {
      {"pliant.hpp", "\"pliant/scene/build.hpp"},
      {"pliant.hpp", "\"pliant/methods/geometric/options.hpp"},
      {"scene/a.cpp", "\"pliant/methods/catalogue.hpp"},
      {"methods/catalogue.cpp", "\"pliant/methods/geometric/entry.hpp"},
      {"methods/geometric/entry.cpp", "\"pliant/methods/entry.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/methods/method.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/methods/geometric/b.hpp"},
      {"methods/geometric/a.cpp", "\"pliant/methods/geometric/reduced/b.hpp"},
      {"methods/geometric/reduced/a.cpp", "\"pliant/methods/geometric/b.hpp"},
      {"render/a.cpp", "\"pliant/io/read_mesh.hpp"},
      {"view/session.cpp", "\"pliant/scene/build.hpp"},
      {"view/server.cpp", "<boost/beast.hpp"},
      {"contact/a.cpp", "\"pliant/proximity/b.hpp"},
      {"sim/a.cpp", "<vector"},
  };
  for (const auto& [file, include] : right)
    EXPECT_FALSE(objection(file, include)) << file << " " << include << ": " << *objection(file, include);
}

/// What each file includes of the others; names as includes write them.
using Includes = std::map<std::string, std::vector<std::string>>;

/// A way from a file back to itself, "a -> b -> a"; empty: there is none.
std::string cycle_of(const Includes& includes) {
  std::set<std::string> done;
  std::vector<std::string> way;
  std::string found;
  const std::function<void(const std::string&)> visit = [&](const std::string& file) {
    if (!found.empty() || done.contains(file) || !includes.contains(file)) return;
    if (auto at = std::find(way.begin(), way.end(), file); at != way.end()) {
      for (; at != way.end(); ++at) found += *at + " -> ";
      found += file;
      return;
    }
    way.push_back(file);
    for (const std::string& next : includes.at(file)) visit(next);
    way.pop_back();
    done.insert(file);
  };
  for (const auto& [file, ignored] : includes) visit(file);
  return found;
}

TEST(IncludeDirection, no_file_includes_itself_by_way_of_others) {
  Includes includes;
  for (const char* folder : {"src", "include"})
    for (const fs::path& path : sources_under(root / folder)) {
      auto& list = includes[fs::relative(path, root / folder).generic_string()];
      for (const std::string& include : includes_of(text_of(path))) list.push_back(include.substr(1));
    }
  EXPECT_GT(includes.size(), 200u);
  EXPECT_EQ(cycle_of(includes), "");
  EXPECT_EQ(cycle_of({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}), "");
  EXPECT_EQ(cycle_of({{"a", {"b"}}, {"b", {"d", "c"}}, {"c", {"b"}}, {"d", {}}}), "b -> c -> b");
}

// A table that is filled in at start-up is filled in by code of its own instruction set: a processor without
// it dies before main.
TEST(Sources, tables_of_kernels_need_no_code_at_start_up) {
  static const std::regex table("(^|\n)[^\n/]*\\w*Kernels(<\\w+>)? \\w+ ?(=|\\{)");
  std::size_t seen = 0;
  for (const fs::path& path : sources_under(root / "src/pliant")) {
    const std::string name = path.stem().string();
    if (!name.ends_with("_avx2") && !name.ends_with("_avx512")) continue;
    const std::string text = text_of(path);
    for (std::sregex_iterator it(text.begin(), text.end(), table), end; it != end; ++it, ++seen)
      EXPECT_NE(it->str().find("constinit const "), std::string::npos) << path << ": " << it->str();
  }
  EXPECT_GT(seen, 10u);
}

TEST(Sources, carry_their_licence_in_the_first_line) {
  std::size_t seen = 0;
  for (const char* folder : {"src", "include", "apps", "tests", "bench", "examples"})
    for (const fs::path& path : sources_under(root / folder)) {
      ++seen;
      EXPECT_TRUE(text_of(path).starts_with("// SPDX-License-Identifier: Apache-2.0\n")) << path;
    }
  EXPECT_GT(seen, 20u);
}

}  // namespace include_direction_test
}  // namespace pliant
