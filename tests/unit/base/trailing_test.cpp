// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/trailing.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace pliant {
namespace trailing_test {

constexpr int blocks = 40, reach = 3;

using Reaches = std::vector<TrailingPasses::Reach>;

Reaches near_ones(int count, int far_one) {
  Reaches out;
  for (int b = 0; b < count; ++b) out.push_back({std::max(0, b - reach), std::min(blocks - 1, b + reach)});
  out[std::size_t(count / 2)] = {0, far_one};
  return out;
}

/// Fewer and larger blocks, as families of rows are: each reads some of `blocks`.
Reaches families(int count) {
  Reaches out;
  for (int b = 0; b < count; ++b)
    out.push_back({b * blocks / count, std::min(blocks - 1, (b + 1) * blocks / count)});
  return out;
}

struct Log {
  std::vector<std::vector<std::atomic<int>>> done;
  std::atomic<int> too_early{0};

  explicit Log(const std::vector<Reaches>& passes) {
    for (const Reaches& pass : passes) done.emplace_back(pass.size());
  }
};

class TrailingPassesOnThreads : public testing::TestWithParam<int> {};

TEST_P(TrailingPassesOnThreads, every_block_runs_once_and_after_all_that_it_reads) {
  Pool pool(GetParam());
  const std::vector<Reaches> reaches{Reaches(blocks), near_ones(blocks, blocks - 1), near_ones(blocks, 30),
                                     families(7)};
  ASSERT_EQ(int(reaches.size()), TrailingPasses::most_passes);
  TrailingPasses passes;
  passes.add_first(blocks);
  for (std::size_t pass = 1; pass < reaches.size(); ++pass) passes.add(reaches[pass]);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Log log(reaches);
    passes.run(pool, [&](int pass, int block) {
      const TrailingPasses::Reach r = reaches[std::size_t(pass)][std::size_t(block)];
      for (int b = r.low; pass > 0 && b <= r.high; ++b)
        log.too_early += log.done[std::size_t(pass - 1)][std::size_t(b)] == 0;
      ++log.done[std::size_t(pass)][std::size_t(block)];
    });
    EXPECT_EQ(log.too_early, 0);
    for (const auto& pass : log.done)
      for (const auto& count : pass) ASSERT_EQ(count, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, TrailingPassesOnThreads, testing::Values(1, 2, 3, 8));

TEST(TrailingPasses, a_block_follows_closely) {
  Pool pool(1);
  TrailingPasses passes;
  passes.add_first(blocks);
  passes.add(near_ones(blocks, blocks / 2 + reach));
  int ahead = 0, first = 0, second = 0;
  passes.run(pool, [&](int pass, int) {
    ++(pass == 0 ? first : second);
    ahead = std::max(ahead, first - second);
  });
  EXPECT_EQ(second, blocks);
  EXPECT_LE(ahead, reach + 1);
}

}  // namespace trailing_test
}  // namespace pliant
