// SPDX-License-Identifier: Apache-2.0
// The kernels of step_kernels.hpp; see base/simd.hpp for how such a file is written.
//
// Positions come in double and only their differences are rounded: a stiff body feels 1e-7 of an edge, not
// 1e-7 of its distance from the origin.

#include "pliant/math/rotation_kernels.inl"
#include "pliant/methods/geometric/step_kernels.hpp"

namespace pliant::geometric {
namespace {

using rotation_lanes::Lanes;
using rotation_lanes::width;

typedef float Quad __attribute__((vector_size(16), may_alias));
typedef double Quad64 __attribute__((vector_size(32), may_alias, aligned(32)));
typedef int Quad_index __attribute__((vector_size(16)));

inline Quad load(const float* p) { return *reinterpret_cast<const Quad*>(p); }
inline void store(float* p, Quad q) { *reinterpret_cast<Quad*>(p) = q; }
inline Lanes& at(float* p) { return *reinterpret_cast<Lanes*>(p); }
inline Lanes at(const float* p) { return *reinterpret_cast<const Lanes*>(p); }

/// Four vectors of x, y, z, 0 to three vectors of four x, y, z (and back: the operation is its own inverse).
inline void transpose(Quad& a, Quad& b, Quad& c, Quad& d) {
  const Quad ab_low = __builtin_shuffle(a, b, Quad_index{0, 4, 1, 5});
  const Quad ab_high = __builtin_shuffle(a, b, Quad_index{2, 6, 3, 7});
  const Quad cd_low = __builtin_shuffle(c, d, Quad_index{0, 4, 1, 5});
  const Quad cd_high = __builtin_shuffle(c, d, Quad_index{2, 6, 3, 7});
  a = __builtin_shuffle(ab_low, cd_low, Quad_index{0, 1, 4, 5});
  b = __builtin_shuffle(ab_low, cd_low, Quad_index{2, 3, 6, 7});
  c = __builtin_shuffle(ab_high, cd_high, Quad_index{0, 1, 4, 5});
  d = __builtin_shuffle(ab_high, cd_high, Quad_index{2, 3, 6, 7});
}

/// Sixteen nodes with the columns of a 3x3 in their first three quads, to row-major entries side by side.
inline void to_lanes(const float (*node)[16], float (*entry)[16]) {
  for (int column = 0; column < 3; ++column)
    for (int lane = 0; lane < lanes; lane += 4) {
      Quad a = load(node[lane] + 4 * column), b = load(node[lane + 1] + 4 * column);
      Quad c = load(node[lane + 2] + 4 * column), d = load(node[lane + 3] + 4 * column);
      transpose(a, b, c, d);
      store(entry[column] + lane, a);
      store(entry[3 + column] + lane, b);
      store(entry[6 + column] + lane, c);
    }
}

/// And back, into the tensors of a batch.
inline void to_nodes(const float (*entry)[16], float* tensor) {
  for (int column = 0; column < 3; ++column)
    for (int lane = 0; lane < lanes; lane += 4) {
      Quad a = load(entry[column] + lane), b = load(entry[3 + column] + lane);
      Quad c = load(entry[6 + column] + lane), d = {};
      transpose(a, b, c, d);
      float* out = tensor + 16 * lane + 4 * column;
      store(out, a);
      store(out + 16, b);
      store(out + 32, c);
      store(out + 48, d);
    }
}

#if defined(__AVX512F__)
/// x, y, z, w to xxxx yyyy zzzz wwww.
inline __m512 spread(const float* p) {
  const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  return _mm512_maskz_permutexvar_ps(0xffff, each, _mm512_castps128_ps512(_mm_load_ps(p)));
}
/// The same with 1 for w.
inline __m512 spread_three(const float* p) {
  const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  return _mm512_mask_permutexvar_ps(_mm512_set1_ps(1), 0x0fff, each, _mm512_castps128_ps512(_mm_load_ps(p)));
}
inline __m512 repeat(Quad q) { return _mm512_maskz_broadcast_f32x4(0xffff, (__m128)q); }
inline Quad sum_of_quads(__m512 v) {
  const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_maskz_extractf32x8_ps(0xff, v, 1));
  return (Quad)_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
}
#endif

/// x_j - x_i, of positions in double or of vectors in single precision.
struct Positions {
  const double* x;
  struct Own {
    Quad64 value;
  };
  Own own(int i) const { return {*reinterpret_cast<const Quad64*>(x + 4 * i)}; }
  Quad minus(int j, const Own& o) const {
    return __builtin_convertvector(*reinterpret_cast<const Quad64*>(x + 4 * j) - o.value, Quad);
  }
};
struct Vectors {
  const float* x;
  struct Own {
    Quad value;
  };
  Own own(int i) const { return {load(x + 4 * i)}; }
  Quad minus(int j, const Own& o) const { return load(x + 4 * j) - o.value; }
};

/// The star of node i: out = columns of sum_j c r_ij-weighted differences, then sum_j a (x_j - x_i). Returns
/// the plain sum of the differences when the body has Laplacian rows.
template <bool with_laplacian, class Field>
inline Quad sum_star(const SweepArrays& s, const float* coefficients, const Field& field, int i, float* out) {
  const auto own = field.own(i);
  const int end = s.begin[i + 1];
  Quad plain = {};
#if defined(__AVX512F__)
  __m512 sum = _mm512_setzero_ps();
  for (int k = s.begin[i]; k < end; ++k) {
    const Quad e = field.minus(s.target[k], own);
    sum = _mm512_fmadd_ps(spread(coefficients + 4 * k), repeat(e), sum);
    if constexpr (with_laplacian) plain += e;
  }
  _mm512_store_ps(out, sum);
#else
  Quad c0 = {}, c1 = {}, c2 = {}, c3 = {};
  for (int k = s.begin[i]; k < end; ++k) {
    const Quad e = field.minus(s.target[k], own);
    const float* c = coefficients + 4 * k;
    c0 += c[0] * e;
    c1 += c[1] * e;
    c2 += c[2] * e;
    c3 += c[3] * e;
    if constexpr (with_laplacian) plain += e;
  }
  store(out, c0);
  store(out + 4, c1);
  store(out + 8, c2);
  store(out + 12, c3);
#endif
  return plain;
}

inline void add_laplacian_row(const SweepArrays& s, int i, Quad mean, float* star) {
  const float* d = s.laplacian + 4 * i;
  for (int k = 0; k < 3; ++k) store(star + 4 * k, load(star + 4 * k) + (s.laplacian_weight * d[k]) * mean);
}

/// The last quad of the tensor: lambda (pull_scale l - T d)/|N|, T already scaled.
inline void store_laplacian_row(const SweepArrays& s, int i, Quad mean, float pull_scale) {
  const float* d = s.laplacian + 4 * i;
  float* t = s.tensor + 16 * i;
  const Quad turned = load(t) * d[0] + load(t + 4) * d[1] + load(t + 8) * d[2];
  store(t + 12, (s.laplacian_weight * d[3]) * (pull_scale * mean - turned));
}

template <bool with_laplacian, bool renew>
void rotate_batches(const SweepArrays& s, const double* x, float scale, int first, int last) {
  const Positions field{x};
  for (int b = first; b < last; ++b) {
    alignas(64) float star[lanes][16], a[9][16];
    alignas(16) float mean[lanes][4];
    for (int lane = 0; lane < lanes; ++lane) {
      const int i = lanes * b + lane;
      const Quad plain = sum_star<with_laplacian>(s, s.star, field, i, star[lane]);
      store(s.pull + 4 * i, (-2 * scale) * load(star[lane] + 12));
      if constexpr (with_laplacian) {
        store(mean[lane], plain * s.laplacian[4 * i + 3]);
        if (s.laplacian_turns) add_laplacian_row(s, i, load(mean[lane]), star[lane]);
      }
    }
    float(*r)[16] = reinterpret_cast<float(*)[16]>(s.rotation + 9 * lanes * b);
    if constexpr (renew) {
      float(*q)[16] = reinterpret_cast<float(*)[16]>(s.quaternion + 4 * lanes * b);
      to_lanes(star, a);
      const unsigned unfinished = rotation_lanes::nearest16({a, q, r}, 2);
      if (unfinished) s.finish(a, q, r, unfinished);
    }
    for (int k = 0; k < 9; ++k)
      for (int lane = 0; lane < lanes; lane += width) at(a[k] + lane) = scale * at(r[k] + lane);
    to_nodes(a, s.tensor + 16 * lanes * b);
    if constexpr (with_laplacian)
      for (int lane = 0; lane < lanes; ++lane)
        store_laplacian_row(s, lanes * b + lane, load(mean[lane]), scale);
  }
}

void rotate(const SweepArrays& s, const double* x, float scale, int first, int last) {
  s.laplacian ? rotate_batches<true, true>(s, x, scale, first, last)
              : rotate_batches<false, true>(s, x, scale, first, last);
}
void stretch(const SweepArrays& s, const double* x, float scale, int first, int last) {
  s.laplacian ? rotate_batches<true, false>(s, x, scale, first, last)
              : rotate_batches<false, false>(s, x, scale, first, last);
}

/// w = J axial(R^T dA) and dA <- scale R [w]x for 16 nodes.
inline void turn_lanes(const float* rotation, const float* slew, float scale, float (*a)[16], float* turn) {
  for (int lane = 0; lane < lanes; lane += width) {
    Lanes r[9], d[9], j[6];
    for (int k = 0; k < 9; ++k) r[k] = at(rotation + lanes * k + lane);
    for (int k = 0; k < 9; ++k) d[k] = at(a[k] + lane);
    for (int k = 0; k < 6; ++k) j[k] = at(slew + lanes * k + lane);
    const auto b = [&](int row, int column) { return rotation_lanes::rotated_back(r, d, row, column); };
    const Lanes t0 = b(2, 1) - b(1, 2), t1 = b(0, 2) - b(2, 0), t2 = b(1, 0) - b(0, 1);
    Lanes w0 = j[0] * t0 + j[1] * t1 + j[2] * t2;
    Lanes w1 = j[1] * t0 + j[3] * t1 + j[4] * t2;
    Lanes w2 = j[2] * t0 + j[4] * t1 + j[5] * t2;
    at(turn + lane) = w0;
    at(turn + lanes + lane) = w1;
    at(turn + 2 * lanes + lane) = w2;
    w0 *= scale;
    w1 *= scale;
    w2 *= scale;
    for (int row = 0; row < 9; row += 3) {
      at(a[row] + lane) = w2 * r[row + 1] - w1 * r[row + 2];
      at(a[row + 1] + lane) = w0 * r[row + 2] - w2 * r[row];
      at(a[row + 2] + lane) = w1 * r[row] - w0 * r[row + 1];
    }
  }
}

template <bool with_laplacian>
void turn_batches(const SweepArrays& s, const float* p, float pull_scale, float turn_scale, int first,
                  int last) {
  const Vectors field{p};
  for (int b = first; b < last; ++b) {
    alignas(64) float star[lanes][16], a[9][16];
    alignas(16) float mean[lanes][4];
    for (int lane = 0; lane < lanes; ++lane) {
      const int i = lanes * b + lane;
      const Quad plain = sum_star<with_laplacian>(s, s.row, field, i, star[lane]);
      store(s.pull + 4 * i, (-2 * pull_scale) * load(star[lane] + 12));
      if constexpr (with_laplacian) {
        store(mean[lane], plain * s.laplacian[4 * i + 3]);
        add_laplacian_row(s, i, load(mean[lane]), star[lane]);
      }
    }
    to_lanes(star, a);
    turn_lanes(s.rotation + 9 * lanes * b, s.slew + 6 * lanes * b, turn_scale, a, s.turn + 3 * lanes * b);
    to_nodes(a, s.tensor + 16 * lanes * b);
    if constexpr (with_laplacian)
      for (int lane = 0; lane < lanes; ++lane)
        store_laplacian_row(s, lanes * b + lane, load(mean[lane]), pull_scale);
  }
}

void turn(const SweepArrays& s, const float* p, float pull_scale, float turn_scale, int first, int last) {
  s.laplacian ? turn_batches<true>(s, p, pull_scale, turn_scale, first, last)
              : turn_batches<false>(s, p, pull_scale, turn_scale, first, last);
}

/// T_i s_i + sum_j T_j a_ij r_ij, and sum_j y_j - |N(i)| y_i of the Laplacian rows in the last quad.
inline Quad sum_rows(const SweepArrays& s, int i) {
  const int end = s.begin[i + 1];
#if defined(__AVX512F__)
  __m512 sum = _mm512_mul_ps(spread(s.edge_sum + 4 * i), _mm512_load_ps(s.tensor + 16 * i));
  for (int k = s.begin[i]; k < end; ++k)
    sum = _mm512_fmadd_ps(spread_three(s.row + 4 * k), _mm512_load_ps(s.tensor + 16 * s.target[k]), sum);
  return sum_of_quads(sum);
#else
  const float* c = s.edge_sum + 4 * i;
  const float* t = s.tensor + 16 * i;
  Quad sum = c[0] * load(t) + c[1] * load(t + 4) + c[2] * load(t + 8) + c[3] * load(t + 12);
  for (int k = s.begin[i]; k < end; ++k) {
    c = s.row + 4 * k;
    t = s.tensor + 16 * s.target[k];
    sum += c[0] * load(t) + c[1] * load(t + 4) + c[2] * load(t + 8) + load(t + 12);
  }
  return sum;
#endif
}

double collect(const SweepArrays& s, const float* base, const float* diagonal, const float* u, float* out,
               int begin, int end) {
  Quad64 dot = {};
  for (int i = begin; i < end; ++i) {
    Quad value = sum_rows(s, i) + load(s.pull + 4 * i);
    if (base) value += load(base + 4 * i);
    const Quad own = u ? load(u + 4 * i) : Quad{};
    if (diagonal) value += diagonal[i] * own;
    store(out + 4 * i, value);
    dot += __builtin_convertvector(value, Quad64) * __builtin_convertvector(own, Quad64);
  }
  return dot[0] + dot[1] + dot[2];
}

void add(float s, const float* __restrict x, float* __restrict y, int begin, int end) {
  for (int i = begin; i < end; ++i) y[i] += s * x[i];
}

void redirect(float s, float* __restrict p, const float* __restrict z, int begin, int end) {
  for (int i = begin; i < end; ++i) p[i] = s * p[i] - z[i];
}

double dot(const float* a, const float* b, int begin, int end) {
  Quad64 sum = {};
  for (int i = begin; i < end; i += 4)
    sum += __builtin_convertvector(load(a + i), Quad64) * __builtin_convertvector(load(b + i), Quad64);
  return sum[0] + sum[1] + sum[2] + sum[3];
}

float largest_turn(const float* turn, int first, int last) {
  Lanes most = {};
  for (int b = first; b < last; ++b)
    for (int lane = 0; lane < lanes; lane += width) {
      const float* t = turn + 3 * lanes * b + lane;
      const Lanes x = at(t), y = at(t + lanes), z = at(t + 2 * lanes);
      most = rotation_lanes::larger(most, x * x + y * y + z * z);
    }
  float out = 0;
  for (int k = 0; k < width; ++k) out = most[k] > out ? most[k] : out;
  return out;
}

constexpr StepKernels make_step_kernels() {
  return {rotate, stretch, turn, collect, add, redirect, dot, largest_turn};
}

}  // namespace
}  // namespace pliant::geometric
