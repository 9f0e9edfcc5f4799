// SPDX-License-Identifier: Apache-2.0
// The kernel of gather_kernels.hpp; see base/simd.hpp for how such a file is written.

#include <immintrin.h>

#include "pliant/math/gather_kernels.hpp"

namespace pliant {
namespace {

#if defined(__AVX2__)
/// x, y, z, 0.
struct Triple {
  __m256d value = _mm256_setzero_pd();

  static __m256i three() { return _mm256_setr_epi64x(-1, -1, -1, 0); }
  void add(double weight, const double* p) { value += weight * _mm256_maskload_pd(p, three()); }
  void store_sum(const Triple& other, double* p) const {
    _mm256_maskstore_pd(p, three(), value + other.value);
  }
};
#else
struct Triple {
  double x = 0, y = 0, z = 0;

  void add(double weight, const double* p) { x += weight * p[0], y += weight * p[1], z += weight * p[2]; }
  void store_sum(const Triple& other, double* p) const {
    p[0] = x + other.x, p[1] = y + other.y, p[2] = z + other.z;
  }
};
#endif

// Fetched this far ahead, across pages, where the processor does not do it by itself: a row is read once a
// frame, from far away.
constexpr int ahead = 512, few = 4;  // shorter rows are not worth it

/// Two sums side by side: an addition need not wait for the one before.
inline void gather_rows_here(const GatherArrays& arrays, int first, int last) {
  const GatherArrays a = arrays;
  for (int r = first; r < last; ++r) {
    Triple even, odd;
    int k = a.begin[r];
    const int end = a.begin[r + 1];
    for (int n = k; n + few < end; n += 8) __builtin_prefetch(a.weight + n + ahead);
    for (int n = k; n + few < end; n += 16) __builtin_prefetch(a.column + n + ahead);
    for (; k + 1 < end; k += 2) {
      even.add(a.weight[k], a.channels + 3 * long(a.column[k]));
      odd.add(a.weight[k + 1], a.channels + 3 * long(a.column[k + 1]));
    }
    if (k < end) even.add(a.weight[k], a.channels + 3 * long(a.column[k]));
    even.store_sum(odd, a.out + 3 * long(r));
  }
}

}  // namespace
}  // namespace pliant
