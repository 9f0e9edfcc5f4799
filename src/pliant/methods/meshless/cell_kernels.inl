// SPDX-License-Identifier: Apache-2.0
// See cell_kernels.hpp. Internal linkage, plain GCC vectors.
#include "pliant/methods/meshless/cell_kernels.hpp"

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

/// f[half][3 i + j] = F_ij of the cells.
template <class T>
PLIANT_INLINE void gather_batch(const CellPart<T>& part, std::int32_t begin, std::int32_t end, const T* x,
                                Vector<T> (*f)[9]) {
  for (int h = 0; h < halves<T>; ++h) {
    Vector<T> sum[9] = {};
    for (std::int32_t r = begin; r < end; ++r) {
      const T* g = part.gradient + 3 * lanes * std::int64_t(r);
      const T* v = x + 4 * std::int64_t(part.node[r]);
      const Vector<T> g0 = load(g, h), g1 = load(g + lanes, h), g2 = load(g + 2 * lanes, h);
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
    for (int k = 0; k < 9; ++k) f[h][k] = sum[k];
  }
}

/// Lanes of the quaternions as T.
PLIANT_INLINE Vector<float> widen(const float* q, int half, float) { return load(q, half); }
PLIANT_INLINE Vector<double> widen(const float* q, int half, double) {
  typedef float Narrow __attribute__((vector_size(4 * Wide<double>::width), may_alias));
  return __builtin_convertvector(reinterpret_cast<const Narrow*>(q)[half], Vector<double>);
}

/// From F to P in place. Any quaternion but zero makes an exact rotation.
template <class T>
PLIANT_INLINE void stress_batch(const float* quaternion, const T* weight, const Stress<T>& s, const T* flow,
                                int half, Vector<T>* f) {
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
  const V trace = s.lambda * (m[0] + m[4] + m[8]) - s.rest;
  // P = plus F + R ( minus M^T + trace I - flow )
  V t[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t[3 * i + j] = i == j ? s.minus * m[4 * i] + trace : s.minus * m[3 * j + i];
  if (flow) {
    constexpr int entry[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int i = 0; i < 9; ++i) t[i] -= load(flow + entry[i] * lanes, half);
  }
  const V w = load(weight, half);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      f[3 * i + j] =
          w * (s.plus * f[3 * i + j] + r[3 * i] * t[j] + r[3 * i + 1] * t[3 + j] + r[3 * i + 2] * t[6 + j]);
}

template <class T>
PLIANT_INLINE void scatter_batch(const CellPart<T>& part, std::int32_t begin, std::int32_t end,
                                 const Vector<T> (*p)[9], T* y) {
  for (std::int32_t r = begin; r < end; ++r) {
    const T* g = part.gradient + 3 * lanes * std::int64_t(r);
    Vector<T> sx = {}, sy = {}, sz = {};
    for (int h = 0; h < halves<T>; ++h) {
      const Vector<T> g0 = load(g, h), g1 = load(g + lanes, h), g2 = load(g + 2 * lanes, h);
      sx += p[h][0] * g0 + p[h][1] * g1 + p[h][2] * g2;
      sy += p[h][3] * g0 + p[h][4] * g1 + p[h][5] * g2;
      sz += p[h][6] * g0 + p[h][7] * g1 + p[h][8] * g2;
    }
    reinterpret_cast<Four<T>*>(y)[part.node[r]] += sums(sx, sy, sz);
  }
}

template <class T>
void apply(const CellPart<T>& part, const Stress<T>& stress, const T* x, T* y) {
  for (int b = 0; b < part.batches; ++b) {
    Vector<T> f[halves<T>][9];
    gather_batch(part, part.begin[b], part.begin[b + 1], x, f);
    for (int h = 0; h < halves<T>; ++h)
      stress_batch(part.quaternion + 4 * lanes * b, part.weight + lanes * b, stress,
                   part.flow ? part.flow + 6 * lanes * b : nullptr, h, f[h]);
    scatter_batch(part, part.begin[b], part.begin[b + 1], f, y);
  }
}

int blend(const CellPart<float>& part, const float* q, float shortest, int cells) {
  using V = Vector<float>;
  int kept = 0;
  for (int b = 0; b < part.batches; ++b) {
    float* out = part.quaternion + 4 * lanes * b;
    alignas(64) float sum[4][lanes], length[lanes];
    for (int h = 0; h < halves<float>; ++h) {
      V s0 = {}, s1 = {}, s2 = {}, s3 = {};
      for (std::int32_t r = part.begin[b]; r < part.begin[b + 1]; ++r) {
        const float* v = q + 4 * std::int64_t(part.node[r]);
        const V value = load(part.centre_value + lanes * std::int64_t(r), h);
        s0 += v[0] * value;
        s1 += v[1] * value;
        s2 += v[2] * value;
        s3 += v[3] * value;
      }
      const V squares = s0 * s0 + s1 * s1 + s2 * s2 + s3 * s3;
      const V all[4] = {s0, s1, s2, s3};
      for (int i = 0; i < 4; ++i) reinterpret_cast<V*>(sum[i])[h] = all[i];
      reinterpret_cast<V*>(length)[h] = squares;
    }
    for (int c = 0; c < lanes; ++c) length[c] = __builtin_sqrtf(length[c]);
    const int count = cells - b * lanes < lanes ? cells - b * lanes : lanes;
    for (int c = 0; c < count; ++c) {
      if (!(length[c] > shortest)) {
        ++kept;
        continue;
      }
      for (int i = 0; i < 4; ++i) out[i * lanes + c] = sum[i][c] / length[c];
    }
  }
  return kept;
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
