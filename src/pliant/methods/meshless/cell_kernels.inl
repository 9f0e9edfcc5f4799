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

PLIANT_INLINE void store_narrow(Vector<double> v, float* to, [[maybe_unused]] int half) {
#if defined(__AVX512F__)
  _mm256_store_ps(to, _mm512_cvtpd_ps((__m512d)v));
#else
  typedef float Narrow __attribute__((vector_size(4 * Wide<double>::width), may_alias));
  reinterpret_cast<Narrow*>(to)[half] = __builtin_convertvector(v, Narrow);
#endif
}

/// From the gradients of a row to those in y, and from those to z; rows come in pairs.
constexpr int stride = 2 * lanes, pair = 3 * stride;

// The sums of the lanes of x, y, z, and a number of no meaning.
#if defined(__AVX2__)
PLIANT_INLINE Four<float> sums(Vector<float> x, Vector<float> y, Vector<float> z) {
  const Vector<float> xy = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13) +
                           __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
  const Vector<float> zz = z + __builtin_shufflevector(z, z, 2, 3, 0, 1, 6, 7, 4, 5);
  const Vector<float> all = __builtin_shufflevector(xy, zz, 0, 1, 8, 8, 4, 5, 12, 12) +
                            __builtin_shufflevector(xy, zz, 2, 3, 9, 9, 6, 7, 13, 13);
  return __builtin_shufflevector(all, all, 0, 1, 2, 3) + __builtin_shufflevector(all, all, 4, 5, 6, 7);
}
#else
PLIANT_INLINE Four<float> sums(Vector<float> x, Vector<float> y, Vector<float> z) {
  return Four<float>{(x[0] + x[1]) + (x[2] + x[3]), (y[0] + y[1]) + (y[2] + y[3]),
                     (z[0] + z[1]) + (z[2] + z[3]), 0};
}
#endif
#if defined(__AVX512F__)
PLIANT_INLINE Four<double> sums(Vector<double> x, Vector<double> y, Vector<double> z) {
  const Vector<double> xy = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14) +
                            __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  const Vector<double> zz = z + __builtin_shufflevector(z, z, 1, 0, 3, 2, 5, 4, 7, 6);
  const Vector<double> all = __builtin_shufflevector(xy, zz, 0, 1, 2, 3, 8, 9, 10, 11) +
                             __builtin_shufflevector(xy, zz, 4, 5, 6, 7, 12, 13, 14, 15);
  return __builtin_shufflevector(all, all, 0, 1, 4, 5) + __builtin_shufflevector(all, all, 2, 3, 6, 7);
}
#else
PLIANT_INLINE Four<double> sums(Vector<double> x, Vector<double> y, Vector<double> z) {
  const Vector<double> xy =
      __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
  const Vector<double> zz = z + __builtin_shufflevector(z, z, 1, 0, 3, 2);
  return __builtin_shufflevector(xy, zz, 0, 1, 4, 5) + __builtin_shufflevector(xy, zz, 2, 3, 6, 7);
}
#endif

// While a batch is gathered and scattered the next one comes, evenly: its loads and this arithmetic would
// else wait for one another. A row is one and a half lines of the cache.
constexpr int line = 16;  // floats

/// The rows of a batch, and the gradients of the next one.
struct Rows {
  const float* g;
  const std::uint16_t* node;
  int count;
  const float* next;
};
template <class T>
PLIANT_INLINE Rows rows_of(const CellPart<T>& part, int b) {
  const auto gradients = [&](int batch) {
    return part.gradient + 3 * lanes * std::int64_t(part.table[batch]);
  };
  return {gradients(b), part.node + part.begin[b], part.begin[b + 1] - part.begin[b], gradients(b + 1)};
}

/// f[half][3 i + j] = F_ij of the cells.
template <class T>
PLIANT_INLINE void gather_batch(const Rows& rows, const T* x, Vector<T> (*f)[9]) {
  for (int h = 0; h < halves<T>; ++h) {
    Vector<T> sum[9] = {};
    for (int r = 0; r < rows.count; r += 2) {
      const float* here = rows.g + pair / 2 * r;
      for (int k = 0; k < 2; ++k, here += lanes) {
        const T* v = x + 4 * std::int64_t(rows.node[r + k]);
        const Vector<T> g0 = widen(here, h, T()), g1 = widen(here + stride, h, T()),
                        g2 = widen(here + 2 * stride, h, T());
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
        __builtin_prefetch(rows.next + (r + k) * line);
      }
    }
    for (int k = 0; k < 9; ++k) f[h][k] = sum[k];
  }
}

/// The rotation of quaternions; any but zero makes an exact one.
template <class T, class V>
PLIANT_INLINE void rotation_of(V a, V b, V d, V e, V* r) {
  const V two = T(2) / (a * a + b * b + d * d + e * e);
  r[0] = T(1) - two * (d * d + e * e);
  r[1] = two * (b * d - a * e);
  r[2] = two * (b * e + a * d);
  r[3] = two * (b * d + a * e);
  r[4] = T(1) - two * (b * b + e * e);
  r[5] = two * (d * e - a * b);
  r[6] = two * (b * e - a * d);
  r[7] = two * (d * e + a * b);
  r[8] = T(1) - two * (b * b + d * d);
}

template <class T>
PLIANT_INLINE void rotation_batch(const float* quaternion, int half, Vector<T>* r) {
  rotation_of<T>(widen(quaternion, half, T()), widen(quaternion + lanes, half, T()),
                 widen(quaternion + 2 * lanes, half, T()), widen(quaternion + 3 * lanes, half, T()), r);
}

/// m = R^T f
template <class V>
PLIANT_INLINE void turn_back(const V* r, const V* f, V* m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m[3 * i + j] = r[i] * f[j] + r[3 + i] * f[3 + j] + r[6 + i] * f[6 + j];
}

/// t = plus G + minus G^T + lambda tr G
template <class T, class V>
PLIANT_INLINE void stress_in_cell(const Stress<T>& s, const V* m, V* t) {
  const V trace = s.lambda * (m[0] + m[4] + m[8]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t[3 * i + j] = s.plus * m[3 * i + j] + s.minus * m[3 * j + i];
  for (int i = 0; i < 3; ++i) t[4 * i] += trace;
}

/// f = w R t
template <class V>
PLIANT_INLINE void turn_forth(V w, const V* r, const V* t, V* f) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      f[3 * i + j] = w * (r[3 * i] * t[j] + r[3 * i + 1] * t[3 + j] + r[3 * i + 2] * t[6 + j]);
}

/// From F to P of batch b in place.
template <class T>
PLIANT_INLINE void stress_batch(const CellPart<T>& part, int b, const Stress<T>& s, int half, Vector<T>* f) {
  Vector<T> r[9], m[9], t[9];
  rotation_batch<T>(part.quaternion + 4 * lanes * b, half, r);
  turn_back(r, f, m);
  const float* rest = part.rest + 9 * lanes * b;
  if (s.rest)
    for (int i = 0; i < 9; ++i) m[i] -= widen(rest + i * lanes, half, T()) + T(i % 4 == 0 ? 1 : 0);
  stress_in_cell(s, m, t);
  if (part.flow) {
    constexpr int entry[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int i = 0; i < 9; ++i) t[i] -= load(part.flow + (6 * b + entry[i]) * lanes, half);
  }
  turn_forth(load(part.weight + lanes * b, half), r, t, f);
}

template <class T>
PLIANT_INLINE void scatter_batch(const Rows& rows, const Vector<T> (*p)[9], T* y) {
  const float* next = rows.next + rows.count * line;
  for (int r = 0; r < rows.count; r += 2, next += line) {
    const float* here = rows.g + pair / 2 * r;
    for (int k = 0; k < 2; ++k, here += lanes) {
      Vector<T> sx = {}, sy = {}, sz = {};
      for (int h = 0; h < halves<T>; ++h) {
        const Vector<T> g0 = widen(here, h, T()), g1 = widen(here + stride, h, T()),
                        g2 = widen(here + 2 * stride, h, T());
        sx += p[h][0] * g0 + p[h][1] * g1 + p[h][2] * g2;
        sy += p[h][3] * g0 + p[h][4] * g1 + p[h][5] * g2;
        sz += p[h][6] * g0 + p[h][7] * g1 + p[h][8] * g2;
      }
      reinterpret_cast<Four<T>*>(y)[rows.node[r + k]] += sums(sx, sy, sz);
    }
    __builtin_prefetch(next);
  }
}

#if defined(__AVX512F__)
// In single precision two rows fill a register.

/// A load that the compiler may not repeat as the memory operand of each use: loads are what limits here.
PLIANT_INLINE __m512 load_once(const float* p) {
  __m512 v = _mm512_load_ps(p);
  asm("" : "+v"(v));
  return v;
}

PLIANT_INLINE __m512 both(float first, float second) {
  return _mm512_mask_broadcastss_ps(_mm512_set1_ps(first), 0xff00, _mm_set_ss(second));
}

PLIANT_INLINE void gather_batch(const Rows& rows, const float* x, Vector<float> (*f)[9]) {
  const float *g = rows.g, *next = rows.next;
  const std::uint16_t* node = rows.node;
  __m512 sum[9];
  for (__m512& s : sum) s = _mm512_setzero_ps();
  for (const float* end = g + 3 * lanes * rows.count; g != end; g += pair, node += 2, next += 2 * line) {
    const float *v = x + 4 * std::int64_t(node[0]), *u = x + 4 * std::int64_t(node[1]);
    const __m512 g0 = load_once(g), g1 = load_once(g + stride), g2 = load_once(g + 2 * stride);
    for (int i = 0; i < 3; ++i) {
      const __m512 xi = both(v[i], u[i]);
      sum[3 * i] = _mm512_fmadd_ps(xi, g0, sum[3 * i]);
      sum[3 * i + 1] = _mm512_fmadd_ps(xi, g1, sum[3 * i + 1]);
      sum[3 * i + 2] = _mm512_fmadd_ps(xi, g2, sum[3 * i + 2]);
    }
    _mm_prefetch(next, _MM_HINT_T0);
    _mm_prefetch(next + line, _MM_HINT_T0);
  }
  for (int k = 0; k < 9; ++k)
    f[0][k] = (Vector<float>)_mm256_add_ps(_mm512_castps512_ps256(sum[k]), _mm512_extractf32x8_ps(sum[k], 1));
}

/// Of two rows: sums of x, y, z in quarters of their lanes, each two of a row.
PLIANT_INLINE __m512 row_sums(const float* g, const __m512* p) {
  const __m512 g0 = load_once(g), g1 = load_once(g + stride), g2 = load_once(g + 2 * stride);
  __m512 s[3];
  for (int i = 0; i < 3; ++i)
    s[i] = _mm512_fmadd_ps(p[3 * i + 2], g2, _mm512_fmadd_ps(p[3 * i + 1], g1, _mm512_mul_ps(p[3 * i], g0)));
  const __m512 xy = _mm512_add_ps(_mm512_unpacklo_ps(s[0], s[1]), _mm512_unpackhi_ps(s[0], s[1]));
  const __m512 zz = _mm512_add_ps(s[2], _mm512_permute_ps(s[2], 0x4e));
  return _mm512_add_ps(_mm512_shuffle_ps(xy, zz, 0x04), _mm512_shuffle_ps(xy, zz, 0x5e));
}

PLIANT_INLINE void scatter_batch(const Rows& rows, const Vector<float> (*f)[9], float* y) {
  const float *g = rows.g, *const end = g + 3 * lanes * rows.count, *next = rows.next + rows.count * line;
  const std::uint16_t* node = rows.node;
  __m512 p[9];
  for (int k = 0; k < 9; ++k) p[k] = _mm512_broadcast_f32x8((__m256)f[0][k]);
  for (; g != end; g += 2 * pair, node += row_group, next += 2 * line) {
    const __m512 a = row_sums(g, p), b = row_sums(g + pair, p);
    const __m512 four = _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
    const auto add = [&](int k, __m128 value) {
      float* to = y + 4 * std::int64_t(node[k]);
      _mm_store_ps(to, _mm_add_ps(_mm_load_ps(to), value));
    };
    add(0, _mm512_castps512_ps128(four));
    add(1, _mm512_extractf32x4_ps(four, 1));
    add(2, _mm512_extractf32x4_ps(four, 2));
    add(3, _mm512_extractf32x4_ps(four, 3));
    _mm_prefetch(next, _MM_HINT_T0);
    _mm_prefetch(next + line, _MM_HINT_T0);
  }
}
#endif

template <class T>
void apply(const CellPart<T>& part, const Stress<T>& given, const T* x, T* y) {
  const CellPart<T> here = part;  // copies, which y cannot overwrite
  const Stress<T> stress = given;
  for (int b = 0; b < here.batches; ++b) {
    const Rows rows = rows_of(here, b);
    Vector<T> f[halves<T>][9];
    gather_batch(rows, x, f);
    for (int h = 0; h < halves<T>; ++h) stress_batch(here, b, stress, h, f[h]);
    scatter_batch(rows, f, y);
  }
}

/// Positions and strains in double precision, so that small strains keep their digits; what they pull with in
/// single.
void forces(const CellPart<double>& part, const Stress<double>& given, const double* x, float* y) {
  const CellPart<double> here = part;
  const Stress<double> stress = given;
  for (int b = 0; b < here.batches; ++b) {
    const Rows rows = rows_of(here, b);
    Vector<double> f[halves<double>][9];
    gather_batch(rows, x, f);
    alignas(64) float narrow[9 * lanes];
    for (int h = 0; h < halves<double>; ++h) {
      stress_batch(here, b, stress, h, f[h]);
      for (int k = 0; k < 9; ++k) store_narrow(f[h][k], narrow + k * lanes, h);
    }
    Vector<float> p[halves<float>][9];
    for (int h = 0; h < halves<float>; ++h)
      for (int k = 0; k < 9; ++k) p[h][k] = load(narrow + k * lanes, h);
    scatter_batch(rows, p, y);
  }
}

/// sum of w [ plus G:G + minus G:G^T + lambda (tr G)^2 ], G = R^T F: x^T times matrix times x, with half the
/// work of the product.
double curvature(const CellPart<float>& part, const Stress<float>& given, const float* x) {
  using V = Vector<float>;
  const CellPart<float> here = part;
  const Stress<float> s = given;
  V sum = {};
  for (int b = 0; b < here.batches; ++b) {
    V f[halves<float>][9];
    gather_batch(rows_of(here, b), x, f);
    for (int h = 0; h < halves<float>; ++h) {
      V r[9], m[9], t[9];
      rotation_batch<float>(here.quaternion + 4 * lanes * b, h, r);
      turn_back(r, f[h], m);
      stress_in_cell(s, m, t);
      V e = {};
      for (int k = 0; k < 9; ++k) e += m[k] * t[k];
      sum += load(here.weight + lanes * b, h) * e;
    }
  }
  double all = 0;
  for (int c = 0; c < Wide<float>::width; ++c) all += double(sum[c]);
  return all;
}

PLIANT_INLINE Vector<float> root(Vector<float> a) {
#if defined(__AVX2__)
  return (Vector<float>)_mm256_sqrt_ps((__m256)a);
#else
  for (int c = 0; c < Wide<float>::width; ++c) a[c] = __builtin_sqrtf(a[c]);
  return a;
#endif
}

int blend(const CellPart<float>& given, const float* q, float shortest, int cells) {
  using V = Vector<float>;
  const CellPart<float> part = given;
  decltype(V{} > V{}) blended = {};
  for (int b = 0; b < part.batches; ++b) {
    float* out = part.quaternion + 4 * lanes * b;
    for (int h = 0; h < halves<float>; ++h) {
      V sum[4] = {}, odd[4] = {};  // one sum would wait for its own last addition; rows come in fours
      const float* here = part.centre_value + lanes * std::int64_t(part.table[b]);
      for (std::int32_t r = part.begin[b]; r < part.begin[b + 1]; r += 2, here += 2 * lanes) {
        const float *v = q + 4 * std::int64_t(part.node[r]), *u = q + 4 * std::int64_t(part.node[r + 1]);
        const V value = load(here, h), next = load(here + lanes, h);
        for (int i = 0; i < 4; ++i) {
          sum[i] += v[i] * value;
          odd[i] += u[i] * next;
        }
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
