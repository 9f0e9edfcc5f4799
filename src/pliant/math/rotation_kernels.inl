// SPDX-License-Identifier: Apache-2.0
// Batched rotations, single precision, 16 lanes (see rotation.hpp for the problem). Internal linkage, plain
// GCC vectors: included by rotation_{portable,avx2,avx512}.cpp and by kernels that make A in place.
//
// Newton on SO(3) with the rotation kept as a unit quaternion q (body frame):
//   B = R(q)^T A,  t = axial(B) = (B21 - B12, B02 - B20, B10 - B01)      (gradient of tr(R^T A))
//   H = tr(B) I - (B + B^T)/2 + 1e-4 |A| I                               (minus its Hessian, regularised)
//   w = H^-1 t,  q <- normalise(q (1, w/2))
// With H^-1 = C/det H, C the cofactors, the update is the direction of q (det H, C t / 2): no division.
// Where H is not positive definite (det <= 1e-6 tr^3, second invariant <= 0 or tr small) w = t/|A|.
// At a maximum tr H >= 1.1 |A|, so "tr small" (< 0.01 |A|) only guards the single-precision range of det^2.
//
// tr(R^T A) is a Rayleigh quotient in q: it has saddles but no local maximum besides the global one. A lane
// with t = 0 and H positive definite is therefore done.

#include <immintrin.h>

namespace pliant {
namespace {
namespace rotation_lanes {

#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX2__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif
typedef float Lanes __attribute__((vector_size(4 * width), may_alias));

#if defined(__AVX512F__)
// The zero-masking forms: g++ 12 warns about its own "undefined" operand in the plain ones.
constexpr __mmask16 every = 0xffff;
inline Lanes square_root(Lanes x) { return (Lanes)_mm512_maskz_sqrt_ps(every, (__m512)x); }
/// 1/sqrt(x) by the 14-bit estimate (bit-exact by its specification) and one Newton step: half the latency.
inline Lanes inverse_root(Lanes x) {
  const Lanes y = (Lanes)_mm512_maskz_rsqrt14_ps(every, (__m512)x);
  return y + 0.5f * y * (1.0f - x * y * y);
}
inline Lanes magnitude(Lanes x) { return (Lanes)_mm512_abs_ps((__m512)x); }
inline Lanes smaller(Lanes x, Lanes y) { return (Lanes)_mm512_maskz_min_ps(every, (__m512)x, (__m512)y); }
inline Lanes larger(Lanes x, Lanes y) { return (Lanes)_mm512_maskz_max_ps(every, (__m512)x, (__m512)y); }
/// Bit k: not (x <= y) in lane k, so that NaN counts.
inline unsigned not_within(Lanes x, Lanes y) { return _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_NLE_UQ); }
#elif defined(__AVX2__)
inline Lanes square_root(Lanes x) { return (Lanes)_mm256_sqrt_ps((__m256)x); }
inline Lanes inverse_root(Lanes x) { return 1.0f / square_root(x); }
inline Lanes magnitude(Lanes x) { return (Lanes)_mm256_andnot_ps(_mm256_set1_ps(-0.0f), (__m256)x); }
inline Lanes smaller(Lanes x, Lanes y) { return (Lanes)_mm256_min_ps((__m256)x, (__m256)y); }
inline Lanes larger(Lanes x, Lanes y) { return (Lanes)_mm256_max_ps((__m256)x, (__m256)y); }
inline unsigned not_within(Lanes x, Lanes y) {
  return unsigned(_mm256_movemask_ps(_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_NLE_UQ)));
}
#else
inline Lanes square_root(Lanes x) { return (Lanes)_mm_sqrt_ps((__m128)x); }
inline Lanes inverse_root(Lanes x) { return 1.0f / square_root(x); }
inline Lanes magnitude(Lanes x) { return (Lanes)_mm_andnot_ps(_mm_set1_ps(-0.0f), (__m128)x); }
inline Lanes smaller(Lanes x, Lanes y) { return (Lanes)_mm_min_ps((__m128)x, (__m128)y); }
inline Lanes larger(Lanes x, Lanes y) { return (Lanes)_mm_max_ps((__m128)x, (__m128)y); }
inline unsigned not_within(Lanes x, Lanes y) {
  return unsigned(_mm_movemask_ps(_mm_cmpnle_ps((__m128)x, (__m128)y)));
}
#endif

inline Lanes splat(float x) { return x - Lanes{}; }

/// R(q) of unit quaternions, row-major.
inline void to_matrix(const Lanes q[4], Lanes r[9]) {
  const Lanes x2 = q[1] + q[1], y2 = q[2] + q[2], z2 = q[3] + q[3];
  const Lanes xx = q[1] * x2, yy = q[2] * y2, zz = q[3] * z2;
  const Lanes xy = q[1] * y2, xz = q[1] * z2, yz = q[2] * z2;
  r[0] = 1.0f - (yy + zz);
  r[1] = xy - q[0] * z2;
  r[2] = xz + q[0] * y2;
  r[3] = xy + q[0] * z2;
  r[4] = 1.0f - (xx + zz);
  r[5] = yz - q[0] * x2;
  r[6] = xz - q[0] * y2;
  r[7] = yz + q[0] * x2;
  r[8] = 1.0f - (xx + yy);
}

/// (R^T A)_ij, both row-major.
inline Lanes rotated_back(const Lanes r[9], const Lanes a[9], int i, int j) {
  return r[i] * a[j] + r[3 + i] * a[3 + j] + r[6 + i] * a[6 + j];
}

/// q <- normalise(q (s, v)).
inline void turn(Lanes q[4], Lanes s, const Lanes v[3]) {
  const Lanes w = q[0] * s - q[1] * v[0] - q[2] * v[1] - q[3] * v[2];
  const Lanes x = q[0] * v[0] + q[1] * s + q[2] * v[2] - q[3] * v[1];
  const Lanes y = q[0] * v[1] + q[2] * s + q[3] * v[0] - q[1] * v[2];
  const Lanes z = q[0] * v[2] + q[3] * s + q[1] * v[1] - q[2] * v[0];
  const Lanes scale = inverse_root(w * w + x * x + y * y + z * z);
  q[0] = w * scale;
  q[1] = x * scale;
  q[2] = y * scale;
  q[3] = z * scale;
}

/// One Newton iteration; norm = |A|. Returns a number that is positive where H was positive definite.
inline Lanes newton_step(const Lanes a[9], Lanes norm, Lanes q[4]) {
  Lanes r[9];
  to_matrix(q, r);
  const Lanes b00 = rotated_back(r, a, 0, 0), b01 = rotated_back(r, a, 0, 1), b02 = rotated_back(r, a, 0, 2);
  const Lanes b10 = rotated_back(r, a, 1, 0), b11 = rotated_back(r, a, 1, 1), b12 = rotated_back(r, a, 1, 2);
  const Lanes b20 = rotated_back(r, a, 2, 0), b21 = rotated_back(r, a, 2, 1), b22 = rotated_back(r, a, 2, 2);
  const Lanes t0 = b21 - b12, t1 = b02 - b20, t2 = b10 - b01;
  const Lanes shift = 1e-4f * norm;
  const Lanes h00 = b11 + b22 + shift, h11 = b00 + b22 + shift, h22 = b00 + b11 + shift;
  const Lanes h01 = -0.5f * (b01 + b10), h02 = -0.5f * (b02 + b20), h12 = -0.5f * (b12 + b21);
  const Lanes c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
  const Lanes c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
  const Lanes det = h00 * c00 + h01 * c01 + h02 * c02, trace = h00 + h11 + h22;
  const Lanes definite =
      smaller(smaller(det - 1e-6f * trace * trace * trace, trace - 0.01f * norm), c00 + c11 + c22);
  const auto newton = definite > 0.0f;
  const Lanes v[3] = {0.5f * (newton ? c00 * t0 + c01 * t1 + c02 * t2 : t0),
                      0.5f * (newton ? c01 * t0 + c11 * t1 + c12 * t2 : t1),
                      0.5f * (newton ? c02 * t0 + c12 * t1 + c22 * t2 : t2)};
  turn(q, newton ? det : norm, v);
  return definite;
}

/// A of `given` scaled so that its largest entry is 1 (any float range must work); an A below the normal
/// range becomes 0. Returns |A| of the scaled matrix, NaN where an entry is not finite.
inline Lanes scaled(const Lanes given[9], Lanes a[9]) {
  Lanes largest = magnitude(given[0]);
  for (int k = 1; k < 9; ++k) largest = larger(largest, magnitude(given[k]));
  const Lanes inverse = largest < 1e-37f ? splat(0) : 1.0f / largest;
  Lanes sum = {};
  for (int k = 0; k < 9; ++k) {
    a[k] = given[k] * inverse;
    sum += a[k] * a[k];
  }
  return square_root(sum);
}

/// R = R(q), and the lanes that need the robust version: a gradient that is not small, H not positive
/// definite in the last step, a reflection, or anything not finite.
inline unsigned unfinished(const Lanes a[9], Lanes norm, Lanes definite, const Lanes q[4], Lanes r[9]) {
  to_matrix(q, r);
  const Lanes t0 = rotated_back(r, a, 2, 1) - rotated_back(r, a, 1, 2);
  const Lanes t1 = rotated_back(r, a, 0, 2) - rotated_back(r, a, 2, 0);
  const Lanes t2 = rotated_back(r, a, 1, 0) - rotated_back(r, a, 0, 1);
  // A planar neighbourhood has det A = 0 up to round-off: only a determinant beyond it is a reflection.
  const Lanes det = a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) +
                    a[2] * (a[3] * a[7] - a[4] * a[6]);
  const Lanes square = norm * norm;
  return not_within(t0 * t0 + t1 * t1 + t2 * t2, 1e-6f * square) | not_within(-definite, splat(0)) |
         not_within(-det, 1e-5f * norm * square);
}

/// `sets` times `width` lanes at once: one set alone waits for its own results, two fill the gaps of each
/// other. Lanes with A = 0 or A not finite keep q; the latter are among the unfinished.
template <int sets>
inline void nearest(const Lanes (*given)[9], Lanes (*q)[4], Lanes (*r)[9], int iterations, unsigned* rest) {
  Lanes a[sets][9], norm[sets], warm[sets][4], definite[sets];
  for (int s = 0; s < sets; ++s) {
    norm[s] = scaled(given[s], a[s]);
    definite[s] = splat(1);
    for (int k = 0; k < 4; ++k) warm[s][k] = q[s][k];
  }
  for (int k = 0; k < iterations; ++k)
    for (int s = 0; s < sets; ++s) definite[s] = newton_step(a[s], norm[s], q[s]);
  for (int s = 0; s < sets; ++s) {
    const auto usable = norm[s] > 0.0f;
    for (int k = 0; k < 4; ++k) q[s][k] = usable ? q[s][k] : warm[s][k];
    rest[s] = unfinished(a[s], norm[s], usable ? definite[s] : splat(1), q[s], r[s]);
  }
}

/// Sixteen lanes in memory, aligned to 64 bytes, as in RotationBatch: A, the quaternions in and out, R out.
struct Sixteen {
  const float (*a)[16];
  float (*q)[16];
  float (*r)[16];
};

template <int sets>
inline void nearest_from(const Sixteen* const* blocks, const int* begin, int iterations, unsigned* rest) {
  Lanes a[sets][9], q[sets][4], r[sets][9];
  for (int s = 0; s < sets; ++s) {
    for (int k = 0; k < 9; ++k) a[s][k] = *reinterpret_cast<const Lanes*>(blocks[s]->a[k] + begin[s]);
    for (int k = 0; k < 4; ++k) q[s][k] = *reinterpret_cast<const Lanes*>(blocks[s]->q[k] + begin[s]);
  }
  nearest<sets>(a, q, r, iterations, rest);
  for (int s = 0; s < sets; ++s) {
    for (int k = 0; k < 4; ++k) *reinterpret_cast<Lanes*>(blocks[s]->q[k] + begin[s]) = q[s][k];
    for (int k = 0; k < 9; ++k) *reinterpret_cast<Lanes*>(blocks[s]->r[k] + begin[s]) = r[s][k];
  }
}

/// `iterations` Newton steps of 16 lanes, whatever the width of the registers. Bit k of the result: lane k
/// must be finished by finish_rotations (rotation.hpp).
inline unsigned nearest16(const Sixteen& block, int iterations) {
  unsigned result = 0;
  for (int begin = 0; begin < 16; begin += width) {
    const Sixteen* const blocks[1] = {&block};
    unsigned rest[1];
    nearest_from<1>(blocks, &begin, iterations, rest);
    result |= rest[0] << begin;
  }
  return result;
}

/// The same for two blocks together (a third faster per lane on AVX-512); bits 0-15 and 16-31.
inline unsigned nearest32(const Sixteen& low, const Sixteen& high, int iterations) {
  unsigned result = 0;
  for (int begin = 0; begin < 16; begin += width) {
    const Sixteen* const blocks[2] = {&low, &high};
    const int begins[2] = {begin, begin};
    unsigned rest[2];
    nearest_from<2>(blocks, begins, iterations, rest);
    result |= rest[0] << begin | rest[1] << (16 + begin);
  }
  return result;
}

/// The memory of RotationBatch (rotation.hpp), which brings Eigen and so cannot be included here.
inline Sixteen block_of(float* batch) {
  const auto rows = reinterpret_cast<float(*)[16]>(batch);
  return {rows, rows + 9, rows + 13};
}

/// One RotationBatch, or two that follow each other: lanes 0-15 and 16-31.
inline unsigned nearest_in_batches(float* first, bool two, int iterations) {
  if (!two) return nearest16(block_of(first), iterations);
  return nearest32(block_of(first), block_of(first + 22 * 16), iterations);
}

}  // namespace rotation_lanes
}  // namespace
}  // namespace pliant
