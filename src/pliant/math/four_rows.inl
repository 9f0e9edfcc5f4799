// SPDX-License-Identifier: Apache-2.0
// Vectors x, y, z, 0 of four nodes side by side, for kernels; see base/simd.hpp for how such a file is
// written.
#pragma once

#include <immintrin.h>

namespace pliant {
namespace {
namespace four_rows {

// Deduced types (auto) would lose these attributes.
typedef float Xyz0 __attribute__((vector_size(16), may_alias));
typedef double Xyz0_double __attribute__((vector_size(32), may_alias));

inline Xyz0 xyz0_at(const float* p) { return *reinterpret_cast<const Xyz0*>(p); }

// x, y, z, 0 of four rows; `rows` of them where there are fewer.
#if defined(__AVX512F__)
struct Four {
  __m512 value;

  static __mmask16 of(int rows) { return __mmask16(0xffff >> (16 - 4 * rows)); }
  static Four at(const float* p, int rows) { return {_mm512_maskz_loadu_ps(of(rows), p)}; }
  void store(float* p, int rows) const { _mm512_mask_storeu_ps(p, of(rows), value); }
  /// A number for each row.
  static Four each(const float* p) {
    const __m512i row = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return {_mm512_maskz_permutexvar_ps(0xffff, row, _mm512_zextps128_ps512(_mm_loadu_ps(p)))};
  }
  static Four gather(const float* z, const int* at) {
    __m512 v = _mm512_zextps128_ps512(_mm_load_ps(z + at[0]));
    v = _mm512_maskz_insertf32x4(0xffff, v, _mm_load_ps(z + at[1]), 1);
    v = _mm512_maskz_insertf32x4(0xffff, v, _mm_load_ps(z + at[2]), 2);
    return {_mm512_maskz_insertf32x4(0xffff, v, _mm_load_ps(z + at[3]), 3)};
  }
  friend Four operator+(Four a, Four b) { return {a.value + b.value}; }
  friend Four operator-(Four a, Four b) { return {a.value - b.value}; }
  friend Four operator*(Four a, Four b) { return {a.value * b.value}; }
  friend Four operator*(float a, Four b) { return {_mm512_set1_ps(a) * b.value}; }
};
struct Dot {
  __m512d low = _mm512_setzero_pd(), high = _mm512_setzero_pd();

  void add(Four a, Four b) {
    low = _mm512_fmadd_pd(lower(a.value), lower(b.value), low);
    high = _mm512_fmadd_pd(upper(a.value), upper(b.value), high);
  }
  static __m512d lower(__m512 v) {
    return _mm512_maskz_cvtps_pd(0xff, __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7));
  }
  static __m512d upper(__m512 v) {
    return _mm512_maskz_cvtps_pd(0xff, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
  }
  double sum() const {
    const __m512d all = low + high;
    return ((all[0] + all[4]) + (all[1] + all[5])) + (all[2] + all[6]);
  }
};
#else
struct Four {
  Xyz0 value[4];

  static Four at(const float* p, int rows) {
    Four out = {};
    for (int k = 0; k < rows; ++k) out.value[k] = xyz0_at(p + 4 * k);
    return out;
  }
  void store(float* p, int rows) const {
    for (int k = 0; k < rows; ++k) *reinterpret_cast<Xyz0*>(p + 4 * k) = value[k];
  }
  static Four each(const float* p) { return {{Xyz0{} + p[0], Xyz0{} + p[1], Xyz0{} + p[2], Xyz0{} + p[3]}}; }
  static Four gather(const float* z, const int* at) {
    return {{xyz0_at(z + at[0]), xyz0_at(z + at[1]), xyz0_at(z + at[2]), xyz0_at(z + at[3])}};
  }
  template <class Operation>
  static Four of_each(Operation&& operation) {
    return {{operation(0), operation(1), operation(2), operation(3)}};
  }
  friend Four operator+(const Four& a, const Four& b) {
    return of_each([&](int k) -> Xyz0 { return a.value[k] + b.value[k]; });
  }
  friend Four operator-(const Four& a, const Four& b) {
    return of_each([&](int k) -> Xyz0 { return a.value[k] - b.value[k]; });
  }
  friend Four operator*(const Four& a, const Four& b) {
    return of_each([&](int k) -> Xyz0 { return a.value[k] * b.value[k]; });
  }
  friend Four operator*(float a, const Four& b) {
    return of_each([&](int k) -> Xyz0 { return a * b.value[k]; });
  }
};
struct Dot {
  Xyz0_double value[4] = {};

  void add(const Four& a, const Four& b) {
    for (int k = 0; k < 4; ++k)
      value[k] +=
          __builtin_convertvector(a.value[k], Xyz0_double) * __builtin_convertvector(b.value[k], Xyz0_double);
  }
  double sum() const {
    const Xyz0_double all = (value[0] + value[1]) + (value[2] + value[3]);
    return (all[0] + all[1]) + all[2];
  }
};
#endif

}  // namespace four_rows
}  // namespace
}  // namespace pliant
