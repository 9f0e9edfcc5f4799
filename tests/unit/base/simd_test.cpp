// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/simd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace pliant {
namespace simd_test {

// Also run with PLIANT_SIMD=portable (tests/CMakeLists.txt): without this, nobody would notice that those
// runs take the kernels of every other run.
TEST(Simd, the_level_is_the_best_of_the_processor_or_what_the_environment_lowers_it_to) {
  const SimdLevel at_start = simd_level(), best = set_simd_level(SimdLevel::avx512);
  set_simd_level(at_start);
  const char* wish = std::getenv("PLIANT_SIMD");
  ASSERT_TRUE(!wish || simd_level_of(wish)) << wish;
  EXPECT_EQ(at_start, wish ? std::min(*simd_level_of(wish), best) : best);
}

TEST(Simd, levels_are_found_by_name) {
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512})
    EXPECT_EQ(simd_level_of(name(level)), level);
  EXPECT_FALSE(simd_level_of("avx3"));
}

}  // namespace simd_test
}  // namespace pliant
