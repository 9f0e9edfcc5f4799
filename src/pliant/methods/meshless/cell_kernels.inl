// SPDX-License-Identifier: Apache-2.0
// See cell_kernels.hpp. Internal linkage, plain GCC vectors.
#include "pliant/methods/meshless/cell_kernels.hpp"

#if defined(__AVX2__)
// GCC 12's own header leaves operands that are masked out uninitialised and then warns about them (PR
// 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

namespace pliant::meshless {
namespace {

#define PLIANT_INLINE inline __attribute__((always_inline))
#define PLIANT_UNROLL _Pragma("GCC unroll 4")

/// Numbers of a register; `halves` registers hold the lanes of a batch.
template <class T>
struct Wide;
template <>
struct Wide<float> {
#if defined(__AVX2__)
  static constexpr int width = 8;
#else
  static constexpr int width = 4;
#endif
  typedef float type __attribute__((vector_size(4 * width), may_alias));
  typedef float four __attribute__((vector_size(16), may_alias));
};
template <>
struct Wide<double> {
#if defined(__AVX512F__)
  static constexpr int width = 8;
#else
  static constexpr int width = 4;
#endif
  typedef double type __attribute__((vector_size(8 * width), may_alias));
  typedef double four __attribute__((vector_size(32), may_alias));
};
template <class T>
using Vector = typename Wide<T>::type;
template <class T>
using Four = typename Wide<T>::four;
template <class T>
constexpr int halves = lanes / Wide<T>::width;

template <class T>
PLIANT_INLINE Vector<T> load(const T* from, int half) {
  return reinterpret_cast<const Vector<T>*>(from)[half];
}

/// Numbers of single precision as T.
PLIANT_INLINE Vector<float> widen(const float* q, int half, float) { return load(q, half); }
#if defined(__AVX512F__)
PLIANT_INLINE Vector<double> widen(const float* q, int, double) {
  return (Vector<double>)_mm512_cvtps_pd(_mm256_load_ps(q));
}
#else
PLIANT_INLINE Vector<double> widen(const float* q, int half, double) {
  typedef float Narrow __attribute__((vector_size(4 * Wide<double>::width), may_alias));
  return __builtin_convertvector(reinterpret_cast<const Narrow*>(q)[half], Vector<double>);
}
#endif

// Two rows lie together: x and y of the first, x and y of the second, z of both.
constexpr int pair = 6 * lanes;
PLIANT_INLINE const float* along(const float* pair_of_rows, int second, int axis) {
  return pair_of_rows + (axis < 2 ? 2 * second + axis : 4 + second) * lanes;
}

/// The small integers of four rows, as floats 2^16 times as large: of rows 0 and 1 (low) or 2 and 3.
typedef std::int32_t Integers __attribute__((vector_size(4 * Wide<float>::width), may_alias));
PLIANT_INLINE Vector<float> unpack(const std::int16_t* from, int at, bool high) {
  const Integers both = reinterpret_cast<const Integers*>(from)[at];
  return __builtin_convertvector(high ? both & Integers(Integers{} - 0x10000) : both << 16, Vector<float>);
}

// While a batch is gathered and scattered the next one comes, evenly: its loads and this arithmetic would
// else wait for one another. A row is one and a half lines of the cache.
constexpr int line = 16;  // floats

template <class T>
PLIANT_INLINE void add_row(const T* v, Vector<T> g0, Vector<T> g1, Vector<T> g2, Vector<T>* sum) {
  const T v0 = v[0], v1 = v[1], v2 = v[2];
  sum[0] += v0 * g0;
  sum[1] += v0 * g1;
  sum[2] += v0 * g2;
  sum[3] += v1 * g0;
  sum[4] += v1 * g1;
  sum[5] += v1 * g2;
  sum[6] += v2 * g0;
  sum[7] += v2 * g1;
  sum[8] += v2 * g2;
}

/// f[half][3 i + j] = F_ij of the cells. g, node: of the first of the rows. Returns the gradients for the
/// way back.
PLIANT_INLINE const float* gather_batch(const CellPart<double>& part, std::int32_t begin, int rows,
                                        const double* x, float*, Vector<double> (*f)[9]) {
  const float* g = part.gradient + 3 * lanes * std::int64_t(begin);
  const std::uint16_t* node = part.node + begin;
  const float* next = g + 3 * lanes * rows;
  for (int h = 0; h < halves<double>; ++h) {
    Vector<double> sum[9] = {};
    const float* here = g;
    for (int r = 0; r < rows; r += 2, here += pair) {
      PLIANT_UNROLL for (int k = 0; k < 2; ++k) {
        add_row(x + 4 * std::int64_t(node[r + k]), widen(along(here, k, 0), h, 0.0),
                widen(along(here, k, 1), h, 0.0), widen(along(here, k, 2), h, 0.0), sum);
        __builtin_prefetch(next + (r + k) * line);
      }
    }
    for (int k = 0; k < 9; ++k) f[h][k] = sum[k];
  }
  return g;
}

#if !defined(__AVX512F__)
PLIANT_INLINE const float* gather_batch(const CellPart<float>& part, std::int32_t begin, int rows,
                                        const float* x, float* unpacked, Vector<float> (*f)[9]) {
  const std::int16_t* g = part.rounded + 3 * lanes * std::int64_t(begin);
  const std::uint16_t* node = part.node + begin;
  for (int h = 0; h < halves<float>; ++h) {
    Vector<float> sum[9] = {};
    const std::int16_t* here = g;
    float* to = unpacked;
    for (int r = 0; r < rows; r += 4, here += 2 * pair, to += 2 * pair) {
      PLIANT_UNROLL for (int k = 0; k < 4; ++k) {
        Vector<float> row[3];
        PLIANT_UNROLL for (int j = 0; j < 3; ++j) {
          const int at = (j < 2 ? 2 * (k % 2) + j : 4 + k % 2) * halves<float> + h;
          row[j] = unpack(here, at, k >= 2);
          reinterpret_cast<Vector<float>*>(to + k / 2 * pair)[at] = row[j];
        }
        add_row(x + 4 * std::int64_t(node[r + k]), row[0], row[1], row[2], sum);
      }
      for (int k = 0; k < 3; ++k) __builtin_prefetch(here + 3 * lanes * rows + 2 * line * k);
    }
    for (int k = 0; k < 9; ++k) f[h][k] = sum[k];
  }
  return unpacked;
}
#endif

/// From F to P in place. Any quaternion but zero makes an exact rotation.
template <class T>
PLIANT_INLINE void stress_batch(const float* quaternion, const T* weight, const Stress<T>& s,
                                const float* rest, const T* flow, int half, Vector<T>* f) {
  using V = Vector<T>;
  const V a = widen(quaternion, half, T()), b = widen(quaternion + lanes, half, T()),
          d = widen(quaternion + 2 * lanes, half, T()), e = widen(quaternion + 3 * lanes, half, T());
  const V two = T(2) / (a * a + b * b + d * d + e * e);
  const V r[9] = {T(1) - two * (d * d + e * e), two * (b * d - a * e),        two * (b * e + a * d),
                  two * (b * d + a * e),        T(1) - two * (b * b + e * e), two * (d * e - a * b),
                  two * (b * e - a * d),        two * (d * e + a * b),        T(1) - two * (b * b + d * d)};
  V m[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m[3 * i + j] = r[i] * f[j] + r[3 + i] * f[3 + j] + r[6 + i] * f[6 + j];
  if (s.rest)
    for (int i = 0; i < 9; ++i) m[i] -= widen(rest + i * lanes, half, T()) + T(i % 4 == 0 ? 1 : 0);
  const V trace = s.lambda * (m[0] + m[4] + m[8]);
  // P = R ( plus G + minus G^T + trace I - flow )
  V t[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t[3 * i + j] = s.plus * m[3 * i + j] + s.minus * m[3 * j + i];
  for (int i = 0; i < 3; ++i) t[4 * i] += trace;
  if (flow) {
    constexpr int entry[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int i = 0; i < 9; ++i) t[i] -= load(flow + entry[i] * lanes, half);
  }
  const V w = load(weight, half);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      f[3 * i + j] = w * (r[3 * i] * t[j] + r[3 * i + 1] * t[3 + j] + r[3 * i + 2] * t[6 + j]);
}

/// y: three times the lanes of a node, to be added up at the end of the part.
template <class T>
PLIANT_INLINE void scatter_batch(const float* g, const std::uint16_t* node, int rows, const Vector<T> (*p)[9],
                                 T* y) {
  const float* next = g + 3 * lanes * rows + rows * line;
  for (int r = 0; r < rows; r += 2, next += line) {
    const float* here = g + r / 2 * pair;
    for (int k = 0; k < 2; ++k) {
      T* to = y + wide<T> * std::int64_t(node[r + k]);
      for (int h = 0; h < halves<T>; ++h) {
        const Vector<T> g0 = widen(along(here, k, 0), h, T()), g1 = widen(along(here, k, 1), h, T()),
                        g2 = widen(along(here, k, 2), h, T());
        for (int i = 0; i < 3; ++i) {
          Vector<T>& force = reinterpret_cast<Vector<T>*>(to + i * lanes)[h];
          Vector<T> sum = force;
          sum += p[h][3 * i] * g0;
          sum += p[h][3 * i + 1] * g1;
          sum += p[h][3 * i + 2] * g2;
          force = sum;
        }
      }
    }
    if (sizeof(T) == 8) __builtin_prefetch(next);
  }
}

#if defined(__AVX512F__)
// In single precision two directions fill a register.

PLIANT_INLINE const float* gather_batch(const CellPart<float>& part, std::int32_t begin, int rows,
                                        const float* x, float* unpacked, Vector<float> (*f)[9]) {
  const std::int16_t* g = part.rounded + 3 * lanes * std::int64_t(begin);
  const std::uint16_t* node = part.node + begin;
  const std::int16_t* next = g + 3 * lanes * rows;
  const __m512i upper = _mm512_set1_epi32(-0x10000);
  // Of the even and of the odd rows: one sum would wait for its own last addition.
  __m512 xy[2][3];
  __m256 z[2][3];
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) xy[k][i] = _mm512_setzero_ps(), z[k][i] = _mm256_setzero_ps();
  float* to = unpacked;
  for (const std::int16_t* end = next; g != end; g += 2 * pair, next += 2 * pair) {
    __m512i packed[3];
    for (int j = 0; j < 3; ++j) packed[j] = _mm512_load_si512(g + 2 * line * j);
    for (int high = 0; high < 2; ++high, node += 2, to += pair) {
      __m512 row[3];
      for (int j = 0; j < 3; ++j) {
        row[j] =
            _mm512_cvtepi32_ps(high ? _mm512_and_si512(packed[j], upper) : _mm512_slli_epi32(packed[j], 16));
        _mm512_store_ps(to + line * j, row[j]);
      }
      for (int k = 0; k < 2; ++k) {
        const float* v = x + 4 * std::int64_t(node[k]);
        const __m256 gz = _mm256_load_ps(along(to, k, 2));
        for (int i = 0; i < 3; ++i) {
          const __m512 xi = _mm512_set1_ps(v[i]);
          xy[k][i] = _mm512_fmadd_ps(xi, row[k], xy[k][i]);
          z[k][i] = _mm256_fmadd_ps(_mm512_castps512_ps256(xi), gz, z[k][i]);
        }
      }
    }
    for (int j = 0; j < 3; ++j) _mm_prefetch(next + 2 * line * j, _MM_HINT_T0);
  }
  for (int i = 0; i < 3; ++i) {
    const __m512 sum = _mm512_add_ps(xy[0][i], xy[1][i]);
    f[0][3 * i] = (Vector<float>)_mm512_castps512_ps256(sum);
    f[0][3 * i + 1] = (Vector<float>)_mm512_extractf32x8_ps(sum, 1);
    f[0][3 * i + 2] = (Vector<float>)_mm256_add_ps(z[0][i], z[1][i]);
  }
  return unpacked;
}

PLIANT_INLINE __m512 side_by_side(Vector<float> first, Vector<float> second) {
  return _mm512_insertf32x8(_mm512_castps256_ps512((__m256)first), (__m256)second, 1);
}

PLIANT_INLINE void scatter_batch(const float* g, const std::uint16_t* node, int rows,
                                 const Vector<float> (*f)[9], float* y) {
  const float* const end = g + 3 * lanes * rows;
  __m512 pxy[3];
  __m256 pz[3];
  for (int j = 0; j < 3; ++j) {
    pxy[j] = side_by_side(f[0][j], f[0][3 + j]);
    pz[j] = (__m256)f[0][6 + j];
  }
  for (; g != end; g += pair, node += 2) {
    for (int k = 0; k < 2; ++k) {
      float* to = y + wide<float> * std::int64_t(node[k]);
      __m512 xy = _mm512_load_ps(to);
      __m256 z = _mm256_load_ps(to + 2 * lanes);
      for (int j = 0; j < 3; ++j) {
        const __m512 both = _mm512_broadcast_f32x8(_mm256_load_ps(along(g, k, j)));
        xy = _mm512_fmadd_ps(pxy[j], both, xy);
        z = _mm256_fmadd_ps(pz[j], _mm512_castps512_ps256(both), z);
      }
      _mm512_store_ps(to, xy);
      _mm256_store_ps(to + 2 * lanes, z);
    }
  }
}
#endif

template <class T>
void apply(const CellPart<T>& part, const Stress<T>& given, const T* x, T* lanes_of_y, T* y, int nodes) {
  const CellPart<T> here = part;  // copies, which y cannot overwrite
  const Stress<T> stress = given;
  for (std::int64_t k = 0; k < std::int64_t(wide<T>) * nodes; k += Wide<T>::width)
    *reinterpret_cast<Vector<T>*>(lanes_of_y + k) = Vector<T>{};
  // Every batch is gathered before the last one is scattered: a batch alone would wait for its stresses.
  Vector<T> f[2][halves<T>][9];
  const float* g[2];
  const auto gather = [&](int b) {
    const std::int32_t begin = here.begin[b], rows = here.begin[b + 1] - begin;
    g[b % 2] = gather_batch(here, begin, rows, x, here.unpacked + b % 2 * here.unpacked_stride, f[b % 2]);
  };
  if (here.batches > 0) gather(0);
  for (int b = 0; b < here.batches; ++b) {
    if (b + 1 < here.batches) gather(b + 1);
    const std::int32_t begin = here.begin[b], rows = here.begin[b + 1] - begin;
    for (int h = 0; h < halves<T>; ++h)
      stress_batch(here.quaternion + 4 * lanes * b, here.weight + lanes * b, stress,
                   here.rest + 9 * lanes * b, here.flow ? here.flow + 6 * lanes * b : nullptr, h,
                   f[b % 2][h]);
    scatter_batch(g[b % 2], here.node + begin, rows, f[b % 2], lanes_of_y);
  }
  for (int i = 0; i < nodes; ++i)
    for (int c = 0; c < 3; ++c) {
      const T* from = lanes_of_y + std::int64_t(wide<T>) * i + c * lanes;
      y[4 * i + c] =
          ((from[0] + from[1]) + (from[2] + from[3])) + ((from[4] + from[5]) + (from[6] + from[7]));
    }
}

PLIANT_INLINE Vector<float> root(Vector<float> a) {
#if defined(__AVX2__)
  return (Vector<float>)_mm256_sqrt_ps((__m256)a);
#else
  for (int c = 0; c < Wide<float>::width; ++c) a[c] = __builtin_sqrtf(a[c]);
  return a;
#endif
}

constexpr int ahead = 128 * line;  // of the shape functions at the centres, floats

int blend(const CellPart<float>& given, const float* q, float shortest, int cells) {
  using V = Vector<float>;
  const CellPart<float> part = given;
  decltype(V{} > V{}) blended = {};
  for (int b = 0; b < part.batches; ++b) {
    float* out = part.quaternion + 4 * lanes * b;
    for (int h = 0; h < halves<float>; ++h) {
      V sum[4] = {}, odd[4] = {};  // one sum would wait for its own last addition
      for (std::int32_t r = part.begin[b]; r < part.begin[b + 1]; r += 2) {
        const float *v = q + 4 * std::int64_t(part.node[r]), *u = q + 4 * std::int64_t(part.node[r + 1]);
        const V value = load(part.centre_value + lanes * std::int64_t(r), h),
                next = load(part.centre_value + lanes * std::int64_t(r + 1), h);
        for (int i = 0; i < 4; ++i) {
          sum[i] += v[i] * value;
          odd[i] += u[i] * next;
        }
        __builtin_prefetch(part.centre_value + lanes * std::int64_t(r) + ahead);
      }
      for (int i = 0; i < 4; ++i) sum[i] += odd[i];
      const V squares = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3];
      const auto valid = squares > shortest * shortest;
      const V over = 1.0f / root(squares);
      for (int i = 0; i < 4; ++i) {
        V& to = reinterpret_cast<V*>(out + i * lanes)[h];
        to = valid ? sum[i] * over : to;
      }
      blended -= valid;
    }
  }
  for (int c = 0; c < Wide<float>::width; ++c) cells -= blended[c];
  return cells;  // lanes without a cell had nothing to blend
}

void diffuse(const float* influence, int samples, const float* q_samples, float* q, int first, int last) {
  using V = Four<float>;
  const V* from = reinterpret_cast<const V*>(q_samples);
  V* to = reinterpret_cast<V*>(q);
  for (int i = first; i < last; ++i) {
    const float* row = influence + std::int64_t(i) * samples;
    V a = {}, b = {}, c = {}, d = {};
    int s = 0;
    for (; s + 3 < samples; s += 4) {
      a += from[s] * row[s];
      b += from[s + 1] * row[s + 1];
      c += from[s + 2] * row[s + 2];
      d += from[s + 3] * row[s + 3];
    }
    for (; s < samples; ++s) a += from[s] * row[s];
    to[i] = (a + b) + (c + d);
  }
}

}  // namespace
}  // namespace pliant::meshless
