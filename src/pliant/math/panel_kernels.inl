// SPDX-License-Identifier: Apache-2.0
// See panel_kernels.hpp for the layout. Included by panel_{portable,avx2,avx512}.cpp.
#include "pliant/math/panel_kernels.hpp"

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

// lanes: floats in a register. step: columns handled at once: 3 * step sums and 4 operands fill the
// registers.
#if defined(__AVX512F__)
constexpr int lanes = 16, step = 8, most_blocks = 6;
#elif defined(__AVX2__)
constexpr int lanes = 8, step = 4, most_blocks = 2;
#else
constexpr int lanes = 4, step = 4, most_blocks = 1;
#endif
constexpr int block = 16, group = 8;
constexpr int block_floats = 3 * block;      // x, y, z of one block in scratch
constexpr int registers = block / lanes;     // of a line
constexpr int rows_in_register = lanes / 4;  // of xyz0

typedef float Vec __attribute__((vector_size(4 * lanes), may_alias));
typedef float LooseVec __attribute__((vector_size(4 * lanes), may_alias, aligned(16)));
typedef float Vec4 __attribute__((vector_size(16), may_alias));

PLIANT_INLINE Vec load(const float* p) { return *reinterpret_cast<const Vec*>(p); }
/// What the compiler may not load again as the memory operand of each use: loads are what limits here.
PLIANT_INLINE Vec once(Vec v) {
#if defined(__AVX512F__)
  asm("" : "+v"(v));
#elif defined(__AVX2__)
  asm("" : "+x"(v));
#endif
  return v;
}
PLIANT_INLINE Vec load_once(const float* p) { return once(load(p)); }
PLIANT_INLINE Vec load_once(const std::int16_t* p) {
#if defined(__AVX512F__)
  const __m256i narrow = _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  return once((Vec)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(narrow)));
#elif defined(__AVX2__)
  const __m128i narrow = _mm_load_si128(reinterpret_cast<const __m128i*>(p));
  return once((Vec)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(narrow)));
#else
  typedef std::int16_t Narrow __attribute__((vector_size(2 * lanes), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Narrow*>(p), Vec);
#endif
}
PLIANT_INLINE void store(float* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }
PLIANT_INLINE Vec load_loose(const float* p) { return *reinterpret_cast<const LooseVec*>(p); }
PLIANT_INLINE void store_loose(float* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = v; }
PLIANT_INLINE Vec4 load4(const float* p) { return *reinterpret_cast<const Vec4*>(p); }
PLIANT_INLINE void store4(float* p, Vec4 v) { *reinterpret_cast<Vec4*>(p) = v; }

// low_pairs = a0 b0 a1 b1, high_pairs = a2 b2 a3 b3, low_halves = a0 a1 b0 b1, high_halves = a2 a3 b2 b3 in
// every 128 bits. sum_of_rows adds the 128-bit parts. gather_rows loads the rows of a list side by side.
#if defined(__AVX512F__)
PLIANT_INLINE Vec broadcast(float a) { return (Vec)_mm512_set1_ps(a); }
PLIANT_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
  return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
PLIANT_INLINE Vec low_pairs(Vec a, Vec b) { return (Vec)_mm512_unpacklo_ps((__m512)a, (__m512)b); }
PLIANT_INLINE Vec high_pairs(Vec a, Vec b) { return (Vec)_mm512_unpackhi_ps((__m512)a, (__m512)b); }
PLIANT_INLINE Vec low_halves(Vec a, Vec b) { return (Vec)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x44); }
PLIANT_INLINE Vec high_halves(Vec a, Vec b) { return (Vec)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xee); }
PLIANT_INLINE Vec gather_rows(const float* work, const std::int32_t* row) {
  __m512 a = _mm512_castps128_ps512(_mm_load_ps(work + 4 * std::int64_t(row[0])));
  a = _mm512_insertf32x4(a, _mm_load_ps(work + 4 * std::int64_t(row[1])), 1);
  a = _mm512_insertf32x4(a, _mm_load_ps(work + 4 * std::int64_t(row[2])), 2);
  return (Vec)_mm512_insertf32x4(a, _mm_load_ps(work + 4 * std::int64_t(row[3])), 3);
}
#elif defined(__AVX2__)
PLIANT_INLINE Vec broadcast(float a) { return (Vec)_mm256_set1_ps(a); }
PLIANT_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
  return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
PLIANT_INLINE Vec low_pairs(Vec a, Vec b) { return (Vec)_mm256_unpacklo_ps((__m256)a, (__m256)b); }
PLIANT_INLINE Vec high_pairs(Vec a, Vec b) { return (Vec)_mm256_unpackhi_ps((__m256)a, (__m256)b); }
PLIANT_INLINE Vec low_halves(Vec a, Vec b) { return (Vec)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x44); }
PLIANT_INLINE Vec high_halves(Vec a, Vec b) { return (Vec)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xee); }
PLIANT_INLINE Vec4 sum_of_rows(Vec a) {
  return (Vec4)_mm256_castps256_ps128((__m256)a) + (Vec4)_mm256_extractf128_ps((__m256)a, 1);
}
PLIANT_INLINE Vec gather_rows(const float* work, const std::int32_t* row) {
  const __m128 a = _mm_load_ps(work + 4 * std::int64_t(row[0]));
  const __m128 b = _mm_load_ps(work + 4 * std::int64_t(row[1]));
  return (Vec)_mm256_insertf128_ps(_mm256_castps128_ps256(a), b, 1);
}
#else
PLIANT_INLINE Vec broadcast(float a) { return Vec{a, a, a, a}; }
PLIANT_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return a * b + c; }
PLIANT_INLINE Vec low_pairs(Vec a, Vec b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
PLIANT_INLINE Vec high_pairs(Vec a, Vec b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
PLIANT_INLINE Vec low_halves(Vec a, Vec b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
PLIANT_INLINE Vec high_halves(Vec a, Vec b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
PLIANT_INLINE Vec4 sum_of_rows(Vec a) { return a; }
PLIANT_INLINE Vec gather_rows(const float* work, const std::int32_t* row) {
  return load(work + 4 * std::int64_t(row[0]));
}
#endif

/// Calls f.operator()<count>() for 1 <= count <= most.
template <int most, class F>
PLIANT_INLINE void with_constant(int count, F&& f) {
  if (count == most)
    f.template operator()<most>();
  else if constexpr (most > 1)
    with_constant<most - 1>(count, f);
}

/// sum += P b for a group of columns and the blocks skipped .. B - 1 that sum stands for. panel: block
/// `skipped`.
template <int B, int skipped, class Number>
PLIANT_INLINE void multiply_group(const Number* panel, int columns, const float* b, Vec* sum) {
  for (int c = 0; c < columns; ++c, b += 4) {
    const Vec x = broadcast(b[0]), y = broadcast(b[1]), z = broadcast(b[2]);
    PLIANT_UNROLL for (int k = skipped * registers; k < B * registers; ++k) {
      const std::int64_t at = std::int64_t(k / registers - skipped) * columns + c;
      const Vec p = load_once(panel + at * block + k % registers * lanes);
      sum[3 * k] = multiply_add(p, x, sum[3 * k]);
      sum[3 * k + 1] = multiply_add(p, y, sum[3 * k + 1]);
      sum[3 * k + 2] = multiply_add(p, z, sum[3 * k + 2]);
    }
  }
}

/// Blocks first_block .. first_block + B - 1 of P b, to scratch.
template <int B, class Number>
void multiply_blocks(const Number* panel, int width, int blocks, int first_block, const float* b,
                     float* out) {
  Vec sum[3 * B * registers] = {};
  for (int j = 0; j < width && j < (first_block + B) * block; j += group) {
    const int columns = width - j < group ? width - j : group, top = j / block;
    const Number* here = panel + std::int64_t(first_block > top ? first_block - top : 0) * columns * block;
    if (top <= first_block)
      multiply_group<B, 0>(here, columns, b + 4 * j, sum);
    else if constexpr (B > 1)
      with_constant<B - 1>(top - first_block,
                           [&]<int skipped>() { multiply_group<B, skipped>(here, columns, b + 4 * j, sum); });
    panel += std::int64_t(columns) * block * (blocks - top);
  }
  out += first_block * block_floats;
  PLIANT_UNROLL for (int k = 0; k < B * registers; ++k) {
    float* to = out + k / registers * block_floats + k % registers * lanes;
    store(to, sum[3 * k]);
    store(to + block, sum[3 * k + 1]);
    store(to + 2 * block, sum[3 * k + 2]);
  }
}

#if defined(__AVX512F__)
/// Sums of the lanes of eight registers, first four in the 128-bit parts 0, 2 of the result, last four in 1,
/// 3: two partial sums of each.
PLIANT_INLINE Vec sum_lanes(const Vec* a) {
  const Vec a01 = low_pairs(a[0], a[1]) + high_pairs(a[0], a[1]);
  const Vec a23 = low_pairs(a[2], a[3]) + high_pairs(a[2], a[3]);
  const Vec a45 = low_pairs(a[4], a[5]) + high_pairs(a[4], a[5]);
  const Vec a67 = low_pairs(a[6], a[7]) + high_pairs(a[6], a[7]);
  const Vec low = low_halves(a01, a23) + high_halves(a01, a23);
  const Vec high = low_halves(a45, a67) + high_halves(a45, a67);
  return (Vec)_mm512_shuffle_f32x4((__m512)low, (__m512)high, 0x44) +
         (Vec)_mm512_shuffle_f32x4((__m512)low, (__m512)high, 0xee);
}

/// out[c] = the sums of the lanes of x[c], y[c], z[c], and 0, for C <= 8 columns. x, y, z have eight.
template <int C>
PLIANT_INLINE void store_sums(const Vec* x, const Vec* y, const Vec* z, float* out) {
  // parts of sum_lanes: columns 0-3, 0-3, 4-7, 4-7
  const __m512 sx = (__m512)sum_lanes(x), sy = (__m512)sum_lanes(y), sz = (__m512)sum_lanes(z);
  const Vec xy = (Vec)_mm512_shuffle_f32x4(sx, sy, 0x88) + (Vec)_mm512_shuffle_f32x4(sx, sy, 0xdd);
  const Vec zz = (Vec)_mm512_shuffle_f32x4(sz, sz, 0x88) + (Vec)_mm512_shuffle_f32x4(sz, sz, 0xdd);
  const __m512i first = _mm512_setr_epi32(0, 8, 16, 0, 1, 9, 17, 0, 2, 10, 18, 0, 3, 11, 19, 0);
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(4));
  constexpr unsigned xyz = 0x7777, low = C < 4 ? (1u << 4 * C) - 1 : 0xffff;
  constexpr unsigned high = C > 4 ? 0xffffu >> 4 * (8 - C) : 0;
  _mm512_mask_storeu_ps(out, low, _mm512_maskz_permutex2var_ps(xyz, (__m512)xy, first, (__m512)zz));
  if (C > 4)
    _mm512_mask_storeu_ps(out + 16, high, _mm512_maskz_permutex2var_ps(xyz, (__m512)xy, second, (__m512)zz));
}
#else
template <int C>
PLIANT_INLINE void store_sums(const Vec* x, const Vec* y, const Vec* z, float* out) {
  PLIANT_UNROLL for (int c = 0; c < C; ++c) {
    const Vec xy = low_pairs(x[c], y[c]) + high_pairs(x[c], y[c]);
    const Vec z0 = low_pairs(z[c], Vec{}) + high_pairs(z[c], Vec{});
    store4(out + 4 * c, sum_of_rows(low_halves(xy, z0) + high_halves(xy, z0)));
  }
}
#endif

/// out = P^T v for C columns and all blocks of a group.
template <int C, class Number>
PLIANT_INLINE void multiply_transposed(const Number* panel, std::int64_t stride, int blocks, const float* v,
                                       float* out) {
  Vec x[step] = {}, y[step] = {}, z[step] = {};
  for (int r = 0; r < blocks; ++r, panel += stride, v += block_floats) {
    PLIANT_UNROLL for (int h = 0; h < block; h += lanes) {
      const Vec vx = load(v + h), vy = load(v + block + h), vz = load(v + 2 * block + h);
      PLIANT_UNROLL for (int c = 0; c < C; ++c) {
        const Vec p = load_once(panel + c * block + h);
        x[c] = multiply_add(p, vx, x[c]);
        y[c] = multiply_add(p, vy, y[c]);
        z[c] = multiply_add(p, vz, z[c]);
      }
    }
  }
  store_sums<C>(x, y, z, out);
}

/// The 16 rows xyz0 of a block of sums.
PLIANT_INLINE void to_rows(const float* sum, float* rows) {
  PLIANT_UNROLL for (int h = 0; h < registers; ++h) {
    const Vec x = load(sum + h * lanes), y = load(sum + block + h * lanes),
              z = load(sum + 2 * block + h * lanes);
    const Vec xy0 = low_pairs(x, y), xy1 = high_pairs(x, y);
    const Vec z0 = low_pairs(z, Vec{}), z1 = high_pairs(z, Vec{});
    float* to = rows + 4 * h * rows_in_register;
    store_loose(to, low_halves(xy0, z0));
    store_loose(to + 16, high_halves(xy0, z0));
    store_loose(to + 32, low_halves(xy1, z1));
    store_loose(to + 48, high_halves(xy1, z1));
  }
}

/// The lines x, y, z of four registers of rows.
PLIANT_INLINE void to_lines(Vec r0, Vec r1, Vec r2, Vec r3, float* v) {
  const Vec xy0 = low_pairs(r0, r1), xy1 = low_pairs(r2, r3);
  store(v, low_halves(xy0, xy1));
  store(v + block, high_halves(xy0, xy1));
  store(v + 2 * block, low_halves(high_pairs(r0, r1), high_pairs(r2, r3)));
}

/// Rows xyz0 times the scales of the columns they stand for.
PLIANT_INLINE void scale_rows(const float* scale, int count, float* rows) {
  for (int i = 0; i < count; ++i) store4(rows + 4 * i, load4(rows + 4 * i) * scale[i]);
}

template <class Number>
void forward_node(const PanelRange<Number>& range, const PanelNode& node) {
  const Number* panel = range.panels + node.panel;
  float* own = range.work + 4 * std::int64_t(node.first);
  if (range.scale) scale_rows(range.scale + node.first, node.width, own);  // then overwritten
  const int blocks = (node.height + block - 1) / block;
  for (int r = 0; r < blocks;) {
    // At most `most_blocks` fit the registers; two short turns are better than a long and a very short one.
    const int left = blocks - r;
    const int some = left <= most_blocks ? left : left < 2 * most_blocks ? left / 2 : most_blocks;
    with_constant<most_blocks>(
        some, [&]<int B>() { multiply_blocks<B>(panel, node.width, blocks, r, own, range.scratch); });
    r += some;
  }
  const int own_blocks = node.width / block;
  for (int r = 0; r < own_blocks; ++r) to_rows(range.scratch + r * block_floats, own + 4 * r * block);
  for (int i = own_blocks * block; i < node.width; ++i) store4(own + 4 * i, Vec4{});
  const std::int32_t* row = range.rows + node.rows;
  alignas(64) float rows[4 * block];
  for (int r = own_blocks; r < blocks; ++r) {
    to_rows(range.scratch + r * block_floats, rows);
    const int count = node.height - r * block < block ? node.height - r * block : block;
    for (int i = 0; i < count; ++i) {
      float* to = range.work + 4 * std::int64_t(row[r * block + i]);
      store4(to, load4(to) + load4(rows + 4 * i));
    }
  }
}

template <class Number>
void backward_node(const PanelRange<Number>& range, const PanelNode& node) {
  const Number* panel = range.panels + node.panel;
  float* own = range.work + 4 * std::int64_t(node.first);
  const int blocks = (node.height + block - 1) / block, own_blocks = node.width / block;
  for (int r = 0; r < own_blocks; ++r) {
    PLIANT_UNROLL for (int h = 0; h < registers; ++h) {
      const float* from = own + 4 * (r * block + h * rows_in_register);
      to_lines(load_loose(from), load_loose(from + 16), load_loose(from + 32), load_loose(from + 48),
               range.scratch + r * block_floats + h * lanes);
    }
  }
  for (int r = own_blocks; r < blocks; ++r) {
    PLIANT_UNROLL for (int h = 0; h < registers; ++h) {
      const std::int32_t* row = range.rows + node.rows + r * block + h * rows_in_register;
      to_lines(gather_rows(range.work, row), gather_rows(range.work, row + 4),
               gather_rows(range.work, row + 8), gather_rows(range.work, row + 12),
               range.scratch + r * block_floats + h * lanes);
    }
  }
  for (int j = 0; j < node.width; j += group) {
    const int columns = node.width - j < group ? node.width - j : group, skipped = j / block;
    for (int c = 0; c < columns; c += step) {
      const int some = columns - c < step ? columns - c : step;
      with_constant<step>(some, [&]<int C>() {
        multiply_transposed<C>(panel + c * block, columns * block, blocks - skipped,
                               range.scratch + skipped * block_floats, own + 4 * (j + c));
      });
    }
    panel += std::int64_t(columns) * block * (blocks - skipped);
  }
  if (range.scale) scale_rows(range.scale + node.first, node.width, own);
}

template <class Number>
void forward(const PanelRange<Number>& range) {
  for (std::int32_t s = range.begin; s < range.end; ++s) forward_node(range, range.nodes[s]);
}

template <class Number>
void backward(const PanelRange<Number>& range) {
  for (std::int32_t s = range.end; s-- > range.begin;) backward_node(range, range.nodes[s]);
}

}  // namespace

constinit const PanelKernels PLIANT_PANEL_KERNELS = {forward<float>, backward<float>, forward<std::int16_t>,
                                                     backward<std::int16_t>};

}  // namespace pliant
