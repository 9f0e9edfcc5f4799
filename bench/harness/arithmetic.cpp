// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/arithmetic.hpp"

#include <algorithm>
#include <atomic>

#include "bench/harness/arithmetic_kernels.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/base/simd.hpp"

namespace pliant::bench {
namespace {

constexpr int rounds = 20000;  // some 40 us
constexpr double seconds = 0.05;

Arithmetic kernel() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return arithmetic_avx512();
    case SimdLevel::avx2:
      return arithmetic_avx2();
    case SimdLevel::portable:
      break;
  }
  return arithmetic_portable();
}

}  // namespace

double arithmetic_rate(Pool& pool) {
  const Arithmetic arithmetic = kernel();
  const int threads = pool.threads();
  std::atomic<float> keep{0};
  double best = 0;
  for (const Stopwatch whole; whole.seconds() < seconds;) {
    const Stopwatch wall;
    const CpuStopwatch cpu;
    pool.run(threads,
             [&](int) { keep.store(arithmetic.run(rounds, 0.5f, 1.0f), std::memory_order_relaxed); });
    // As in bandwidth.cpp: a busy machine does not make the limit kinder.
    const double spent = threads == 1 ? std::min(cpu.ms() * 1e-3, wall.seconds()) : wall.seconds();
    best = std::max(best, 2.0 * rounds * arithmetic.multiply_adds_per_round * threads / spent);
  }
  return best;
}

}  // namespace pliant::bench
