// SPDX-License-Identifier: Apache-2.0
// Five seeds of what `pliant bench --filter scramble` does with a hundred.
#include "bench/cases/scramble.hpp"

#include <gtest/gtest.h>

namespace pliant::bench {
namespace {

TEST(Scramble, bar_shell_and_torus_find_their_shape_again) {
  Pool pool(1);
  for (const ScrambleBody& body : scramble_bodies()) {
    std::vector<ScrambleResult> results;
    for (int seed = 1; seed <= 5; ++seed) results.push_back(run_scramble(body, seed, pool));
    std::printf("%s: %s\n", body.name.c_str(), scramble_text(results).c_str());
    int returned = 0;
    for (const ScrambleResult& r : results) {
      returned += r.end == ScrambleEnd::returned;
      EXPECT_NE(r.end, ScrambleEnd::moving) << body.name << " " << r.rms;
      EXPECT_FALSE(r.grew) << body.name;
    }
    // A closed shell has other equilibria: two of these seeds end in one.
    EXPECT_GE(returned, body.name == "shell" ? 3 : 5) << body.name;
  }
}

TEST(Scramble, says_why_a_body_does_not_return) {
  const std::string text = scramble_text({{ScrambleEnd::returned, 10, 0.001, 1, false},
                                          {ScrambleEnd::elsewhere, 600, 0.2, 1, false},
                                          {ScrambleEnd::moving, 600, 0.1, 1, true}});
  EXPECT_NE(text.find("1 of 3 return in 10 steps"), std::string::npos) << text;
  EXPECT_NE(text.find("another equilibrium"), std::string::npos) << text;
  EXPECT_NE(text.find("still move after 600"), std::string::npos) << text;
  EXPECT_NE(text.find("energy grew in 1"), std::string::npos) << text;
}

}  // namespace
}  // namespace pliant::bench
