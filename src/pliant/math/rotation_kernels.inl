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

/// `iterations` Newton steps of `width` lanes from the quaternions q (w, x, y, z); R = R(q) of the result.
/// Returns the lanes that need the robust version. Lanes with A = 0 or A not finite keep q; the latter are
/// among the returned.
inline unsigned nearest(const Lanes given[9], Lanes q[4], Lanes r[9], int iterations) {
  Lanes a[9];
  const Lanes norm = scaled(given, a);
  const Lanes warm[4] = {q[0], q[1], q[2], q[3]};
  Lanes definite = splat(1);
  for (int k = 0; k < iterations; ++k) definite = newton_step(a, norm, q);
  const auto usable = norm > 0.0f;
  for (int k = 0; k < 4; ++k) q[k] = usable ? q[k] : warm[k];
  definite = usable ? definite : splat(1);
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

/// The same for 16 lanes in memory (arrays aligned to 64 bytes), whatever the width of the registers. Bit k
/// of the result: lane k must be finished by finish_rotations (rotation.hpp).
inline unsigned nearest16(const float (*given)[16], float (*q)[16], float (*r)[16], int iterations) {
  unsigned unfinished = 0;
  for (int begin = 0; begin < 16; begin += width) {
    Lanes a[9], quaternion[4], rotation[9];
    for (int k = 0; k < 9; ++k) a[k] = *reinterpret_cast<const Lanes*>(given[k] + begin);
    for (int k = 0; k < 4; ++k) quaternion[k] = *reinterpret_cast<const Lanes*>(q[k] + begin);
    unfinished |= nearest(a, quaternion, rotation, iterations) << begin;
    for (int k = 0; k < 4; ++k) *reinterpret_cast<Lanes*>(q[k] + begin) = quaternion[k];
    for (int k = 0; k < 9; ++k) *reinterpret_cast<Lanes*>(r[k] + begin) = rotation[k];
  }
  return unfinished;
}

}  // namespace rotation_lanes
}  // namespace
}  // namespace pliant
