// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/dense_system.hpp"

#include <cblas.h>

#include <algorithm>

#include "pliant/base/simd.hpp"
#include "pliant/math/supernodal_factor.hpp"

namespace pliant {
namespace {

constexpr int gram_block = 192;    // columns
constexpr int panels_at_once = 3;  // a part of the pool's work
template <class T>
constexpr int deep = 1024 / int(sizeof(T));  // of the inner index at a time: what is read again stays near

void rank_update(int n, int k, const float* a, float* c, int stride) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasTrans, n, k, 1, a, k, 0, c, stride);
}
void rank_update(int n, int k, const double* a, double* c, int stride) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, k, 1, a, k, 0, c, stride);
}
void product(int rows, int columns, int k, const float* a, const float* b, float* c, int stride) {
  cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, columns, k, 1, a, k, b, k, 0, c, stride);
}
void product(int rows, int columns, int k, const double* a, const double* b, double* c, int stride) {
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, columns, k, 1, a, k, b, k, 0, c, stride);
}

}  // namespace

template <class T>
void gram(int n, int k, const T* a, T* c, Pool& pool) {
  const SingleThreadedBlas guard;
  const int blocks = std::max(1, n / gram_block);
  const auto edge = [&](int block) { return int(std::int64_t(n) * block / blocks); };
  // Block column b: the square on the diagonal and everything below it.
  pool.run(blocks, [&](int b) {
    const int begin = edge(b), end = edge(b + 1), width = end - begin;
    const T* columns = a + std::size_t(begin) * k;
    rank_update(width, k, columns, c + std::size_t(begin) * n + begin, n);
    if (end < n)
      product(n - end, width, k, a + std::size_t(end) * k, columns, c + std::size_t(begin) * n + end, n);
  });
}

template <>
const DenseKernels<float>& dense_kernels() {
  static const DenseKernels<float>* const by_level[] = {&dense_float_portable, &dense_float_avx2,
                                                        &dense_float_avx512};
  return *by_level[int(simd_level())];
}

template <>
const DenseKernels<double>& dense_kernels() {
  static const DenseKernels<double>* const by_level[] = {&dense_double_portable, &dense_double_avx2,
                                                         &dense_double_avx512};
  return *by_level[int(simd_level())];
}

template <class T>
void gram_panels(int n, int k, const T* a, T* c, Pool& pool) {
  const int wide = padded(n);
  for (int begin = 0; begin < k; begin += deep<T>) {
    const int end = std::min(begin + deep<T>, k);
    for_blocks(pool, wide, panels_at_once * panel_rows, [&](int first, int last) {
      dense_kernels<T>().gram(panels_of(n), first, last, k, begin, end, a, c);
    });
  }
}

template <class T>
bool factor(int n, T* a) {
  const int wide = padded(n);
  for (int i = n; i < wide; ++i)  // beyond n: the unit matrix
    for (int k = 0; k < wide; ++k) a[in_panels(i, k, wide)] = T(i == k);
  return dense_kernels<T>().factor(panels_of(n), a);
}

template <class T>
void solve(int n, const T* l, T* b) {
  solve_lower(n, l, b);
  solve_upper(n, l, b);
}

template <class T>
void solve_lower(int n, const T* l, T* b) {
  dense_kernels<T>().solve_lower(panels_of(n), l, b);
}

template <class T>
void solve_upper(int n, const T* l, T* b) {
  dense_kernels<T>().solve_upper(panels_of(n), l, b);
}

template <class T>
void solve_lower_rows(int n, const T* l, int rows, T* b, Pool& pool) {
  for_blocks(pool, panels_of(rows), panels_at_once, [&](int begin, int end) {
    dense_kernels<T>().solve_rows(panels_of(n), l, end - begin,
                                  b + std::size_t(begin) * panel_size(panel_rows, padded(n)));
  });
}

template void gram(int, int, const float*, float*, Pool&);
template void gram(int, int, const double*, double*, Pool&);
template void gram_panels(int, int, const float*, float*, Pool&);
template void gram_panels(int, int, const double*, double*, Pool&);
template bool factor(int, float*);
template bool factor(int, double*);
template void solve(int, const float*, float*);
template void solve(int, const double*, double*);
template void solve_lower(int, const float*, float*);
template void solve_lower(int, const double*, double*);
template void solve_upper(int, const float*, float*);
template void solve_upper(int, const double*, double*);
template void solve_lower_rows(int, const float*, int, float*, Pool&);
template void solve_lower_rows(int, const double*, int, double*, Pool&);

}  // namespace pliant
