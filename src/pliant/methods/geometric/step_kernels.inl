// SPDX-License-Identifier: Apache-2.0
// The kernels of step_kernels.hpp; see base/simd.hpp for how such a file is written.
//
// Positions come in double and only their differences are rounded: a stiff body feels 1e-7 of an edge, not
// 1e-7 of its distance from the origin.

#include "pliant/math/four_rows.inl"
#include "pliant/math/rotation_kernels.inl"
#include "pliant/methods/geometric/step_kernels.hpp"

namespace pliant::geometric {
namespace {

using four_rows::Four;
using rotation_lanes::Lanes;
using rotation_lanes::width;

typedef float Quad __attribute__((vector_size(16), may_alias));
typedef double Quad64 __attribute__((vector_size(32), may_alias, aligned(32)));

inline Quad load(const float* p) { return *reinterpret_cast<const Quad*>(p); }
inline void store(float* p, Quad q) { *reinterpret_cast<Quad*>(p) = q; }
inline Lanes& at(float* p) { return *reinterpret_cast<Lanes*>(p); }
inline Lanes at(const float* p) { return *reinterpret_cast<const Lanes*>(p); }

/// Four quads as the rows of a 4x4 matrix, transposed.
inline void transpose(Quad& a, Quad& b, Quad& c, Quad& d) {
  const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// Numbers of 16 nodes: [node][16] to [number][16] or back; to_lanes may leave out quads beyond the given
// count.
#if defined(__AVX512F__)
/// The 4 x 4 numbers of each of the four quads of four rows, transposed.
inline void transpose_quads(__m512 (&r)[4]) {
  const __m512d ab_low = (__m512d)_mm512_maskz_unpacklo_ps(0xffff, r[0], r[1]);
  const __m512d ab_high = (__m512d)_mm512_maskz_unpackhi_ps(0xffff, r[0], r[1]);
  const __m512d cd_low = (__m512d)_mm512_maskz_unpacklo_ps(0xffff, r[2], r[3]);
  const __m512d cd_high = (__m512d)_mm512_maskz_unpackhi_ps(0xffff, r[2], r[3]);
  r[0] = (__m512)_mm512_maskz_unpacklo_pd(0xff, ab_low, cd_low);
  r[1] = (__m512)_mm512_maskz_unpackhi_pd(0xff, ab_low, cd_low);
  r[2] = (__m512)_mm512_maskz_unpacklo_pd(0xff, ab_high, cd_high);
  r[3] = (__m512)_mm512_maskz_unpackhi_pd(0xff, ab_high, cd_high);
}
/// Quads come together by loads, which leaves half the shuffles: one port of the processor has them all.
inline void to_lanes(const float (*node)[16], float (*entry)[16], int quads) {
  static constexpr int fourth[4] = {0, 4 * 16, 8 * 16, 12 * 16};  // every fourth node
  for (int quad = 0; quad < quads; ++quad) {
    __m512 row[4];
    for (int k = 0; k < 4; ++k) row[k] = Four::gather(node[k] + 4 * quad, fourth).value;
    transpose_quads(row);
    for (int k = 0; k < 4; ++k) _mm512_store_ps(entry[4 * quad + k], row[k]);
  }
}
/// 4 x 4 inside the quads, then the quads.
inline void to_nodes(const float (*entry)[16], float* node) {
  __m512 quad[4][4];  // [group of four entries][number in its quad]
  for (int group = 0; group < 4; ++group) {
    for (int k = 0; k < 4; ++k) quad[group][k] = _mm512_load_ps(entry[4 * group + k]);
    transpose_quads(quad[group]);
  }
  for (int k = 0; k < 4; ++k) {
    const __m512 even_low = _mm512_maskz_shuffle_f32x4(0xffff, quad[0][k], quad[1][k], 0x88);
    const __m512 odd_low = _mm512_maskz_shuffle_f32x4(0xffff, quad[0][k], quad[1][k], 0xdd);
    const __m512 even_high = _mm512_maskz_shuffle_f32x4(0xffff, quad[2][k], quad[3][k], 0x88);
    const __m512 odd_high = _mm512_maskz_shuffle_f32x4(0xffff, quad[2][k], quad[3][k], 0xdd);
    _mm512_store_ps(node + 16 * k, _mm512_maskz_shuffle_f32x4(0xffff, even_low, even_high, 0x88));
    _mm512_store_ps(node + 16 * (4 + k), _mm512_maskz_shuffle_f32x4(0xffff, odd_low, odd_high, 0x88));
    _mm512_store_ps(node + 16 * (8 + k), _mm512_maskz_shuffle_f32x4(0xffff, even_low, even_high, 0xdd));
    _mm512_store_ps(node + 16 * (12 + k), _mm512_maskz_shuffle_f32x4(0xffff, odd_low, odd_high, 0xdd));
  }
}
#else
inline void to_lanes(const float (*node)[16], float (*entry)[16], int quads) {
  for (int quad = 0; quad < quads; ++quad)
    for (int lane = 0; lane < lanes; lane += 4) {
      Quad a = load(node[lane] + 4 * quad), b = load(node[lane + 1] + 4 * quad);
      Quad c = load(node[lane + 2] + 4 * quad), d = load(node[lane + 3] + 4 * quad);
      transpose(a, b, c, d);
      store(entry[4 * quad] + lane, a);
      store(entry[4 * quad + 1] + lane, b);
      store(entry[4 * quad + 2] + lane, c);
      store(entry[4 * quad + 3] + lane, d);
    }
}
inline void to_nodes(const float (*entry)[16], float* node) {
  for (int quad = 0; quad < 4; ++quad)
    for (int lane = 0; lane < lanes; lane += 4) {
      Quad a = load(entry[4 * quad] + lane), b = load(entry[4 * quad + 1] + lane);
      Quad c = load(entry[4 * quad + 2] + lane), d = load(entry[4 * quad + 3] + lane);
      transpose(a, b, c, d);
      float* out = node + 16 * lane + 4 * quad;
      store(out, a);
      store(out + 16, b);
      store(out + 32, c);
      store(out + 48, d);
    }
}
#endif

// Sixteen numbers of one node as four quads. A product with a quad multiplies each of them.
#if defined(__AVX512F__)
struct Sixteen {
  __m512 value = _mm512_setzero_ps();

  static Sixteen at(const float* p) { return {_mm512_load_ps(p)}; }
  void store_to(float* p) const { _mm512_store_ps(p, value); }
  /// + (c x, c y, c z, with_fourth ? fourth e : 0) for e = (x, y, z, 0).
  template <bool with_fourth>
  void add_outer(Quad e, const float* c, float fourth) {
    const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 1, 2, 3);
    const __m512 spread = _mm512_maskz_permutexvar_ps(0xffff, each, _mm512_zextps128_ps512((__m128)e));
    value = _mm512_fmadd_ps(spread, with_fourth ? replace_fourth(c, fourth) : four_times(c), value);
  }
  /// + s * c for each quad of s; with_laplacian: `fourth` in place of the last number of c.
  template <bool with_laplacian>
  void add_product(const float* s, const float* c, float fourth) {
    __m512 factor = four_times(c);
    if constexpr (with_laplacian) factor = _mm512_mask_blend_ps(0x8888, factor, _mm512_set1_ps(fourth));
    value = _mm512_fmadd_ps(_mm512_load_ps(s), factor, value);
  }
  /// Sums of the first three quads, 0, of four.
  static Four row_sums(const Sixteen* v) {
    const __m512 low = pair_sums(v[0].value, v[1].value), high = pair_sums(v[2].value, v[3].value);
    const __m512i turned = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return {_mm512_maskz_permutexvar_ps(0x7777, turned, pair_sums(low, high))};
  }
  /// 0 + 1, 2 + 3 of the quads of a, then of b.
  static __m512 pair_sums(__m512 a, __m512 b) {
    return _mm512_maskz_shuffle_ps(0xffff, a, b, 0x88) + _mm512_maskz_shuffle_ps(0xffff, a, b, 0xdd);
  }
#if defined(__SANITIZE_ADDRESS__)  // g++ 12 breaks down on the instruction in a sanitized build
  static __m512 four_times(const float* c) {
    const __m128 q = _mm_load_ps(c);
    return __builtin_shufflevector(q, q, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
  }
#else
  static __m512 four_times(const float* c) { return _mm512_maskz_broadcast_f32x4(0xffff, _mm_load_ps(c)); }
#endif
  static __m512 replace_fourth(const float* c, float fourth) {
    return _mm512_mask_broadcast_f32x4(_mm512_set1_ps(fourth), 0x0fff, _mm_load_ps(c));
  }
};
#else
struct Sixteen {
  Quad value[4] = {};

  static Sixteen at(const float* p) { return {{load(p), load(p + 4), load(p + 8), load(p + 12)}}; }
  void store_to(float* p) const {
    for (int k = 0; k < 4; ++k) store(p + 4 * k, value[k]);
  }
  template <bool with_fourth>
  void add_outer(Quad e, const float* c, float fourth) {
    const Quad coefficients = load(c);
    value[0] += __builtin_shufflevector(e, e, 0, 0, 0, 0) * coefficients;
    value[1] += __builtin_shufflevector(e, e, 1, 1, 1, 1) * coefficients;
    value[2] += __builtin_shufflevector(e, e, 2, 2, 2, 2) * coefficients;
    if constexpr (with_fourth) value[3] += fourth * e;
  }
  template <bool with_laplacian>
  void add_product(const float* s, const float* c, float fourth) {
    Quad factor = load(c);
    if constexpr (with_laplacian) factor[3] = fourth;
    for (int k = 0; k < 3; ++k) value[k] += load(s + 4 * k) * factor;
  }
  static Four row_sums(const Sixteen* v) {
    Four out;
    for (int n = 0; n < 4; ++n) {
      Quad a = v[n].value[0], b = v[n].value[1], c = v[n].value[2], d = {};
      transpose(a, b, c, d);
      out.value[n] = (a + b) + (c + d);
    }
    return out;
  }
};
#endif

/// x_j - x_i, of positions in double or of vectors in single precision.
struct Positions {
  typedef Quad64 Own;
  const double* x;
  Own own(int i) const { return *reinterpret_cast<const Quad64*>(x + 4 * i); }
  Quad minus(int j, const Own& o) const { return __builtin_convertvector(own(j) - o, Quad); }
};
struct Vectors {
  typedef Quad Own;
  const float* x;
  Own own(int i) const { return load(x + 4 * i); }
  Quad minus(int j, const Own& o) const { return own(j) - o; }
};

/// The stars of a batch: per node the rows of sum_j (x_j - x_i)(c r_ij, a)^T and, for Laplacian rows, the
/// sum of c_ij (x_j - x_i), or (squares) that of a (x_j - x_i)^2 by coordinate. All nodes of a batch have the
/// same number of edges (empty ones fill up), so that two of them run side by side and no loop ends by
/// surprise.
template <bool with_laplacian, bool squares = false, class Field>
inline void sum_stars(const SweepArrays& s, const float* coefficients, const Field& field, int batch,
                      float (*star)[16]) {
  const int count = s.begin[lanes * batch + 1] - s.begin[lanes * batch];
  for (int lane = 0; lane < lanes; lane += 2) {
    const int i = lanes * batch + lane;
    const typename Field::Own one = field.own(i), two = field.own(i + 1);
    const int* target = s.target + s.begin[i];
    const float* c = coefficients + 4 * static_cast<long>(s.begin[i]);
    const float* share = with_laplacian ? s.laplacian_share + s.begin[i] : nullptr;
    Sixteen sum_one, sum_two;
    Quad square_one = {}, square_two = {};
    for (int k = 0; k < count; ++k) {
      const Quad e_one = field.minus(target[k], one), e_two = field.minus(target[count + k], two);
      sum_one.add_outer<with_laplacian>(e_one, c + 4 * k, with_laplacian ? share[k] : 0);
      sum_two.add_outer<with_laplacian>(e_two, c + 4 * (count + k), with_laplacian ? share[count + k] : 0);
      if constexpr (squares) {
        const float* weight = s.weight + s.begin[i] + k;
        square_one += (weight[0] * e_one) * e_one;
        square_two += (weight[count] * e_two) * e_two;
      }
    }
    sum_one.store_to(star[lane]);
    sum_two.store_to(star[lane + 1]);
    if constexpr (squares) store(star[lane] + 12, square_one), store(star[lane + 1] + 12, square_two);
  }
}

// Numbers of a star side by side: row r of the matrix at 4 r .. 4 r + 2, of the pull at 4 r + 3, the sum of
// c (x_j - x_i) at 12 .. 14. The tensor of a node: row r of T at 4 r .. 4 r + 2, of the Laplacian row at 4 r
// + 3, the pull at 12 .. 14.

/// matrix += lambda l d^T.
inline void add_laplacian_rows(const SweepArrays& s, int batch, float (*e)[16]) {
  const float* d = s.laplacian + 4 * lanes * batch;
  for (int lane = 0; lane < lanes; lane += width) {
    const Lanes scale = s.laplacian_weight * at(d + 3 * lanes + lane);
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        at(e[4 * row + column] + lane) += scale * at(e[12 + row] + lane) * at(d + lanes * column + lane);
  }
}

/// The tensors of a batch: T (16 lanes of 9), lambda scale (pull_scale l - T d) and -2 pull_scale pull.
template <bool with_laplacian>
inline void store_tensors(const SweepArrays& s, int batch, const float (*t)[16], float pull_scale,
                          const float (*e)[16]) {
  alignas(64) float out[16][16];
  for (int lane = 0; lane < lanes; lane += width) {
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column)
        at(out[4 * row + column] + lane) = at(t[3 * row + column] + lane);
      at(out[12 + row] + lane) = (-2 * pull_scale) * at(e[4 * row + 3] + lane);
      if constexpr (with_laplacian) {
        const float* d = s.laplacian + 4 * lanes * batch + lane;
        const Lanes turned = at(t[3 * row] + lane) * at(d) + at(t[3 * row + 1] + lane) * at(d + lanes) +
                             at(t[3 * row + 2] + lane) * at(d + 2 * lanes);
        const Lanes own = at(d + 3 * lanes);
        at(out[4 * row + 3] + lane) =
            s.laplacian_weight * own * (pull_scale * own * at(e[12 + row] + lane) - turned);
      } else {
        at(out[4 * row + 3] + lane) = Lanes{};
      }
    }
    at(out[15] + lane) = Lanes{};
  }
  to_nodes(out, s.tensor + 16 * lanes * static_cast<long>(batch));
}

inline float (*rows_of(float* array, int numbers, int batch))[16] {
  return reinterpret_cast<float(*)[16]>(array + numbers * lanes * static_cast<long>(batch));
}

/// Rotations of one or two batches from the matrices in e.
inline void renew_rotations(const SweepArrays& s, int batch, bool two, float (*e)[16][16]) {
  alignas(64) float a[2][9][16];
  for (int b = 0; b <= int(two); ++b)
    for (int k = 0; k < 9; ++k)
      for (int lane = 0; lane < lanes; lane += width)
        at(a[b][k] + lane) = at(e[b][4 * (k / 3) + k % 3] + lane);
  const rotation_lanes::Sixteen low{a[0], rows_of(s.quaternion, 4, batch), rows_of(s.rotation, 9, batch)};
  if (!two) {
    const unsigned rest = rotation_lanes::nearest16(low, 2);
    if (rest) s.finish(low.a, low.q, low.r, rest);
    return;
  }
  const rotation_lanes::Sixteen high{a[1], rows_of(s.quaternion, 4, batch + 1),
                                     rows_of(s.rotation, 9, batch + 1)};
  const unsigned rest = rotation_lanes::nearest32(low, high, 2);
  if (rest & 0xffff) s.finish(low.a, low.q, low.r, rest & 0xffff);
  if (rest >> 16) s.finish(high.a, high.q, high.r, rest >> 16);
}

constexpr int volume_iterations = 5;
constexpr float least_slope = 1.0f / 30;                         // as in volume_target.cpp
constexpr int symmetric_entry[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};  // xx xy xz yy yz zz
using rotation_lanes::splat;

inline void cofactors(const Lanes m[9], Lanes c[9]) {
  for (int k = 0; k < 9; ++k) {
    const int below = 3 * ((k / 3 + 1) % 3), last = 3 * ((k / 3 + 2) % 3);
    const int right = (k % 3 + 1) % 3, end = (k % 3 + 2) % 3;
    c[k] = m[below + right] * m[last + end] - m[below + end] * m[last + right];
  }
}

/// Entry k of M Y.
inline Lanes times_shape(const Lanes m[9], const Lanes y[9], int k) {
  const int row = 3 * (k / 3), column = k % 3;
  return m[row] * y[column] + m[row + 1] * y[3 + column] + m[row + 2] * y[6 + column];
}

/// t -= scale M Q for the matrices M in e, whose rows are `stride` entries apart.
template <int stride>
inline void add_relief(const SweepArrays& s, int batch, float scale, const float (*e)[16], float (*t)[16]) {
  const float* relief = s.relief + 6 * lanes * static_cast<long>(batch);
  for (int lane = 0; lane < lanes; lane += width) {
    Lanes q[9], m[9];
    for (int k = 0; k < 9; ++k) q[k] = scale * at(relief + lanes * symmetric_entry[k] + lane);
    for (int k = 0; k < 9; ++k) m[k] = at(e[stride * (k / 3) + k % 3] + lane);
    for (int k = 0; k < 9; ++k) at(t[k] + lane) -= times_shape(m, q, k);
  }
}

/// t += scale w (T - F), and N, T of volume_target.hpp for the covariances in e.
inline void add_volume_targets(const SweepArrays& s, int batch, float scale, const float (*e)[16],
                               float (*t)[16]) {
  const float* v = s.volume + 8 * lanes * static_cast<long>(batch);
  for (int lane = 0; lane < lanes; lane += width) {
    Lanes y[9], f[9], m[9];
    for (int k = 0; k < 9; ++k) y[k] = at(v + lanes * symmetric_entry[k] + lane);
    const Lanes compliance = at(v + 6 * lanes + lane), weight = scale * at(v + 7 * lanes + lane);
    for (int k = 0; k < 9; ++k) m[k] = at(e[4 * (k / 3) + k % 3] + lane);
    for (int k = 0; k < 9; ++k) f[k] = compliance * times_shape(m, y, k);
    for (int k = 0; k < 9; ++k) m[k] = f[k];
    for (int n = 0; n < volume_iterations; ++n) {
      Lanes c[9], slope = {}, excess = splat(1), det = {};
      cofactors(m, c);
      for (int k = 0; k < 3; ++k) det += c[k] * m[k];
      for (int k = 0; k < 9; ++k) excess += c[k] * (m[k] - f[k]);
      for (int k = 0; k < 9; ++k) {
        m[k] = times_shape(c, y, k);
        slope += c[k] * m[k];
      }
      const Lanes nu = (excess - det) / rotation_lanes::larger(slope, splat(least_slope));
      for (int k = 0; k < 9; ++k) m[k] = f[k] + nu * m[k];
    }
    for (int k = 0; k < 9; ++k) at(t[k] + lane) += weight * (m[k] - f[k]);
    Lanes c[9], slope = {};
    cofactors(m, c);
    for (int k = 0; k < 9; ++k) slope += c[k] * times_shape(c, y, k);
    slope = rotation_lanes::inverse_root(rotation_lanes::larger(slope, splat(least_slope)));
    float(*bulk)[16] = rows_of(s.bulk, 9, batch);
    for (int k = 0; k < 9; ++k) at(bulk[k] + lane) = slope * c[k];
  }
}

/// t += scale w (dT - dF) for dA in e: dF - dT = (N : dF) N Y.
inline void add_volume_changes(const SweepArrays& s, int batch, float scale, const float (*e)[16],
                               float (*t)[16]) {
  const float* v = s.volume + 8 * lanes * static_cast<long>(batch);
  const float(*bulk)[16] = rows_of(s.bulk, 9, batch);
  for (int lane = 0; lane < lanes; lane += width) {
    Lanes y[9], m[9], c[9], share = {};
    for (int k = 0; k < 9; ++k) y[k] = at(v + lanes * symmetric_entry[k] + lane);
    const Lanes weight = scale * at(v + 6 * lanes + lane) * at(v + 7 * lanes + lane);
    for (int k = 0; k < 9; ++k) m[k] = at(e[4 * (k / 3) + k % 3] + lane), c[k] = at(bulk[k] + lane);
    for (int k = 0; k < 9; ++k) share += c[k] * times_shape(m, y, k);
    share *= weight;
    for (int k = 0; k < 9; ++k) at(t[k] + lane) -= share * times_shape(c, y, k);
  }
}

constexpr float rounding = 6e-8f, tiny = 1e-36f;  // of single precision; squares below may be lost

/// StarWatch for a batch whose sums, with squares, are in e and whose R is known. Sums of n products of
/// numbers as they are here are off by less than n + 12 roundings, R by 5 in what counts; in R : A they
/// count 1.73 times.
inline unsigned stars_that_may_flow(const SweepArrays& s, const StarWatch& watch, int batch,
                                    const float (*e)[16]) {
  const float* rest = watch.rest + 2 * lanes * static_cast<long>(batch);
  const float(*r)[16] = rows_of(s.rotation, 9, batch);
  const int rows = s.begin[lanes * batch + 1] - s.begin[lanes * batch];
  unsigned out = 0;
  for (int lane = 0; lane < lanes; lane += width) {
    Lanes turned = {};
    for (int k = 0; k < 9; ++k) turned += at(r[k] + lane) * at(e[4 * (k / 3) + k % 3] + lane);
    const Lanes sum =
        at(e[12] + lane) + at(e[13] + lane) + at(e[14] + lane) + at(rest + lane);  // a |e|^2 + a |d|^2
    const Lanes strained = (sum - 2 * turned) + (rounding * float(3 * rows + 30)) * sum;
    out |= rotation_lanes::not_within(strained + tiny, watch.share * at(rest + lanes + lane)) << lane;
  }
  return out;
}

template <bool with_laplacian, bool renew, bool tensors = true, bool watched = false>
void rotate_batches(const SweepArrays& s, const double* x, float scale, int first, int last,
                    const StarWatch* watch = nullptr) {
  for (int b = first; b < last; b += 2) {
    const bool two = b + 1 < last;
    alignas(64) float star[lanes][16], e[2][16][16], t[9][16];
    for (int k = 0; k <= int(two); ++k) {
      sum_stars<with_laplacian, watched>(s, s.star, Positions{x}, b + k, star);
      to_lanes(star, e[k], with_laplacian || watched ? 4 : 3);
      if (with_laplacian && s.laplacian_turns) add_laplacian_rows(s, b + k, e[k]);
    }
    if constexpr (renew) renew_rotations(s, b, two, e);
    if constexpr (watched)
      for (int k = 0; k <= int(two); ++k)
        watch->may_flow[b + k] = stars_that_may_flow(s, *watch, b + k, e[k]);
    if (!tensors && !s.volume) continue;
    for (int k = 0; k <= int(two); ++k) {
      const float(*r)[16] = rows_of(s.rotation, 9, b + k);
      for (int n = 0; n < 9; ++n)
        for (int lane = 0; lane < lanes; lane += width) at(t[n] + lane) = scale * at(r[n] + lane);
      if (s.volume) add_volume_targets(s, b + k, scale, e[k], t);
      if (tensors && s.relief) add_relief<4>(s, b + k, scale, e[k], t);
      if constexpr (tensors) store_tensors<with_laplacian>(s, b + k, t, scale, e[k]);
    }
  }
}

void rotate(const SweepArrays& s, const double* x, float scale, int first, int last) {
  s.laplacian ? rotate_batches<true, true>(s, x, scale, first, last)
              : rotate_batches<false, true>(s, x, scale, first, last);
}
void only_rotate(const SweepArrays& s, const double* x, const StarWatch* watch, int first, int last) {
  if (watch) return rotate_batches<false, true, false, true>(s, x, 1, first, last, watch);
  s.laplacian ? rotate_batches<true, true, false>(s, x, 1, first, last)
              : rotate_batches<false, true, false>(s, x, 1, first, last);
}
void stretch(const SweepArrays& s, const double* x, float scale, int first, int last) {
  s.laplacian ? rotate_batches<true, false>(s, x, scale, first, last)
              : rotate_batches<false, false>(s, x, scale, first, last);
}

template <bool with_laplacian>
void measure_batches(const SweepArrays& s, const double* x, float scale, int first, int last) {
  for (int b = first; b < last; ++b) {
    alignas(64) float star[lanes][16], e[16][16], t[9][16] = {};
    sum_stars<with_laplacian>(s, s.star, Positions{x}, b, star);
    to_lanes(star, e, with_laplacian ? 4 : 3);
    if (with_laplacian && s.laplacian_turns) add_laplacian_rows(s, b, e);
    float(*a)[16] = rows_of(s.covariance, 9, b);
    for (int n = 0; n < 9; ++n)
      for (int lane = 0; lane < lanes; lane += width) at(a[n] + lane) = at(e[4 * (n / 3) + n % 3] + lane);
    store_tensors<with_laplacian>(s, b, t, scale, e);
  }
}

void measure(const SweepArrays& s, const double* x, float scale, int first, int last) {
  s.laplacian ? measure_batches<true>(s, x, scale, first, last)
              : measure_batches<false>(s, x, scale, first, last);
}

void carry(const SweepArrays& s, float scale, int first, int last) {
  for (int b = first; b < last; ++b) {
    alignas(64) float t[9][16];
    const float(*r)[16] = rows_of(s.rotation, 9, b);
    for (int n = 0; n < 9; ++n)
      for (int lane = 0; lane < lanes; lane += width) at(t[n] + lane) = scale * at(r[n] + lane);
    if (s.relief) add_relief<3>(s, b, scale, rows_of(s.covariance, 9, b), t);
    for (int lane = 0; lane < lanes; ++lane) {
      float* tensor = s.tensor + 16 * (lanes * static_cast<long>(b) + lane);
      for (int row = 0; row < 3; ++row) {
        float turned = 0;
        for (int column = 0; column < 3; ++column) {
          tensor[4 * row + column] = t[3 * row + column][lane];
          if (s.laplacian)
            turned += tensor[4 * row + column] *
                      s.laplacian[4 * lanes * static_cast<long>(b) + lanes * column + lane];
        }
        if (s.laplacian)
          tensor[4 * row + 3] -=
              s.laplacian_weight * s.laplacian[4 * lanes * static_cast<long>(b) + lanes * 3 + lane] * turned;
      }
    }
  }
}

/// w = J axial(R^T dA), dA in e; t = scale R [w]x.
inline void turn_lanes(const float (*rotation)[16], const float (*slew)[16], float scale,
                       const float (*e)[16], float (*turn)[16], float (*t)[16]) {
  for (int lane = 0; lane < lanes; lane += width) {
    Lanes r[9], d[9], j[6];
    for (int k = 0; k < 9; ++k) r[k] = at(rotation[k] + lane);
    for (int k = 0; k < 9; ++k) d[k] = at(e[4 * (k / 3) + k % 3] + lane);
    for (int k = 0; k < 6; ++k) j[k] = at(slew[k] + lane);
    const auto b = [&](int row, int column) { return rotation_lanes::rotated_back(r, d, row, column); };
    const Lanes t0 = b(2, 1) - b(1, 2), t1 = b(0, 2) - b(2, 0), t2 = b(1, 0) - b(0, 1);
    Lanes w0 = j[0] * t0 + j[1] * t1 + j[2] * t2;
    Lanes w1 = j[1] * t0 + j[3] * t1 + j[4] * t2;
    Lanes w2 = j[2] * t0 + j[4] * t1 + j[5] * t2;
    at(turn[0] + lane) = w0;
    at(turn[1] + lane) = w1;
    at(turn[2] + lane) = w2;
    w0 *= scale;
    w1 *= scale;
    w2 *= scale;
    for (int row = 0; row < 9; row += 3) {
      at(t[row] + lane) = w2 * r[row + 1] - w1 * r[row + 2];
      at(t[row + 1] + lane) = w0 * r[row + 2] - w2 * r[row];
      at(t[row + 2] + lane) = w1 * r[row] - w0 * r[row + 1];
    }
  }
}

inline void keep_turns(const SweepArrays& s, const TurnShare& last_turns, int batch) {
  const float* turn = s.turn + 3 * lanes * static_cast<long>(batch);
  float* sum = s.turn_sum + 3 * lanes * static_cast<long>(batch);
  for (int k = 0; k < 3 * lanes; k += width)
    at(sum + k) = (last_turns.add ? at(sum + k) : Lanes{}) + last_turns.share * at(turn + k);
}

template <bool with_laplacian>
void turn_batches(const SweepArrays& s, const float* p, float pull_scale, float turn_scale,
                  const TurnShare* last_turns, int first, int last) {
  for (int b = first; b < last; ++b) {
    if (last_turns) keep_turns(s, *last_turns, b);
    alignas(64) float star[lanes][16], e[16][16], t[9][16];
    sum_stars<with_laplacian>(s, s.own, Vectors{p}, b, star);
    to_lanes(star, e, with_laplacian ? 4 : 3);
    if constexpr (with_laplacian) add_laplacian_rows(s, b, e);
    const auto slew = reinterpret_cast<const float(*)[16]>(s.slew + 6 * lanes * static_cast<long>(b));
    turn_lanes(rows_of(s.rotation, 9, b), slew, turn_scale, e, rows_of(s.turn, 3, b), t);
    if (s.volume) add_volume_changes(s, b, turn_scale, e, t);
    if (s.relief) add_relief<4>(s, b, pull_scale, e, t);
    store_tensors<with_laplacian>(s, b, t, pull_scale, e);
  }
}

void turn(const SweepArrays& s, const float* p, float pull_scale, float turn_scale,
          const TurnShare* last_turns, int first, int last) {
  s.laplacian ? turn_batches<true>(s, p, pull_scale, turn_scale, last_turns, first, last)
              : turn_batches<false>(s, p, pull_scale, turn_scale, last_turns, first, last);
}

/// T_i s_i + sum_j T_j a_ij r_ij + sum_j c_ij (y_j - y_i) (Laplacian rows) for nodes i .. i + 3 of a batch.
/// Four side by side: where edges are few, adding up and the rest of a row take as long as they do.
template <bool with_laplacian>
inline Four sum_rows(const SweepArrays& s, int i) {
  const int count = s.begin[i + 1] - s.begin[i], first = s.begin[i];
  const float* tensor = s.tensor + 16 * static_cast<long>(i);
  Sixteen sum[4];
  for (int n = 0; n < 4; ++n) sum[n].add_product<false>(tensor + 16 * n, s.edge_sum + 4 * (i + n), 0);
  for (int k = 0; k < count; ++k)
    for (int n = 0; n < 4; ++n) {
      const long edge = first + n * count + k;
      sum[n].add_product<with_laplacian>(s.tensor + 16 * static_cast<long>(s.target[edge]), s.row + 4 * edge,
                                         with_laplacian ? s.laplacian_share[edge] : 0);
    }
  static constexpr int pull[4] = {12, 28, 44, 60};
  return Sixteen::row_sums(sum) + Four::gather(tensor, pull);
}

template <bool with_laplacian>
double collect_nodes(const SweepArrays& arrays, const float* base, const float* diagonal, const float* u,
                     float* out, int begin, int end) {
  const SweepArrays s = arrays;  // stores may alias what it points from
  four_rows::Dot dot;
  for (int i = begin; i < end; i += 4) {
    const int nodes = end - i < 4 ? end - i : 4;
    Four value = sum_rows<with_laplacian>(s, i);
    if (base) value = value + Four::at(base + 4 * i, nodes);
    if (u) {
      const Four own = Four::at(u + 4 * i, nodes);
      if (diagonal) value = value + Four::each(diagonal + i) * own;
      dot.add(value, own);
    }
    value.store(out + 4 * i, nodes);
  }
  return dot.sum();
}

double collect(const SweepArrays& s, const float* base, const float* diagonal, const float* u, float* out,
               int begin, int end) {
  return s.laplacian ? collect_nodes<true>(s, base, diagonal, u, out, begin, end)
                     : collect_nodes<false>(s, base, diagonal, u, out, begin, end);
}

void add(float s, const float* __restrict x, float* __restrict y, int begin, int end) {
  for (int i = begin; i < end; ++i) y[i] += s * x[i];
}

void redirect(float s, float* __restrict p, const float* __restrict z, int begin, int end) {
  for (int i = begin; i < end; ++i) p[i] = s * p[i] - z[i];
}

void advance(float a, float s, float* __restrict d, float* __restrict p, const float* __restrict z, int begin,
             int end) {
  for (int i = begin; i < end; ++i) {
    const float old = p[i];
    d[i] += a * old;
    p[i] = s * old - z[i];
  }
}

void finish(float a, float* __restrict d, const float* __restrict p, const float* __restrict z, int begin,
            int end) {
  for (int i = begin; i < end; ++i) d[i] += a * p[i] - z[i];
}

double dot(const float* a, const float* b, int begin, int end) {
  four_rows::Dot even, odd;  // an addition need not wait for the last one
  int i = begin;
  for (; i + 32 <= end; i += 32) {
    even.add(Four::at(a + i, 4), Four::at(b + i, 4));
    odd.add(Four::at(a + i + 16, 4), Four::at(b + i + 16, 4));
  }
  for (; i < end; i += 16) {
    const int nodes = end - i < 16 ? (end - i) / 4 : 4;
    even.add(Four::at(a + i, nodes), Four::at(b + i, nodes));
  }
  return even.sum() + odd.sum();
}

void extrapolate(const double* __restrict x, const double* __restrict v, const double* __restrict x_before,
                 const double* __restrict v_before, double a, double b, double* __restrict hat_x,
                 double* __restrict hat_v, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    hat_x[i] = x[i] + a * (x[i] - x_before[i]) + b * v[i];
    hat_v[i] = v[i] + a * (v[i] - v_before[i]);
  }
}

// Three doubles as a pair and a single.
typedef double Pair __attribute__((vector_size(16), may_alias, aligned(8)));
typedef float Float_pair __attribute__((vector_size(8), may_alias, aligned(4)));

void predict(const EndArrays& e, double elastic, double drag, const double* gravity, double* start,
             float* base, int begin, int end) {
  const Pair g = *reinterpret_cast<const Pair*>(gravity);
  for (int k = begin; k < end; ++k) {
    const long i = e.node[k];
    const double *x = e.hat_x + 3 * i, *v = e.hat_v + 3 * i, mass = -elastic * e.mass[i];
    const Pair velocity = *reinterpret_cast<const Pair*>(v);
    double* s = start + 4 * static_cast<long>(k);
    float* b = base + 4 * static_cast<long>(k);
    *reinterpret_cast<Pair*>(s) = *reinterpret_cast<const Pair*>(x) + e.h * velocity;
    s[2] = x[2] + e.h * v[2];
    *reinterpret_cast<Float_pair*>(b) = __builtin_convertvector(mass * (g - drag * velocity), Float_pair);
    b[2] = float(mass * (gravity[2] - drag * v[2]));
  }
}

void accept(const EndArrays& e, const float* d, double* x, double* v, int begin, int end) {
  const double inverse = 1 / e.h;
  for (int k = begin; k < end; ++k) {
    const long i = e.node[k];
    const float* step = d + 4 * static_cast<long>(k);
    const double *hat_x = e.hat_x + 3 * i, *hat_v = e.hat_v + 3 * i;
    const Pair change = __builtin_convertvector(*reinterpret_cast<const Float_pair*>(step), Pair);
    const Pair velocity = *reinterpret_cast<const Pair*>(hat_v) + inverse * change;
    const double last = hat_v[2] + inverse * double(step[2]);
    *reinterpret_cast<Pair*>(v + 3 * i) = velocity;
    *reinterpret_cast<Pair*>(x + 3 * i) = *reinterpret_cast<const Pair*>(hat_x) + e.h * velocity;
    v[3 * i + 2] = last;
    x[3 * i + 2] = hat_x[2] + e.h * last;
  }
}

float largest_turn(const SweepArrays& s, const TurnShare& share, int first, int last) {
  Lanes most = {};
  for (int b = first; b < last; ++b)
    for (int lane = 0; lane < lanes; lane += width) {
      const long begin = 3 * lanes * static_cast<long>(b) + lane;
      Lanes square = {};
      for (int k = 0; k < 3; ++k) {
        const long i = begin + lanes * k;
        const Lanes w = (share.add ? at(s.turn_sum + i) : Lanes{}) + share.share * at(s.turn + i);
        square += w * w;
      }
      most = rotation_lanes::larger(most, square);
    }
  float out = 0;
  for (int k = 0; k < width; ++k) out = most[k] > out ? most[k] : out;
  return out;
}

constexpr StepKernels make_step_kernels() {
  return {rotate,   only_rotate, stretch, measure, carry,       turn,    collect, add,
          redirect, advance,     finish,  dot,     extrapolate, predict, accept,  largest_turn};
}

}  // namespace
}  // namespace pliant::geometric
