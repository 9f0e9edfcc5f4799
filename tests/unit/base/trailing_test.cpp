// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/trailing.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace pliant {
namespace {

constexpr int blocks = 40, reach = 3;

std::vector<TrailingPasses::Reach> near_ones(int count, int far_one) {
  std::vector<TrailingPasses::Reach> out;
  for (int b = 0; b < count; ++b) out.push_back({std::max(0, b - reach), std::min(blocks - 1, b + reach)});
  out[std::size_t(count / 2)] = {0, far_one};
  return out;
}

struct Log {
  std::vector<std::atomic<int>> done[3]{std::vector<std::atomic<int>>(blocks),
                                        std::vector<std::atomic<int>>(blocks),
                                        std::vector<std::atomic<int>>(blocks)};
  std::atomic<int> too_early{0};
};

class TrailingPassesOnThreads : public testing::TestWithParam<int> {};

TEST_P(TrailingPassesOnThreads, every_block_runs_once_and_after_all_that_it_reads) {
  Pool pool(GetParam());
  TrailingPasses passes;
  const std::vector<TrailingPasses::Reach> second = near_ones(blocks, blocks - 1),
                                           third = near_ones(blocks, 30);
  passes.add_first(blocks);
  passes.add(second);
  passes.add(third);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Log log;
    passes.run(pool, [&](int pass, int block) {
      if (pass > 0) {
        const TrailingPasses::Reach r = (pass == 1 ? second : third)[std::size_t(block)];
        for (int b = r.low; b <= r.high; ++b) log.too_early += log.done[pass - 1][std::size_t(b)] == 0;
      }
      ++log.done[pass][std::size_t(block)];
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
  passes.add(std::vector<TrailingPasses::Reach>(near_ones(blocks, blocks / 2 + reach)));
  int ahead = 0, first = 0, second = 0;
  passes.run(pool, [&](int pass, int) {
    ++(pass == 0 ? first : second);
    ahead = std::max(ahead, first - second);
  });
  EXPECT_EQ(second, blocks);
  EXPECT_LE(ahead, reach + 1);
}

}  // namespace
}  // namespace pliant
