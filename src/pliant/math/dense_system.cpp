// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/dense_system.hpp"

#include <cblas.h>

#include <algorithm>

#include "pliant/math/supernodal_factor.hpp"

// LAPACK as OpenBLAS exports it; character lengths of the Fortran interface are not read by it.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
}

namespace pliant {
namespace {

constexpr int gram_block = 192;  // columns

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
void triangular(CBLAS_TRANSPOSE transposed, int n, const float* l, float* b, int columns) {
  cblas_strsm(CblasColMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, n, columns, 1, l, n, b, n);
}
void triangular(CBLAS_TRANSPOSE transposed, int n, const double* l, double* b, int columns) {
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, n, columns, 1, l, n, b, n);
}
void cholesky(int n, float* a, int& failed) { spotrf_("L", &n, a, &n, &failed); }
void cholesky(int n, double* a, int& failed) { dpotrf_("L", &n, a, &n, &failed); }

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

template <class T>
bool factor(int n, T* a) {
  const SingleThreadedBlas guard;
  int failed = 0;
  cholesky(n, a, failed);
  return failed == 0;
}

template <class T>
void solve(int n, const T* l, T* b, int columns) {
  const SingleThreadedBlas guard;
  triangular(CblasNoTrans, n, l, b, columns);
  triangular(CblasTrans, n, l, b, columns);
}

template <class T>
void solve_lower(int n, const T* l, T* b, int columns) {
  const SingleThreadedBlas guard;
  triangular(CblasNoTrans, n, l, b, columns);
}

template <class T>
void solve_upper(int n, const T* l, T* b, int columns) {
  const SingleThreadedBlas guard;
  triangular(CblasTrans, n, l, b, columns);
}

template void gram(int, int, const float*, float*, Pool&);
template void gram(int, int, const double*, double*, Pool&);
template bool factor(int, float*);
template bool factor(int, double*);
template void solve(int, const float*, float*, int);
template void solve(int, const double*, double*, int);
template void solve_lower(int, const float*, float*, int);
template void solve_lower(int, const double*, double*, int);
template void solve_upper(int, const float*, float*, int);
template void solve_upper(int, const double*, double*, int);

}  // namespace pliant
