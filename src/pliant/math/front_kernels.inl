// SPDX-License-Identifier: Apache-2.0
// See front_kernels.hpp for the layout. Included by front_{portable,avx2,avx512}.cpp.
#include "pliant/math/front_kernels.hpp"

#if defined(__AVX2__)
// GCC 12's own header leaves operands that are masked out uninitialised and then warns about them (PR
// 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

namespace pliant {
namespace {

#define PLIANT_INLINE inline __attribute__((always_inline))
#define PLIANT_UNROLL _Pragma("GCC unroll 16")

// A tile of the product a b^T is `most` registers high and `group` columns wide: its sums fill the registers.
#if defined(__AVX512F__)
constexpr int lanes = 8, most = 3, group = 8;
#elif defined(__AVX2__)
constexpr int lanes = 4, most = 3, group = 4;
#else
constexpr int lanes = 2, most = 3, group = 4;
#endif

typedef double Vec __attribute__((vector_size(8 * lanes), aligned(8), may_alias));

PLIANT_INLINE Vec load(const double* p) { return *reinterpret_cast<const Vec*>(p); }
PLIANT_INLINE void store(double* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }
PLIANT_INLINE Vec splat(double a) { return Vec{} + a; }
PLIANT_INLINE Vec minus_product(Vec c, Vec a, Vec b) {
#if defined(__AVX512F__)
  return (Vec)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__)
  return (Vec)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return c - a * b;
#endif
}
PLIANT_INLINE double sum(Vec v) {
#if defined(__AVX512F__)
  return _mm512_reduce_add_pd((__m512d)v);
#else
  double s = 0;
  PLIANT_UNROLL for (int i = 0; i < lanes; ++i) s += v[i];
  return s;
#endif
}
PLIANT_INLINE double root(double a) { return __builtin_sqrt(a); }

/// Calls f.operator()<count>() for 1 <= count <= least bound.
template <int bound, class F>
PLIANT_INLINE void with_constant(int count, F&& f) {
  if (count == bound)
    f.template operator()<bound>();
  else if constexpr (bound > 1)
    with_constant<bound - 1>(count, f);
}

/// c -= a b^T over `depth` columns of a and b, all `stride` apart; R registers of rows, C columns.
template <int R, int C>
PLIANT_INLINE void tile(const double* a, const double* b, int stride, int depth, double* c, int c_stride) {
  Vec s[R][C];
  PLIANT_UNROLL for (int j = 0; j < C; ++j) PLIANT_UNROLL for (int r = 0; r < R; ++r) s[r][j] =
      load(c + long(j) * c_stride + r * lanes);
  for (int k = 0; k < depth; ++k, a += stride, b += stride) {
    Vec rows[R];
    PLIANT_UNROLL for (int r = 0; r < R; ++r) rows[r] = load(a + r * lanes);
    PLIANT_UNROLL for (int j = 0; j < C; ++j) {
      const Vec x = splat(b[j]);
      PLIANT_UNROLL for (int r = 0; r < R; ++r) s[r][j] = minus_product(s[r][j], rows[r], x);
    }
  }
  PLIANT_UNROLL for (int j = 0; j < C; ++j) PLIANT_UNROLL for (int r = 0; r < R; ++r)
      store(c + long(j) * c_stride + r * lanes, s[r][j]);
}

/// c -= a b^T, `registers` of rows and C columns.
template <int C>
void strip(const double* a, const double* b, int stride, int depth, int registers, double* c, int c_stride) {
  int r = 0;
  for (; r + most <= registers; r += most)
    tile<most, C>(a + r * lanes, b, stride, depth, c + r * lanes, c_stride);
  if constexpr (most > 1)
    if (r < registers)
      with_constant<most - 1>(registers - r, [&]<int R>() {
        tile<R, C>(a + r * lanes, b, stride, depth, c + r * lanes, c_stride);
      });
}

/// The lower Cholesky factor of the C columns of a panel that begin at the diagonal entry p; `rows` of them
/// are left. Returns the first column without a positive pivot, or -1.
template <int C>
int small_factor(double* p, int stride, int rows, double* inverse) {
  for (int k = 0; k < C; ++k) {
    double* column = p + long(k) * stride;
    for (int j = 0; j < k; ++j) {
      const double* left = p + long(j) * stride;
      for (int i = k; i < C; ++i) column[i] -= left[i] * left[k];
    }
    if (!(column[k] > 0)) return k;
    const double pivot = root(column[k]);
    inverse[k] = 1 / pivot;
    column[k] = pivot;
    for (int i = k + 1; i < C; ++i) column[i] *= inverse[k];
  }
  // The rows below: X L^T = B, many rows at a time. Behind the last one may be the next column's first.
  double l[C][C];
  for (int k = 0; k < C; ++k)
    for (int j = 0; j < k; ++j) l[k][j] = p[long(j) * stride + k];
  for (int i = C; i < rows; i += lanes) {
    Vec x[C];
    PLIANT_UNROLL for (int k = 0; k < C; ++k) {
      x[k] = load(p + long(k) * stride + i);
      PLIANT_UNROLL for (int j = 0; j < k; ++j) x[k] = minus_product(x[k], x[j], splat(l[k][j]));
      x[k] *= splat(inverse[k]);
    }
    if (i + lanes <= rows) {
      PLIANT_UNROLL for (int k = 0; k < C; ++k) store(p + long(k) * stride + i, x[k]);
    } else {
      for (int k = 0; k < C; ++k)
        for (int e = 0; i + e < rows; ++e) p[long(k) * stride + i + e] = x[k][e];
    }
  }
  return -1;
}

int eliminate(double* panel, int width, int height, double* inverse) {
  const int stride = front_stride(height);
  for (int k = 0; k < width; k += group) {
    const int columns = width - k < group ? width - k : group;
    const int top = k / lanes * lanes, registers = (height - top + lanes - 1) / lanes;
    double* diagonal = panel + long(k) * stride + k;
    int failed = -1;
    with_constant<group>(columns, [&]<int C>() {
      strip<C>(panel + top, panel + k, stride, k, registers, panel + long(k) * stride + top, stride);
      failed = small_factor<C>(diagonal, stride, height - k, inverse + k);
    });
    if (failed >= 0) return k + failed;
  }
  return -1;
}

void update(const double* panel, int width, int height, double* update) {
  const int stride = front_stride(height), below = height - width, u_stride = front_stride(below);
  const double* lower = panel + width;
  for (int k = 0; k < below; k += group) {
    const int columns = below - k < group ? below - k : group;
    const int top = k / lanes * lanes, registers = (below - top + lanes - 1) / lanes;
    with_constant<group>(columns, [&]<int C>() {
      strip<C>(lower + top, lower + k, stride, width, registers, update + long(k) * u_stride + top, u_stride);
    });
  }
}

/// y -= P x for `rows` rows of P and `columns` of it, R registers at a time.
template <int R>
PLIANT_INLINE void subtract_product(const double* p, int stride, int columns, const double* x, double* y) {
  Vec s[R];
  PLIANT_UNROLL for (int r = 0; r < R; ++r) s[r] = load(y + r * lanes);
  for (int k = 0; k < columns; ++k, p += stride) {
    const Vec f = splat(x[k]);
    PLIANT_UNROLL for (int r = 0; r < R; ++r) s[r] = minus_product(s[r], load(p + r * lanes), f);
  }
  PLIANT_UNROLL for (int r = 0; r < R; ++r) store(y + r * lanes, s[r]);
}

void forward(const double* panel, const double* inverse, int width, int height, double* y, double* below) {
  const int stride = front_stride(height), rest = height - width;
  for (int k = 0; k < width; ++k) {
    const double* column = panel + long(k) * stride;
    const double pivot = y[k] *= inverse[k];
    int i = k + 1;
    for (; i + lanes <= width; i += lanes)
      store(y + i, minus_product(load(y + i), load(column + i), splat(pivot)));
    for (; i < width; ++i) y[i] -= column[i] * pivot;
  }
  constexpr int some = 4;  // registers, so that their sums do not wait for each other
  int i = 0;
  for (; i + some * lanes <= rest; i += some * lanes)
    subtract_product<some>(panel + width + i, stride, width, y, below + i);
  for (; i < rest; i += lanes) subtract_product<1>(panel + width + i, stride, width, y, below + i);
}

/// y[k] -= (column k of the rows of `count` numbers) . x for C columns.
template <int C>
PLIANT_INLINE void subtract_dots(const double* p, int stride, int count, const double* x, double* y) {
  Vec s[C] = {};
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Vec f = load(x + i);
    PLIANT_UNROLL for (int c = 0; c < C; ++c) s[c] = minus_product(s[c], load(p + long(c) * stride + i), f);
  }
  PLIANT_UNROLL for (int c = 0; c < C; ++c) {
    double total = sum(s[c]);
    for (int n = i; n < count; ++n) total -= p[long(c) * stride + n] * x[n];
    y[c] += total;
  }
}

void backward(const double* panel, const double* inverse, int width, int height, double* y,
              const double* below) {
  const int stride = front_stride(height), rest = height - width;
  constexpr int some = 4;  // columns, so that their sums do not wait for each other
  for (int end = width; end > 0;) {
    const int first = end > some ? end - some : 0;
    const double* columns = panel + long(first) * stride;
    if (end - first == some) {
      subtract_dots<some>(columns + width, stride, rest, below, y + first);
      subtract_dots<some>(columns + end, stride, width - end, y + end, y + first);
    } else {
      for (int k = first; k < end; ++k) {
        subtract_dots<1>(panel + long(k) * stride + width, stride, rest, below, y + k);
        subtract_dots<1>(panel + long(k) * stride + end, stride, width - end, y + end, y + k);
      }
    }
    for (int k = end - 1; k >= first; --k) {
      for (int i = k + 1; i < end; ++i) y[k] -= panel[long(k) * stride + i] * y[i];
      y[k] *= inverse[k];
    }
    end = first;
  }
}

void add(const double* from, int count, double* to) {
  int i = 0;
  for (; i + lanes <= count; i += lanes) store(to + i, load(to + i) + load(from + i));
  for (; i < count; ++i) to[i] += from[i];
}

void minus_square(const double* rows, int count, int stride, double* out) {
  const double *x = rows, *y = rows + stride, *z = y + stride;
  for (int c = 0; c < count; ++c, out += stride) {
    const Vec a = splat(x[c]), b = splat(y[c]), d = splat(z[c]);
    for (int i = c / lanes * lanes; i < count; i += lanes)
      store(out + i, minus_product(minus_product(minus_product(Vec{}, load(x + i), a), load(y + i), b),
                                   load(z + i), d));
  }
}

}  // namespace

constinit const FrontKernels PLIANT_FRONT_KERNELS = {eliminate, update, forward, backward, add, minus_square};

}  // namespace pliant
