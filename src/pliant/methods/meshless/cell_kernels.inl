// SPDX-License-Identifier: Apache-2.0
// See cell_kernels.hpp. Internal linkage, plain GCC vectors.
#include "pliant/methods/meshless/cell_kernels.hpp"

namespace pliant::meshless {
namespace {

template <class T>
struct Four;
template <>
struct Four<float> {
  typedef float type __attribute__((vector_size(16), may_alias));
};
template <>
struct Four<double> {
  typedef double type __attribute__((vector_size(32), may_alias));
};

/// Deformation gradients of the batch: f[3 i + j][lane] = F_ij.
template <class T>
inline void gather_batch(const CellPart<T>& part, int first, int count, const T* x, T (*f)[lanes]) {
  typedef typename Four<T>::type V;
  const V* nodes = reinterpret_cast<const V*>(x);
  for (int c = 0; c < count; ++c) {
    const std::int32_t begin = part.begin[first + c], end = part.begin[first + c + 1];
    const T* g = part.gradient + 3 * std::int64_t(begin);
    // Two sums each: one would wait for its own last addition.
    V f0 = {}, f1 = {}, f2 = {}, e0 = {}, e1 = {}, e2 = {};
    std::int32_t k = begin;
    for (; k + 1 < end; k += 2, g += 6) {
      const V v = nodes[part.node[k]], u = nodes[part.node[k + 1]];
      f0 += v * g[0];
      f1 += v * g[1];
      f2 += v * g[2];
      e0 += u * g[3];
      e1 += u * g[4];
      e2 += u * g[5];
    }
    if (k < end) {
      const V v = nodes[part.node[k]];
      f0 += v * g[0];
      f1 += v * g[1];
      f2 += v * g[2];
    }
    f0 += e0, f1 += e1, f2 += e2;
    for (int i = 0; i < 3; ++i) {
      f[3 * i][c] = f0[i];
      f[3 * i + 1][c] = f1[i];
      f[3 * i + 2][c] = f2[i];
    }
  }
  for (int c = count; c < lanes; ++c)
    for (int i = 0; i < 9; ++i) f[i][c] = 0;
}

/// From F to P in place, sixteen cells side by side. Any quaternion but zero makes an exact rotation.
template <class T>
inline void stress_batch(const float* q, const T* weight, int count, const Stress<T>& s, const T* flow,
                         T (*f)[lanes]) {
  T r[9][lanes], m[9][lanes], w[lanes];
  for (int c = 0; c < lanes; ++c) w[c] = c < count ? weight[c] : T(0);
  for (int c = 0; c < lanes; ++c) {
    const T a = q[c], b = q[lanes + c], d = q[2 * lanes + c], e = q[3 * lanes + c];
    const T two = T(2) / (a * a + b * b + d * d + e * e);
    r[0][c] = 1 - two * (d * d + e * e), r[1][c] = two * (b * d - a * e), r[2][c] = two * (b * e + a * d);
    r[3][c] = two * (b * d + a * e), r[4][c] = 1 - two * (b * b + e * e), r[5][c] = two * (d * e - a * b);
    r[6][c] = two * (b * e - a * d), r[7][c] = two * (d * e + a * b), r[8][c] = 1 - two * (b * b + d * d);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int c = 0; c < lanes; ++c)
        m[3 * i + j][c] = r[i][c] * f[j][c] + r[3 + i][c] * f[3 + j][c] + r[6 + i][c] * f[6 + j][c];
  T trace[lanes];
  for (int c = 0; c < lanes; ++c) trace[c] = s.lambda * (m[0][c] + m[4][c] + m[8][c]) - s.rest;
  // P = plus F + R ( minus M^T + trace I - flow )
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      for (int c = 0; c < lanes; ++c) {
        const T upper = m[3 * i + j][c];
        m[3 * i + j][c] = s.minus * m[3 * j + i][c];
        m[3 * j + i][c] = s.minus * upper;
      }
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < lanes; ++c) m[4 * i][c] = s.minus * m[4 * i][c] + trace[c];
  if (flow) {
    constexpr int entry[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int i = 0; i < 9; ++i)
      for (int c = 0; c < lanes; ++c) m[i][c] -= flow[entry[i] * lanes + c];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int c = 0; c < lanes; ++c)
        f[3 * i + j][c] = w[c] * (s.plus * f[3 * i + j][c] + r[3 * i][c] * m[j][c] +
                                  r[3 * i + 1][c] * m[3 + j][c] + r[3 * i + 2][c] * m[6 + j][c]);
}

template <class T>
inline void scatter_batch(const CellPart<T>& part, int first, int count, const T (*p)[lanes], T* y) {
  typedef typename Four<T>::type V;
  V* nodes = reinterpret_cast<V*>(y);
  for (int c = 0; c < count; ++c) {
    const std::int32_t begin = part.begin[first + c], end = part.begin[first + c + 1];
    const T* g = part.gradient + 3 * std::int64_t(begin);
    const V p0 = {p[0][c], p[3][c], p[6][c], 0}, p1 = {p[1][c], p[4][c], p[7][c], 0},
            p2 = {p[2][c], p[5][c], p[8][c], 0};
    for (std::int32_t k = begin; k < end; ++k, g += 3)
      nodes[part.node[k]] += p0 * g[0] + p1 * g[1] + p2 * g[2];
  }
}

template <class T>
void apply(const CellPart<T>& part, const Stress<T>& stress, const T* x, T* y) {
  alignas(64) T f[9][lanes];
  for (int first = 0; first < part.cells; first += lanes) {
    const int count = part.cells - first < lanes ? part.cells - first : lanes;
    gather_batch(part, first, count, x, f);
    stress_batch(part.quaternion + 4 * first, part.weight + first, count, stress,
                 part.flow ? part.flow + 6 * first : nullptr, f);
    scatter_batch(part, first, count, f, y);
  }
}

int blend(const CellPart<float>& part, const float* q, float shortest) {
  typedef Four<float>::type V;
  const V* nodes = reinterpret_cast<const V*>(q);
  int kept = 0;
  for (int first = 0; first < part.cells; first += lanes) {
    const int count = part.cells - first < lanes ? part.cells - first : lanes;
    float* out = part.quaternion + 4 * first;
    for (int c = 0; c < count; ++c) {
      V sum = {};
      for (std::int32_t k = part.begin[first + c]; k < part.begin[first + c + 1]; ++k)
        sum += nodes[part.node[k]] * part.centre_value[k];
      const V squares = sum * sum;
      const float length = __builtin_sqrtf(squares[0] + squares[1] + squares[2] + squares[3]);
      if (!(length > shortest)) {
        ++kept;
        continue;
      }
      sum /= length;
      for (int i = 0; i < 4; ++i) out[i * lanes + c] = sum[i];
    }
  }
  return kept;
}

void diffuse(const float* influence, int samples, const float* q_samples, float* q, int first, int last) {
  typedef Four<float>::type V;
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
