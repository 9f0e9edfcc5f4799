// SPDX-License-Identifier: Apache-2.0
// A few seeds of what `pliant bench --filter scramble` does with a hundred.
#include "bench/cases/scramble.hpp"

#include <gtest/gtest.h>

namespace pliant::bench {
namespace scramble_test {

TEST(Scramble, bar_shell_and_torus_find_their_shape_again) {
  Pool pool(1);
  for (const ScrambleBody& body : scramble_bodies()) {
    std::vector<ScrambleResult> results;
    const int seeds = body.name == "bar" ? 2 : 5;  // a bar takes long and always returns
    for (int seed = 1; seed <= seeds; ++seed) results.push_back(run_scramble(body, seed, pool));
    std::printf("%s: %s\n", body.name.c_str(), scramble_text(results).c_str());
    int returned = 0, explained = 0;
    for (const ScrambleResult& r : results) {
      returned += r.end == ScrambleEnd::returned;
      explained += r.cause == (body.name == "shell" ? ScrambleCause::dent : ScrambleCause::full_turn);
      EXPECT_NE(r.end, ScrambleEnd::moving) << body.name << " " << r.rms;
      EXPECT_LT(r.most, 1.001) << body.name;
      EXPECT_LT(r.rise, 1.5) << body.name;
    }
    // A closed shell and a ring have other equilibria: some of these seeds end in one.
    EXPECT_GE(returned, body.name == "bar" ? seeds : 3) << body.name;
    EXPECT_EQ(returned + explained, seeds) << body.name;
  }
}

TEST(Scramble, a_ring_that_is_twisted_by_a_full_turn_stays_so_and_the_reason_is_found) {
  // The first seeds of 100 that do not return; those between them do.
  Pool pool(1);
  const ScrambleBody torus = scramble_bodies()[2];
  for (const int seed : {12, 13}) {
    const ScrambleResult r = run_scramble(torus, seed, pool);
    EXPECT_EQ(r.end, ScrambleEnd::elsewhere) << r.rms;
    EXPECT_EQ(r.cause, ScrambleCause::full_turn);
  }
}

TEST(Scramble, a_loop_of_one_full_turn_is_told_from_none_and_from_two) {
  const int n = 24;
  std::vector<NodeGraph::Edge> ring;
  for (Index i = 0; i < n; ++i) ring.push_back({std::min(i, (i + 1) % n), std::max(i, (i + 1) % n), 1});
  for (const int turns : {0, 1, 2, 3}) {
    geometric::Rotations rotations;
    for (int i = 0; i < n; ++i)
      rotations.emplace_back(Eigen::AngleAxisd(2 * M_PI * turns * i / n, Vec3(1, 2, 2) / 3));
    EXPECT_EQ(has_full_turn(ring, rotations), turns % 2 == 1) << turns;
    ring.pop_back();  // an open way has nothing to close
    EXPECT_FALSE(has_full_turn(ring, rotations));
    ring.push_back({0, n - 1, 1});
  }
}

TEST(Scramble, says_why_a_body_does_not_return) {
  const std::string text = scramble_text(
      {{.end = ScrambleEnd::returned, .steps = 10, .rms = 0.001},
       {.end = ScrambleEnd::elsewhere, .steps = 600, .rms = 0.2, .cause = ScrambleCause::dent},
       {.end = ScrambleEnd::elsewhere, .steps = 600, .rms = 0.2, .cause = ScrambleCause::full_turn},
       {.end = ScrambleEnd::elsewhere, .steps = 600, .rms = 0.2, .cause = ScrambleCause::none},
       {.end = ScrambleEnd::moving, .steps = 600, .rms = 0.1, .rise = 1.2}});
  EXPECT_NE(text.find("1 of 5 return in 10 steps"), std::string::npos) << text;
  EXPECT_NE(text.find("3 come to rest in another equilibrium"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of them twisted by a full turn"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of them with a part that stands inwards"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of them for no known reason"), std::string::npos) << text;
  EXPECT_NE(text.find("still move after 1200"), std::string::npos) << text;
  EXPECT_NE(text.find("1.2 of its least before"), std::string::npos) << text;
}

}  // namespace scramble_test
}  // namespace pliant::bench
