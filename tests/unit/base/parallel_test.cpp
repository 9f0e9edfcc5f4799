// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace pliant {
namespace parallel_test {

TEST(Pool, runs_every_part_exactly_once_for_any_number_of_threads) {
  for (int threads : {1, 2, 3}) {
    Pool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int round = 0; round < 2000; ++round) {
      const int parts = round % 37;
      std::vector<std::atomic<int>> runs(parts);
      pool.run(parts, [&](int part) { runs[part].fetch_add(1); });
      for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
    }
  }
}

TEST(Pool, blocks_cover_the_range_without_overlap) {
  Pool pool(2);
  std::vector<int> touched(1001, 0);
  for_blocks(pool, 1001, 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) ++touched[i];
  });
  for (int count : touched) ASSERT_EQ(count, 1);
}

TEST(Pool, tiny_numbers_are_zero_in_every_part_and_only_there) {
  const volatile float small = 1e-20f;
  for (int threads : {1, 3}) {
    Pool pool(threads);
    std::vector<float> product(64, 1);
    pool.run(64, [&](int part) { product[part] = small * small; });
    for (float p : product) EXPECT_EQ(p, 0);
    EXPECT_GT(small * small, 0);
  }
}

}  // namespace parallel_test
}  // namespace pliant
