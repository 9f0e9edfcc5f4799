// SPDX-License-Identifier: Apache-2.0
// Shipped scenes of bodies that meet, each shaken once and for its first second: no surface passes another. `make shaken` does
// so ten times with every scene, to its end.
#include <gtest/gtest.h>

#include "tests/support/shaken_scene.hpp"

namespace pliant {
namespace shaken_scenes_test {

TEST(ShakenScenes, cross_nothing_in_their_first_second) {
  for (const char* scene : {"stack", "chain", "gap", "stone"}) {
    const test::ShakenRun run = test::run_shaken(shipped(std::string("together/") + scene), 11, 1e-3, 60);
    EXPECT_EQ(run.trouble, "") << scene;
    EXPECT_EQ(run.crossings, 0) << scene;
    EXPECT_EQ(run.shortened, 0) << scene;
    EXPECT_EQ(run.steps, 60) << scene;
  }
}

}  // namespace shaken_scenes_test
}  // namespace pliant
