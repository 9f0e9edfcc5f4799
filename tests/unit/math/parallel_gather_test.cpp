// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/parallel_gather.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pliant/base/simd.hpp"

namespace pliant {
namespace parallel_gather_test {

TEST(ParallelGather, gives_the_bits_of_the_serial_one_for_any_number_of_threads) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> real(-1, 1);
  Points channels;
  for (int i = 0; i < 300; ++i) channels.push_back({real(random), real(random), real(random)});
  for (const Index rows : {0, 1, 1023, 1024, 1025, 9000}) {
    Gather w;
    for (Index r = 0; r < rows; ++r) {
      for (Index k = 0; k < Index(random() % 9); ++k)
        w.column.push_back(Index(random() % 300)), w.weight.push_back(real(random));
      w.begin.push_back(Index(w.column.size()));
    }
    Points serial(std::size_t(rows), Vec3(9, 9, 9)), parallel = serial;
    gather(w, channels, serial);
    for (const int threads : {1, 2, 3}) {
      Pool pool(threads);
      parallel.assign(std::size_t(rows), Vec3(7, 7, 7));
      gather(w, channels, parallel, pool);
      EXPECT_EQ(parallel, serial) << rows << " rows, " << threads << " threads";
    }
  }
}

TEST(Gather, sums_the_weighted_channels_of_every_row_at_every_simd_level) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> real(-1, 1);
  Points channels;
  for (int i = 0; i < 20; ++i) channels.push_back({real(random), real(random), real(random)});
  Gather w;
  Points wanted;
  for (Index r = 0; r < 50; ++r) {
    Vec3 sum = Vec3::Zero();
    for (Index k = 0; k < r % 10; ++k) {
      w.column.push_back(k == 3 ? 19 : Index(random() % 20));  // the last one has nothing behind it
      w.weight.push_back(real(random));
      sum += w.weight.back() * channels[w.column.back()];
    }
    w.begin.push_back(Index(w.column.size()));
    wanted.push_back(sum);
  }
  const SimdLevel before = simd_level();
  for (SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (set_simd_level(level) != level) continue;
    Points out(wanted.size() + 1, Vec3(7, 7, 7));
    gather(w, channels, std::span(out).first(wanted.size()));
    for (std::size_t r = 0; r < wanted.size(); ++r) EXPECT_LT((out[r] - wanted[r]).norm(), 1e-14) << r;
    EXPECT_EQ(out.back(), Vec3(7, 7, 7));
  }
  set_simd_level(before);
}

}  // namespace parallel_gather_test
}  // namespace pliant
