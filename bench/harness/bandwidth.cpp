// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/bandwidth.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "bench/harness/bandwidth_kernels.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/base/simd.hpp"

namespace pliant::bench {
namespace {

constexpr std::size_t huge_page = std::size_t(2) << 20;
constexpr double sample_bytes = 16e6;  // one sample reads at least this much: 0.1 ms and more
constexpr int samples_at_least = 5;
constexpr double seconds_per_kernel = 0.03;

const ReadKernel* kernels() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return read_kernels_avx512();
    case SimdLevel::avx2:
      return read_kernels_avx2();
    case SimdLevel::portable:
      break;
  }
  return read_kernels_portable();
}

struct Free {
  void operator()(char* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<char, Free>;

// Written once so that the pages exist: pages never written all map to one page of zeros.
Buffer make_buffer(std::size_t bytes) {
  const std::size_t size = (bytes + huge_page - 1) / huge_page * huge_page;
  Buffer buffer(static_cast<char*>(std::aligned_alloc(huge_page, size)));
  if (!buffer) throw std::bad_alloc();
  madvise(buffer.get(), size, MADV_HUGEPAGE);  // advice only: a refusal costs TLB misses, nothing else
  std::memset(buffer.get(), 1, size);
  return buffer;
}

}  // namespace

double BandwidthMeter::measure(std::size_t bytes) {
  const int threads = pool_.threads();
  const std::size_t part = std::max<std::size_t>(1, bytes / threads / read_granule) * read_granule;
  const double read = double(part) * threads;
  const int passes = std::max(2, int(sample_bytes / read) / 2 * 2);
  const Buffer buffer = make_buffer(part * threads);
  std::atomic<long long> keep{0};

  double best = 0;
  for (int k = 0; k < read_kernel_count; ++k) {
    const ReadKernel kernel = kernels()[k];
    const Stopwatch whole;
    for (int sample = 0; sample < samples_at_least || whole.seconds() < seconds_per_kernel; ++sample) {
      const Stopwatch wall;
      const CpuStopwatch cpu;
      pool_.run(threads, [&](int i) {
        keep.fetch_or(kernel(buffer.get() + i * part, part, passes), std::memory_order_relaxed);
      });
      // One thread: the time it really ran, else a busy machine would make the limit too kind.
      const double seconds = threads == 1 ? std::min(cpu.ms() * 1e-3, wall.seconds()) : wall.seconds();
      best = std::max(best, read * passes / seconds);
    }
  }
  return best;
}

}  // namespace pliant::bench
