// SPDX-License-Identifier: Apache-2.0
// Stands in for the header of x86 where there is none: the few 128-bit operations that portable kernels use, as vector
// types of the compiler (NEON on arm64). CMake puts this folder in the search path on other processors only.
#pragma once

typedef float __m128 __attribute__((vector_size(16), may_alias));
typedef double __m128d __attribute__((vector_size(16), may_alias));

namespace {
namespace other_processors {

typedef unsigned Bits __attribute__((vector_size(16), may_alias));

inline unsigned signs(Bits bits) {
  return bits[0] >> 31 | bits[1] >> 31 << 1 | bits[2] >> 31 << 2 | bits[3] >> 31 << 3;
}

}  // namespace other_processors
}  // namespace

inline __m128 _mm_set1_ps(float x) { return __m128{x, x, x, x}; }
inline __m128 _mm_load_ps(const float* p) { return *reinterpret_cast<const __m128*>(p); }
inline __m128 _mm_sqrt_ps(__m128 x) {
  return __m128{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
}
inline __m128d _mm_sqrt_pd(__m128d x) { return __m128d{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
inline __m128 _mm_andnot_ps(__m128 x, __m128 y) {
  return (__m128)(~(other_processors::Bits)x & (other_processors::Bits)y);
}
// As x86 does it: the second operand where one is not a number.
inline __m128 _mm_min_ps(__m128 x, __m128 y) { return x < y ? x : y; }
inline __m128 _mm_max_ps(__m128 x, __m128 y) { return x > y ? x : y; }
/// All bits where not x <= y, so that NaN counts.
inline __m128 _mm_cmpnle_ps(__m128 x, __m128 y) { return (__m128) ~(x <= y); }
inline int _mm_movemask_ps(__m128 x) { return int(other_processors::signs((other_processors::Bits)x)); }
