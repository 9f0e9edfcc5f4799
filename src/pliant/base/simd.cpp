// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/simd.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace pliant {
namespace {

SimdLevel processor_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("fma"))
    return SimdLevel::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SimdLevel::avx2;
#endif
  return SimdLevel::portable;
}

SimdLevel initial_level() {
  const SimdLevel best = processor_level();
  const char* wish = std::getenv("PLIANT_SIMD");
  return wish ? std::min(simd_level_of(wish).value_or(best), best) : best;
}

std::atomic<SimdLevel>& current() {
  static std::atomic<SimdLevel> level{initial_level()};
  return level;
}

}  // namespace

SimdLevel simd_level() { return current().load(std::memory_order_relaxed); }

SimdLevel set_simd_level(SimdLevel wanted) {
  const SimdLevel level = std::min(wanted, processor_level());
  current().store(level, std::memory_order_relaxed);
  return level;
}

std::optional<SimdLevel> simd_level_of(std::string_view wanted) {
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512})
    if (wanted == name(level)) return level;
  return std::nullopt;
}

const char* name(SimdLevel level) {
  switch (level) {
    case SimdLevel::avx512:
      return "avx512";
    case SimdLevel::avx2:
      return "avx2";
    case SimdLevel::portable:
      break;
  }
  return "portable";
}

}  // namespace pliant
