// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pliant {

/// While it lives, numbers below the normal range (1e-38 in float) count as 0 in this thread. The inverse of
/// a soft body's matrix decays by orders of magnitude per node; arithmetic on what is left far away changes
/// nothing and takes a hundred times as long. It also makes results independent of what the caller's thread
/// was set to.
class FlushTinyNumbers {
 public:
#if defined(__x86_64__)
  FlushTinyNumbers() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_results | zero_operands); }
  ~FlushTinyNumbers() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned flush_results = 0x8000, zero_operands = 0x0040;
  unsigned before_;

 public:
#elif defined(__aarch64__)
  FlushTinyNumbers() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before_));
    __asm__ volatile("msr fpcr, %0" : : "r"(before_ | flush));
  }
  ~FlushTinyNumbers() { __asm__ volatile("msr fpcr, %0" : : "r"(before_)); }

 private:
  static constexpr unsigned long long flush = 1ull << 24;  // operands and results
  unsigned long long before_ = 0;

 public:
#else
  FlushTinyNumbers() {}
#endif
  FlushTinyNumbers(const FlushTinyNumbers&) = delete;
  FlushTinyNumbers& operator=(const FlushTinyNumbers&) = delete;
};

}  // namespace pliant
