// SPDX-License-Identifier: Apache-2.0
// The kernels of flow_kernels.hpp; see base/simd.hpp for how such a file is written.

#include <immintrin.h>

#include "pliant/methods/geometric/flow_kernels.hpp"

namespace pliant::geometric {
namespace {

constexpr int flow_lanes = 16;  // of the quaternions
typedef double Four __attribute__((vector_size(32), may_alias, aligned(32)));
typedef long long Mask __attribute__((vector_size(32)));

inline Four splat(double v) { return Four{v, v, v, v}; }
inline Four place_at(const double* x, int i) { return *reinterpret_cast<const Four*>(x + 4 * long(i)); }

typedef float Float4 __attribute__((vector_size(16), may_alias));

#if defined(__AVX2__)
inline __m256i three() { return _mm256_setr_epi64x(-1, -1, -1, 0); }
inline Four load3(const double* p) { return (Four)_mm256_maskload_pd(p, three()); }
inline void store3(double* p, Four v) { _mm256_maskstore_pd(p, three(), (__m256d)v); }
inline Four root(Four v) { return (Four)_mm256_sqrt_pd((__m256d)v); }
inline int bits(Mask m) { return _mm256_movemask_pd((__m256d)m); }
#else
inline Four load3(const double* p) { return Four{p[0], p[1], p[2], 0}; }
inline void store3(double* p, Four v) {
  for (int c = 0; c < 3; ++c) p[c] = v[c];
}
inline Four root(Four v) {
  return Four{__builtin_sqrt(v[0]), __builtin_sqrt(v[1]), __builtin_sqrt(v[2]), __builtin_sqrt(v[3])};
}
inline int bits(Mask m) { return int((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8)); }
#endif

/// Four rows of three numbers to x, y, z of four rows, and back (the fourth of each row is 0).
inline void transpose(Four& a, Four& b, Four& c, Four& d) {
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

inline Four square(const Four v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }
inline Four smaller(Four a, Four b) { return a < b ? a : b; }
inline Four larger(Four a, Four b) { return a > b ? a : b; }

/// R at a place, every entry four times.
inline void load_rotation(const FlowArrays& a, int place, Four r[9]) {
  const float* q = a.quaternion + 4 * flow_lanes * long(place / flow_lanes) + place % flow_lanes;
  const double w = q[0], x = q[flow_lanes], y = q[2 * flow_lanes], z = q[3 * flow_lanes];
  const double two = 2 / (w * w + x * x + y * y + z * z);
  const double entry[9] = {1 - two * (y * y + z * z), two * (x * y - w * z),     two * (x * z + w * y),
                           two * (x * y + w * z),     1 - two * (x * x + z * z), two * (y * z - w * x),
                           two * (x * z - w * y),     two * (y * z + w * x),     1 - two * (x * x + y * y)};
  for (int k = 0; k < 9; ++k) r[k] = splat(entry[k]);
}

/// Both copies of row k in single precision; their fourth number stays. The products round alike on every
/// path.
inline void write_row(const FlowArrays& a, int k, Four d) {
  const Float4 product = __builtin_convertvector(double(a.weight[k]) * d, Float4);
  Float4& star = *reinterpret_cast<Float4*>(a.star + 4 * long(k));
  Float4& row = *reinterpret_cast<Float4*>(a.row + 4 * long(a.mirror[k]));
  star = __builtin_shufflevector(product, star, 0, 1, 2, 7);
  row = __builtin_shufflevector(-product, row, 0, 1, 2, 7);
}

/// Rows k .. k + 3 of a place, those of `real`. Returns which flowed, as bits.
inline int flow_four(const FlowArrays& a, const FlowLaw& law, const double* x, Four own, const Four r[9],
                     int k, double* d, int real) {
  Four now[4], rest[4], strain[3], first = {};
  for (int n = 0; n < 4; ++n) {
    const int at = n < real ? n : 0;
    now[n] = place_at(x, a.target[k + at]) - own;
    rest[n] = load3(d + 3 * at);
  }
  transpose(now[0], now[1], now[2], now[3]);
  transpose(rest[0], rest[1], rest[2], rest[3]);
  for (int c = 0; c < 3; ++c) strain[c] = r[c] * now[0] + r[3 + c] * now[1] + r[6 + c] * now[2] - rest[c];
  const Four length = square(rest), strained = square(strain);
  int flows = bits(strained > (law.yield * law.yield) * length) & ((1 << real) - 1);
  if (!flows) return 0;
  for (int n = 0; n < 4; ++n) first[n] = a.length[k + (n < real ? n : 0)];
  // Where the rest vector has no length left the share is 1.
  const Four share =
      smaller(law.slope * (root(strained / larger(length, splat(1e-300))) - law.yield), splat(1));
  Four next[4] = {}, change[3];
  for (int c = 0; c < 3; ++c) next[c] = rest[c] + share * strain[c];
  const Four long_now = root(square(next));
  const Four capped = smaller(larger(long_now, law.shortest * first), law.longest * first);
  const Four scale = capped == long_now ? splat(1) : capped / long_now;
  for (int c = 0; c < 3; ++c) {
    next[c] *= scale;
    change[c] = next[c] - rest[c];
  }
  // Collapsed to a point: no direction to keep.
  flows &= bits(long_now > 0) & bits(square(change) > (law.no_change * law.no_change) * first * first);
  if (!flows) return 0;
  transpose(next[0], next[1], next[2], next[3]);
  for (int n = 0; n < real; ++n) {
    if (!(flows >> n & 1)) continue;
    store3(d + 3 * n, next[n]);
    write_row(a, k + n, next[n]);
  }
  return flows;
}

void flow(const FlowArrays& a, const FlowLaw& law, const double* x, double* d, int* flowed, int begin,
          int end) {
  for (int i = begin; i < end; ++i) {
    Four r[9];
    for (int k = 0; k < 9; ++k) r[k] = splat(k % 4 == 0 ? 1 : 0);
    if (law.turned_back) load_rotation(a, i, r);
    const Four own = place_at(x, i);
    int rows = 0;
    for (int n = 0; n < a.count[i]; n += 4) {
      const int real = a.count[i] - n < 4 ? a.count[i] - n : 4;
      rows += __builtin_popcount(
          unsigned(flow_four(a, law, x, own, r, a.begin[i] + n, d + 3 * (long(a.first[i]) + n), real)));
    }
    flowed[i] = rows;
  }
}

void copy(const FlowArrays& a, int place) {
  for (int n = 0; n < a.count[place]; ++n)
    write_row(a, a.begin[place] + n, load3(a.d + 3 * (long(a.first[place]) + n)));
}

// Not inlined anywhere: a star of a loaded state rounds as that of a running one.
void __attribute__((noinline)) sum(const FlowArrays& a, int place, double out[9]) {
  Four all = {}, b[3] = {};
  for (int n = 0; n < a.count[place]; ++n) {
    const Four d = load3(a.d + 3 * (long(a.first[place]) + n));
    const Four weighted = double(a.weight[a.begin[place] + n]) * d;
    all += weighted;
    for (int c = 0; c < 3; ++c) b[c] += d[c] * weighted;
  }
  const double numbers[9] = {all[0], all[1], all[2], b[0][0], b[0][1], b[0][2], b[1][1], b[1][2], b[2][2]};
  for (int k = 0; k < 9; ++k) out[k] = numbers[k];
}

constexpr FlowKernels make_flow_kernels() { return {flow, copy, sum}; }

}  // namespace
}  // namespace pliant::geometric
