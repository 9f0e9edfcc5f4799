// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "bench/harness/bandwidth_kernels.hpp"
#include "pliant/base/simd.hpp"

namespace pliant::bench {
namespace bandwidth_test {

struct alignas(64) Line {
  char bytes[64] = {};
};

std::vector<const ReadKernel*> families() {
  const SimdLevel best = simd_level();
  std::vector<const ReadKernel*> found{read_kernels_portable()};
  if (best >= SimdLevel::avx2) found.push_back(read_kernels_avx2());
  if (best >= SimdLevel::avx512) found.push_back(read_kernels_avx512());
  return found;
}

TEST(Bandwidth, kernels_load_every_byte) {
  std::vector<Line> buffer(6 * read_granule / sizeof(Line));
  char* data = buffer[0].bytes;
  const std::size_t bytes = 6 * read_granule;
  for (const ReadKernel* family : families())
    for (int k = 0; k < read_kernel_count; ++k)
      for (int passes : {1, 2})
        for (std::size_t at = 0; at < bytes; ++at) {
          data[at] = 1;
          ASSERT_NE(family[k](data, bytes, passes), 0) << "kernel " << k << " skips byte " << at;
          data[at] = 0;
        }
}

TEST(Bandwidth, kernels_find_nothing_in_an_empty_buffer) {
  std::vector<Line> buffer(2 * read_granule / sizeof(Line));
  for (const ReadKernel* family : families())
    for (int k = 0; k < read_kernel_count; ++k) EXPECT_EQ(family[k](buffer[0].bytes, 2 * read_granule, 3), 0);
}

TEST(Bandwidth, is_measured_for_working_sets_below_one_granule_and_for_several_threads) {
  Pool pool(2);
  BandwidthMeter meter(pool);
  for (std::size_t bytes : {std::size_t(0), std::size_t(100), std::size_t(100000)}) {
    const double rate = meter.measure(bytes);
    EXPECT_TRUE(std::isfinite(rate));
    EXPECT_GT(rate, 0);
  }
}

}  // namespace bandwidth_test
}  // namespace pliant::bench
