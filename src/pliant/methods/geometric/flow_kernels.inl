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
typedef float Float16 __attribute__((vector_size(64), may_alias));

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
  for (int c = 0; c < 3; ++c) next[c] = rest[c] + share * (law.along_body ? strain[c] : now[c] - rest[c]);
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

// ---- rows that certainly do not flow, in single precision ----
//
// With p = a e and n = a d as the step has it in float, a row flows when |p - R n| > yield |n|. In float both
// sides are off by less than 2e-6 (|p| + |n|) (roundings of e, a d, R and the sums), so that
//   |p - R n| < (yield - 1e-5 (1 + yield)) |n|   (certain_strain)
// is certain; what is left is decided in double by flow_four, four rows together. Squares below the float
// range and NaN are never certain; squares beyond it (rows of 1e19 N) do not occur.
constexpr float least_square = 1e-36f;

/// Columns of R at 16 places, of three numbers and a 0 each.
struct Columns {
  alignas(64) float at[flow_lanes][3][4];
};

inline void load_columns(const FlowArrays& a, int batch, Columns& out) {
  const float* q = a.quaternion + 4 * flow_lanes * long(batch);
  const Float16* row = reinterpret_cast<const Float16*>(q);
  const Float16 w = row[0], x = row[1], y = row[2], z = row[3];
  const Float16 two = 2 / (w * w + x * x + y * y + z * z);
  alignas(64) Float16 r[3][3] = {{1 - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)},
                                 {two * (x * y - w * z), 1 - two * (x * x + z * z), two * (y * z + w * x)},
                                 {two * (x * z + w * y), two * (y * z - w * x), 1 - two * (x * x + y * y)}};
  for (int c = 0; c < 3; ++c)
    for (int first = 0; first < flow_lanes; first += 4) {
      const auto quad = [&](int k) {
        return *reinterpret_cast<const Float4*>(reinterpret_cast<const float*>(&r[c][k]) + first);
      };
      const Float4 zero = {}, u = quad(0), v = quad(1), t = quad(2);
      const Float4 uv_low = __builtin_shufflevector(u, v, 0, 4, 1, 5),
                   uv_high = __builtin_shufflevector(u, v, 2, 6, 3, 7);
      const Float4 t_low = __builtin_shufflevector(t, zero, 0, 4, 1, 5),
                   t_high = __builtin_shufflevector(t, zero, 2, 6, 3, 7);
      const auto put = [&](int n, Float4 column) {
        *reinterpret_cast<Float4*>(out.at[first + n][c]) = column;
      };
      put(0, __builtin_shufflevector(uv_low, t_low, 0, 1, 4, 5));
      put(1, __builtin_shufflevector(uv_low, t_low, 2, 3, 6, 7));
      put(2, __builtin_shufflevector(uv_high, t_high, 0, 1, 4, 5));
      put(3, __builtin_shufflevector(uv_high, t_high, 2, 3, 6, 7));
    }
}

/// The rows of a place for the test: pointers of its first row, and where the rows lead to.
struct Rows {
  const int* target;
  const float *star, *weight;
  const double* x;
};

#if defined(__AVX512F__)
/// Four rows at a time of one place.
struct Test {
  __m512d own;
  __m512 column[3], share;

  static __m512 four_times(const float* c) { return _mm512_maskz_broadcast_f32x4(0xffff, _mm_load_ps(c)); }
  Test(const double* own_x, const float (*columns)[4], float share_of)
      : own(_mm512_maskz_broadcast_f64x4(0xff, _mm256_load_pd(own_x))),
        column{four_times(columns[0]), four_times(columns[1]), four_times(columns[2])},
        share(_mm512_set1_ps(share_of)) {}

  /// x_j - x_i of two rows, in float.
  __m256 differences(const Rows& r, int k) const {
    const __m256d one = _mm256_load_pd(r.x + 4 * long(r.target[k]));
    const __m256d two = _mm256_load_pd(r.x + 4 * long(r.target[k + 1]));
    return _mm512_maskz_cvtpd_ps(0xff, __builtin_shufflevector(one, two, 0, 1, 2, 3, 4, 5, 6, 7) - own);
  }
  bool may_flow(const Rows& r, int k) const {
    const __m256 low = differences(r, k), high = differences(r, k + 2);
    const __m512 now =
        __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __mmask16 numbers = 0x7777;
    const __m512 n = _mm512_maskz_loadu_ps(numbers, r.star + 4 * k);
    const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512 weight =
        _mm512_maskz_permutexvar_ps(numbers, each, _mm512_zextps128_ps512(_mm_loadu_ps(r.weight + k)));
    __m512 s = _mm512_maskz_permute_ps(0xffff, n, 0x00) * column[0];
    s = _mm512_fmadd_ps(_mm512_maskz_permute_ps(0xffff, n, 0x55), column[1], s);
    s = _mm512_fmadd_ps(_mm512_maskz_permute_ps(0xffff, n, 0xaa), column[2], s);
    s = _mm512_fmsub_ps(weight, now, s);
    __m512 t = _mm512_fmsub_ps(s, s, (share * n) * n);
    t += _mm512_maskz_permute_ps(0xffff, t, 0xb1);
    t += _mm512_maskz_permute_ps(0xffff, t, 0x4e);
    return _mm512_cmp_ps_mask(t, _mm512_set1_ps(-least_square), _CMP_NLT_UQ) != 0;
  }
};
#else
struct Test {
  Four own;
  Float4 column[3];
  float share;

  static Float4 quad(const float* p) { return *reinterpret_cast<const Float4*>(p); }
  Test(const double* own_x, const float (*columns)[4], float share_of)
      : own(*reinterpret_cast<const Four*>(own_x)),
        column{quad(columns[0]), quad(columns[1]), quad(columns[2])},
        share(share_of) {}

  bool may_flow(const Rows& r, int k) const {
    bool any = false;
    for (int m = k; m < k + 4; ++m) {
      const Float4 now = __builtin_convertvector(place_at(r.x, r.target[m]) - own, Float4);
      const Float4 n = quad(r.star + 4 * m);
      const Float4 s = r.weight[m] * now - (n[0] * column[0] + n[1] * column[1] + n[2] * column[2]);
      const Float4 t = s * s - (share * n) * n;
      any |= !(t[0] + t[1] + t[2] < -least_square);
    }
    return any;
  }
};
#endif

constexpr int most_tested = 4 * 64;  // rows of a place, a bit of a word for four; larger stars are decided

/// Bit k: one of the rows 4 k .. 4 k + 3 may flow. The last four are the last of the place, whatever their
/// number: some may be tested twice.
inline unsigned long long fours_that_may_flow(const Test& test, const Rows& rows, int count) {
  unsigned long long out = 0;
  for (int k = 0; k < count; k += 4)
    if (test.may_flow(rows, k + 4 <= count ? k : count - 4)) out |= 1ull << (k / 4);
  return out;
}

/// Rows of a place, those of the fours given as bits, or all of a large star. Returns how many flowed.
int __attribute__((noinline)) flow_fours(const FlowArrays& a, const FlowLaw& law, const double* x, double* d,
                                         int i, unsigned long long fours) {
  Four r[9];
  load_rotation(a, i, r);
  const Four own = place_at(x, i);
  int rows = 0;
  for (int n = 0; n < a.count[i]; n += 4) {
    if (a.count[i] <= most_tested && !(fours >> (n / 4) & 1)) continue;
    const int real = a.count[i] - n < 4 ? a.count[i] - n : 4;
    rows += __builtin_popcount(
        unsigned(flow_four(a, law, x, own, r, a.begin[i] + n, d + 3 * (long(a.first[i]) + n), real)));
  }
  return rows;
}

/// What flow_fours reads of a place, fetched while others are tested: d lies in another order, and the rest
/// was not needed since the last flow.
inline void fetch(const FlowArrays& a, const double* d, int i) {
  const double* rows = d + 3 * long(a.first[i]);
  for (int n = 0; n < 3 * a.count[i]; n += 8) __builtin_prefetch(rows + n, 1);
  for (int n = 0; n < a.count[i]; n += 8) __builtin_prefetch(a.length + a.begin[i] + n);
  for (int n = 0; n < a.count[i]; n += 16) __builtin_prefetch(a.mirror + a.begin[i] + n);
}

void flow(const FlowArrays& arrays, const FlowLaw& law, const double* x, const unsigned* may_flow, double* d,
          int* flowed, int begin, int end, FlowLook& look) {
  const FlowArrays a = arrays;  // stores may alias what it points from
  const float least = certain_strain(law);
  const float share = least * least;
  Columns columns;
  unsigned long long fours[flow_lanes];
  for (int first = begin, next; first < end; first = next) {
    const int batch = first / flow_lanes;
    next = (batch + 1) * flow_lanes < end ? (batch + 1) * flow_lanes : end;
    const unsigned open = may_flow ? may_flow[batch] : ~0u;
    if (open) load_columns(a, batch, columns);
    for (int i = first; i < next; ++i) {
      const int lane = i % flow_lanes;
      fours[lane] = 0;
      if (!(open >> lane & 1)) continue;
      fours[lane] = ~0ull;
      if (least > 0 && a.count[i] >= 4 && a.count[i] <= most_tested) {
        const long k = a.begin[i];
        const Test test(x + 4 * long(i), columns.at[lane], share);
        fours[lane] = fours_that_may_flow(test, {a.target + k, a.star + 4 * k, a.weight + k, x}, a.count[i]);
      }
      ++look.stars, look.rows += a.count[i];
      if (!fours[lane]) continue;
      const int decided = 4 * __builtin_popcountll(fours[lane]);
      look.decided += decided < a.count[i] && a.count[i] <= most_tested ? decided : a.count[i];
      fetch(a, d, i);
    }
    for (int i = first; i < next; ++i)
      flowed[i] = fours[i % flow_lanes] ? flow_fours(a, law, x, d, i, fours[i % flow_lanes]) : 0;
  }
}

void copy(const FlowArrays& a, int place) {
  for (int n = 0; n < a.count[place]; ++n)
    write_row(a, a.begin[place] + n, load3(a.d + 3 * (long(a.first[place]) + n)));
}

// Neither is inlined anywhere: a star of a loaded state rounds as that of a running one.
void __attribute__((noinline)) sum(const FlowArrays& a, int place, double out[9]) {
  Four all = {}, b[3] = {};
  double least = a.count[place] > 0 ? 1e300 : 0;
  for (int n = 0; n < a.count[place]; ++n) {
    const Four d = load3(a.d + 3 * (long(a.first[place]) + n));
    const Four weighted = double(a.weight[a.begin[place] + n]) * d, product = weighted * d;
    all += weighted;
    for (int c = 0; c < 3; ++c) b[c] += d[c] * weighted;
    const double own = product[0] + product[1] + product[2];
    least = own < least ? own : least;
  }
  float* watched = a.watched + 2 * flow_lanes * long(place / flow_lanes) + place % flow_lanes;
  watched[0] = float(b[0][0] + b[1][1] + b[2][2]);
  watched[flow_lanes] = float(least);
  const double numbers[9] = {all[0], all[1], all[2], b[0][0], b[0][1], b[0][2], b[1][1], b[1][2], b[2][2]};
  for (int k = 0; k < 9; ++k) out[k] = numbers[k];
}

// The inverse of tr(B) 1 - B by cofactors.
bool __attribute__((noinline)) renew(const FlowArrays& a, int place, double least_determinant) {
  double s[9];
  sum(a, place, s);
  const double xx = s[6] + s[8], yy = s[3] + s[8], zz = s[3] + s[6], xy = -s[4], xz = -s[5], yz = -s[7];
  const double cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
  const double determinant = xx * cxx + xy * cxy + xz * cxz, mean = (xx + yy + zz) / 3;
  if (!(determinant > least_determinant * mean * mean * mean)) return false;
  const double theta = a.relief ? a.relieved[place] : 0;
  if (theta > 0) {
    const double bxx = s[6] * s[8] - s[7] * s[7], bxy = s[5] * s[7] - s[4] * s[8],
                 bxz = s[4] * s[7] - s[5] * s[6];
    const double det = s[3] * bxx + s[4] * bxy + s[5] * bxz, middle = (s[3] + s[6] + s[8]) / 3;
    if (!(det > least_determinant * middle * middle * middle)) return false;
    const double by = theta / det;
    float* relief = a.relief + 6 * flow_lanes * long(place / flow_lanes) + place % flow_lanes;
    relief[0] = float(by * bxx);
    relief[flow_lanes] = float(by * bxy);
    relief[2 * flow_lanes] = float(by * bxz);
    relief[3 * flow_lanes] = float(by * (s[3] * s[8] - s[5] * s[5]));
    relief[4 * flow_lanes] = float(by * (s[4] * s[5] - s[3] * s[7]));
    relief[5 * flow_lanes] = float(by * (s[3] * s[6] - s[4] * s[4]));
  }
  const double scale = 1 / determinant;
  float* slew = a.slew + 6 * flow_lanes * long(place / flow_lanes) + place % flow_lanes;
  slew[0] = float(scale * cxx);
  slew[flow_lanes] = float(scale * cxy);
  slew[2 * flow_lanes] = float(scale * cxz);
  slew[3 * flow_lanes] = float(scale * (xx * zz - xz * xz));
  slew[4 * flow_lanes] = float(scale * (xy * xz - xx * yz));
  slew[5 * flow_lanes] = float(scale * (xx * yy - xy * xy));
  for (int c = 0; c < 3; ++c) a.edge_sum[4 * long(place) + c] = float(s[c]);
  return true;
}

constexpr FlowKernels make_flow_kernels() { return {flow, copy, sum, renew}; }

}  // namespace
}  // namespace pliant::geometric
