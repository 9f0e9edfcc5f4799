// SPDX-License-Identifier: Apache-2.0
// The closed forms of green_coordinates.hpp for eight points side by side. See base/simd.hpp for how such a
// file is written: the functions below are all there is of logarithm and arc tangent here.
#include "pliant/geometry/green_kernels.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // everything below is inlined
#if defined(__x86_64__)
// GCC 12's own header leaves operands that are masked out uninitialised and then warns about them.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

namespace pliant {
namespace {

typedef double Lanes __attribute__((vector_size(64), may_alias));
typedef double LooseLanes __attribute__((vector_size(64), may_alias, aligned(8)));
typedef long long Bits __attribute__((vector_size(64), may_alias));

struct V3 {
  Lanes x, y, z;
};

inline Lanes load(const double* p) { return *reinterpret_cast<const LooseLanes*>(p); }
inline void store(double* p, const Lanes& v) { *reinterpret_cast<LooseLanes*>(p) = v; }
inline Lanes all(double a) { return Lanes{a, a, a, a, a, a, a, a}; }
inline Lanes choose(const Bits& mask, const Lanes& yes, const Lanes& no) {
  return (Lanes)(((Bits)yes & mask) | ((Bits)no & ~mask));
}
inline Lanes magnitude(const Lanes& a) { return choose(a < 0, -a, a); }

inline Lanes root(const Lanes& a) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_sqrt_pd((__m512d)a);
#else
  Lanes out;
#if defined(__AVX2__)
  for (int k = 0; k < 2; ++k)
    reinterpret_cast<__m256d*>(&out)[k] = _mm256_sqrt_pd(reinterpret_cast<const __m256d*>(&a)[k]);
#else
  for (int k = 0; k < 4; ++k)
    reinterpret_cast<__m128d*>(&out)[k] = _mm_sqrt_pd(reinterpret_cast<const __m128d*>(&a)[k]);
#endif
  return out;
#endif
}

inline V3 minus(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V3 times(const Lanes& s, const V3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline V3 plus(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V3 cross(const V3& a, const V3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline V3 constant(const double* p) { return {all(p[0]), all(p[1]), all(p[2])}; }

/// log(1 + x), x >= 0: with u = 1 + x = 2^e m and s = (m - 1)/(m + 1), |s| <= 0.1716,
///   log u = e log 2 + 2 s (1 + s^2/3 + s^4/5 + ...), and what rounding took from x is put back to first
///   order.
inline Lanes log_of_one_plus(const Lanes& x) {
  const Lanes u = 1.0 + x;
  const Lanes lost = (x - (u - 1.0)) / u;
  const Bits bits = (Bits)u;
  Bits exponent = (bits >> 52) - 1023;
  Lanes m = (Lanes)((bits & 0x000fffffffffffffLL) | 0x3ff0000000000000LL);
  const Bits high = m > 1.4142135623730951;
  m = choose(high, 0.5 * m, m);
  exponent -= high;  // a true lane is -1
  const Lanes e = __builtin_convertvector(exponent, Lanes);
  const Lanes s = (m - 1.0) / (m + 1.0), z = s * s;
  Lanes sum = all(1.0 / 23);
  for (int k = 21; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
  return e * 0.6931471805599453 + (2.0 * s * sum + lost);
}

/// atan2(y, x): the smaller over the larger of |x| and |y| is a tangent in [0, 1]; two half angles bring it
/// below 0.2, where the series converges fast.
inline Lanes arc(const Lanes& y, const Lanes& x) {
  const Lanes ax = magnitude(x), ay = magnitude(y);
  const Bits steep = ay > ax;
  const Lanes large = choose(steep, ay, ax), small = choose(steep, ax, ay);
  const Lanes safe = choose(large > 0, large, all(1));
  Lanes t = small / safe;
  t = t / (1.0 + root(1.0 + t * t));
  t = t / (1.0 + root(1.0 + t * t));
  const Lanes z = t * t;
  Lanes sum = all(1.0 / 27);
  for (int k = 25; k >= 1; k -= 2) sum = 1.0 / k - sum * z;
  Lanes angle = 4.0 * t * sum;
  angle = choose(steep, 1.5707963267948966 - angle, angle);
  angle = choose(x < 0, 3.141592653589793 - angle, angle);
  return choose(y < 0, -angle, angle);
}

inline void add(double* p, const Lanes& a) { store(p, load(p) + a); }

void green(const GreenTriangle* triangles, int count, const double* points, const GreenOutput& out) {
  const V3 X{load(points), load(points + 8), load(points + 16)};
  constexpr double share = 0.07957747154594767;  // 1/(4 pi)
  for (int f = 0; f < count; ++f) {
    const GreenTriangle& tri = triangles[f];
    const V3 n = constant(tri.normal);
    V3 r[3], m[3], grad_l[3];
    Lanes rho[3], h[3], log_k[3];
    for (int k = 0; k < 3; ++k) {
      r[k] = minus(constant(tri.vertex[k]), X);
      rho[k] = root(dot(r[k], r[k]));
    }
    const Lanes d = dot(n, r[0]);
    V3 v{all(0), all(0), all(0)}, grad_omega = v;
    Lanes single = all(0);
    for (int k = 0; k < 3; ++k) {
      const int b = k == 2 ? 0 : k + 1;
      const V3 t = constant(tri.along[k]);
      m[k] = constant(tri.outward[k]);
      const double l = tri.length[k];
      h[k] = dot(m[k], r[k]);
      const Lanes product = rho[k] * rho[b], c = dot(r[k], r[b]);
      const V3 side = cross(r[k], r[b]);
      const Lanes safe = choose(c >= 0, all(1), product - c);
      const Lanes q = choose(c >= 0, product + c, dot(side, side) / safe);
      const Lanes sum = rho[k] + rho[b];
      log_k[k] = log_of_one_plus(l * (sum + l) / q);  // 2 l / sm, sm = 2 q / (rho_a + rho_b + l)
      v = plus(v, times(log_k[k], m[k]));
      single += h[k] * log_k[k];
      const Lanes j = l * sum / (product * q);
      const V3 e = plus(times(d, n), times(h[k], m[k]));
      grad_l[k] = plus(times(j, e), times(1.0 / rho[k] - 1.0 / rho[b], t));
      grad_omega = minus(grad_omega, times(j, cross(t, e)));
    }
    const Lanes omega =
        2.0 * arc(d * tri.twice_area, rho[0] * rho[1] * rho[2] + dot(r[0], r[1]) * rho[2] +
                                          dot(r[1], r[2]) * rho[0] + dot(r[2], r[0]) * rho[1]);
    store(out.psi + 8 * tri.face, share * (single - d * omega));
    if (out.psi_gradient) {
      double* g = out.psi_gradient + 24 * tri.face;
      store(g, share * (n.x * omega - v.x));
      store(g + 8, share * (n.y * omega - v.y));
      store(g + 16, share * (n.z * omega - v.z));
    }
    for (int i = 0; i < 3; ++i) {
      const int o = i == 2 ? 0 : i + 1;
      const double c = share * tri.length[o] / tri.twice_area;
      const Lanes across = dot(m[o], v);
      add(out.phi + 8 * tri.index[i], c * (h[o] * omega + d * across));
      if (!out.phi_gradient) continue;
      V3 g = minus(times(h[o], grad_omega), plus(times(omega, m[o]), times(across, n)));
      for (int k = 0; k < 3; ++k) g = plus(g, times(d * dot(m[o], m[k]), grad_l[k]));
      double* at = out.phi_gradient + 24 * tri.index[i];
      add(at, c * g.x);
      add(at + 8, c * g.y);
      add(at + 16, c * g.z);
    }
  }
}

}  // namespace
}  // namespace pliant
