// SPDX-License-Identifier: Apache-2.0
// What an artist does with a run: the exported mesh and the cache that plays on it, in Blender.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "tests/interop/read_back.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::interop {
namespace blender_test {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

TEST(Blender, the_cache_of_a_rig_plays_on_its_mesh) {
  if (std::system("command -v blender > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "Blender is not installed: apt install blender";
  constexpr int frames = 6;
  TempFolder folder;
  const std::string run = "'" + build_folder() + "/pliant' run meshless/rig --frames " +
                          std::to_string(frames) + " --quiet --format pc2 -o " + quoted(folder / "out");
  ASSERT_EQ(std::system(run.c_str()), 0) << run;
  const std::filesystem::path mesh = folder / "out/frames/character.obj",
                              cache = folder / "out/frames/character.pc2", played = folder / "played.txt",
                              log = folder / "blender.log";
  const Sequence expected = parse_pc2(cache);
  ASSERT_GE(expected.frames.size(), std::size_t(frames));
  const std::string blender = "blender -b --factory-startup --python-exit-code 1 --python '" +
                              source_folder() + "/tests/interop/play_cache.py' -- " + quoted(mesh) + " " +
                              quoted(cache) + " " + std::to_string(expected.frames.size()) + " " +
                              quoted(played) + " > " + quoted(log) + " 2>&1";
  if (std::system(blender.c_str()) != 0) {
    std::ifstream in(log);
    FAIL() << blender << "\n" << std::string(std::istreambuf_iterator<char>(in), {});
  }
  std::ifstream in(played);
  std::string word;
  for (std::size_t k = 0; k < expected.frames.size(); ++k) {
    std::size_t frame = 0, vertices = 0;
    ASSERT_TRUE(in >> word >> frame >> vertices) << "frame " << k;
    ASSERT_EQ(frame, k);
    ASSERT_EQ(3 * vertices, expected.frames[k].size());
    for (std::size_t i = 0; i < 3 * vertices; ++i) {
      ASSERT_TRUE(in >> word);
      ASSERT_EQ(std::strtof(word.c_str(), nullptr), expected.frames[k][i])
          << "frame " << k << ", number " << i;
    }
  }
  // The character moves: a player that shows one frame only must not pass.
  double moved = 0;
  for (std::size_t i = 0; i < expected.frames[0].size(); ++i)
    moved = std::max(moved, double(std::abs(expected.frames.back()[i] - expected.frames.front()[i])));
  EXPECT_GT(moved, 1e-3);
}

}  // namespace blender_test
}  // namespace pliant::interop
