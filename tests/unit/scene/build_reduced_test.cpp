// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "pliant/io/read_file.hpp"
#include "pliant/scene/library.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace build_reduced_test {

/// The cache is that of the test.
class ReducedScene : public testing::Test {
 protected:
  ReducedScene() { use_cache((folder / "cache").string()); }
  ~ReducedScene() override { unsetenv("PLIANT_CACHE"); }
  static void use_cache(const std::string& path) { setenv("PLIANT_CACHE", path.c_str(), 1); }

  Result<Scene> load(const std::string& reduction, const std::string& more = "") const {
    const std::string text = R"({"bodies": [{"shape": {"box": {"size": [1, 1, 2], "nodes": [3, 3, 5]}},
      "pins": [{"select": {"halfspace": {"point": [0, 0, 0], "normal": [0, 0, -1]}}}],
      "geometric": {"reduction": )" +
                             reduction + "}}]" + more + "}";
    return load_scene(folder.with("scene.json", text).string());
  }
  std::string note(const std::string& reduction) const {
    Result<Scene> scene = load(reduction);
    EXPECT_TRUE(scene) << scene.error().text();
    return scene && !scene->notes.empty() ? scene->notes.back() : "";
  }
  std::string refusal(const std::string& reduction, const std::string& more = "") const {
    const Result<Scene> scene = load(reduction, more);
    return scene ? "" : scene.error().text();
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TempFolder folder;
};

TEST_F(ReducedScene, a_basis_is_computed_once_and_read_afterwards) {
  EXPECT_TRUE(says(note(R"({"modal": 2})"), "computed")) << note(R"({"modal": 2})");
  EXPECT_TRUE(says(note(R"({"modal": 2})"), "read from"));
  EXPECT_TRUE(says(note(R"({"modal": 3})"), "computed"));  // another body of the same shape
}

TEST_F(ReducedScene, the_basis_from_the_cache_moves_the_body_as_the_computed_one_does) {
  Result<Scene> computed = load(R"({"modal": 2})"), read = load(R"({"modal": 2})");
  ASSERT_TRUE(computed && read);
  for (int step = 0; step < 5; ++step) {
    ASSERT_FALSE(computed->simulation.step());
    ASSERT_FALSE(read->simulation.step());
  }
  EXPECT_EQ(computed->simulation.bodies()[0].surface(), read->simulation.bodies()[0].surface());
}

TEST_F(ReducedScene, a_damaged_file_is_said_and_made_anew) {
  note(R"({"modal": 2})");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache")) {
    std::string bytes = *read_file(entry.path());
    bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] + 1);
    std::ofstream(entry.path(), std::ios::binary) << bytes;
  }
  Result<Scene> scene = load(R"({"modal": 2})");
  ASSERT_TRUE(scene);
  ASSERT_GE(scene->notes.size(), 2u);
  EXPECT_TRUE(says(scene->notes[scene->notes.size() - 2], "is damaged"));
  EXPECT_TRUE(says(scene->notes.back(), "computed"));
  EXPECT_TRUE(says(note(R"({"modal": 2})"), "read from"));
}

TEST_F(ReducedScene, a_folder_that_cannot_be_written_is_said_and_done_without) {
  use_cache(folder.with("file", "not a folder").string());
  EXPECT_TRUE(says(note(R"({"modal": 2})"), "not kept"));
}

TEST_F(ReducedScene, what_is_wrong_is_told_with_its_place) {
  EXPECT_TRUE(says(refusal("{}"), "bodies.0.geometric.reduction"));
  EXPECT_TRUE(says(refusal(R"({"modal": 2, "samples": ["a.obj"]})"), "both modal and samples"));
  EXPECT_TRUE(says(refusal(R"({"samples": ["missing.obj"]})"), "missing.obj"));
  folder.with("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string text = refusal(R"({"samples": ["triangle.obj"]})");
  EXPECT_TRUE(says(text, "reduction.samples.0") && says(text, "3 vertices")) << text;
}

}  // namespace build_reduced_test
}  // namespace pliant
