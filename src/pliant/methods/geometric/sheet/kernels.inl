// SPDX-License-Identifier: Apache-2.0
// The kernels of sheet/kernels.hpp; see base/simd.hpp for how such a file is written.

#include "pliant/methods/geometric/sheet/kernels.hpp"

namespace pliant::geometric {
namespace {

typedef float Quad __attribute__((vector_size(16), may_alias));
typedef double Quad64 __attribute__((vector_size(32), may_alias, aligned(32)));

inline Quad load(const float* p) { return *reinterpret_cast<const Quad*>(p); }
inline void store(float* p, Quad q) { *reinterpret_cast<Quad*>(p) = q; }
inline Quad64 load(const double* p) { return *reinterpret_cast<const Quad64*>(p); }
inline void store(double* p, Quad64 q) { *reinterpret_cast<Quad64*>(p) = q; }
inline Quad narrow(Quad64 q) { return __builtin_convertvector(q, Quad); }
inline Quad64 widen(Quad q) { return __builtin_convertvector(q, Quad64); }

template <class Vector>
inline Vector next(Vector v) {  // y, z, x
  return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
template <class Vector>
inline Vector cross(Vector a, Vector b) {
  return next(a * next(b) - next(a) * b);
}
inline double dot(Quad64 a, Quad64 b) {
  const Quad64 c = a * b;
  return c[0] + c[1] + c[2];
}
inline double largest(double a, double b) { return a > b ? a : b; }

constexpr double flat_limit = 1e-6;  // area over stretches at which a triangle is a line

/// G^-1 in the axes of the plane: with U the stretch, tr(S) I - S has the cofactors of U in the plane and tr(U)
/// about the normal, G0 has 1, 1 and 2; the positive part of the difference is found along the eigenvectors.
/// For B with eigenvalues m +- r: f(B) = (f1 + f2)/2 I + (f1 - f2)/(2 r) (B - m I), f(s) = 1/max(1, s).
inline void tension_of(double u11, double u12, double u22, double weight, double* slew) {
  const double mean = (u11 + u22) / 2, half = (u22 - u11) / 2;  // of the cofactors
  const double r = __builtin_sqrt(half * half + u12 * u12);
  const double f1 = 1 / largest(1, mean + r), f2 = 1 / largest(1, mean - r);
  const double s = r > 1e-12 * mean ? (f1 - f2) / (2 * r) : 0, f = (f1 + f2) / 2;
  slew[0] = (f + s * half) / weight;
  slew[1] = -s * u12 / weight;
  slew[2] = (f - s * half) / weight;
  slew[3] = 1 / (largest(2, 2 * mean) * weight);
}

void push(const SheetArrays& arrays, int t) {
  const double* slope = arrays.slope + 8 * t;
  const double weight = slope[4];
  const Quad64 r1 = load(arrays.frame + 12 * t), r2 = load(arrays.frame + 12 * t + 4);
  const Quad64 r3 = load(arrays.frame + 12 * t + 8);
  const Quad64 q1 = weight * (slope[0] * r1 + slope[1] * r2), q2 = weight * (slope[2] * r1 + slope[3] * r2);
  store(arrays.force + 12 * t, -q1 - q2);
  store(arrays.force + 12 * t + 4, q1);
  store(arrays.force + 12 * t + 8, q2);
  const double* p = arrays.slew + 4 * t;
  const Quad64 a = p[0] * r1 + p[1] * r2, b = p[1] * r1 + p[2] * r2, c = p[3] * r3;
  float* lever = arrays.lever + 20 * t;
  store(lever, narrow(q1));
  store(lever + 4, narrow(q2));
  for (int k = 0; k < 3; ++k) store(lever + 8 + 4 * k, narrow(r1[k] * a + r2[k] * b + r3[k] * c));
}

/// With F = [f1 f2] the deformation of the plane, C = F^T F and J = sqrt(det C): U = sqrt(C) is
/// (C + J I)/sqrt(tr C + 2 J), and [r1 r2] = F U^-1.
void fit(const SheetArrays& arrays, const double* x, bool tension, int begin, int end) {
  for (int t = begin; t < end; ++t) {
    const int* corner = arrays.corner + 3 * t;
    const double* slope = arrays.slope + 8 * t;
    const Quad64 origin = load(x + 4 * long(corner[0]));
    const Quad64 a = load(x + 4 * long(corner[1])) - origin, b = load(x + 4 * long(corner[2])) - origin;
    const Quad64 f1 = slope[0] * a + slope[2] * b, f2 = slope[1] * a + slope[3] * b;
    const double c11 = dot(f1, f1), c12 = dot(f1, f2), c22 = dot(f2, f2);
    const Quad64 normal = cross(f1, f2);
    const double area = __builtin_sqrt(dot(normal, normal)), size = c11 + c22;
    arrays.flattened[t] = !(area > flat_limit * size);
    if (arrays.flattened[t]) continue;
    const double trace = __builtin_sqrt(size + 2 * area), scale = 1 / (trace * area);
    double* frame = arrays.frame + 12 * t;
    store(frame, scale * ((c22 + area) * f1 - c12 * f2));
    store(frame + 4, scale * ((c11 + area) * f2 - c12 * f1));
    store(frame + 8, normal / area);
    if (tension)
      tension_of((c11 + area) / trace, c12 / trace, (c22 + area) / trace, slope[4], arrays.slew + 4 * t);
    push(arrays, t);
  }
}

double gradient(const SheetArrays& arrays, const double* x, double scale, const SheetCollect& c, int begin,
                int end) {
  Quad64 total = {0, 0, 0, 0};
  for (int i = begin; i < end; ++i) {
    const Quad64 here = load(x + 4 * long(i));
    Quad64 even = {0, 0, 0, 0}, odd = even;
    int n = arrays.row[i];
    const int last = arrays.row[i + 1];
    for (; n + 1 < last; n += 2) {
      even += arrays.value[n] * (load(x + 4 * long(arrays.column[n])) - here);
      odd += arrays.value[n + 1] * (load(x + 4 * long(arrays.column[n + 1])) - here);
    }
    if (n < last) even += arrays.value[n] * (load(x + 4 * long(arrays.column[n])) - here);
    for (int m = arrays.incident_begin[i]; m < arrays.incident_begin[i + 1]; ++m)
      odd -= load(arrays.force + 4 * long(arrays.incident[m]));
    Quad64 g = scale * (even + odd);
    if (c.base) g += widen(load(c.base + 4 * long(i)));
    if (c.diagonal) g += double(c.diagonal[i]) * widen(load(c.u + 4 * long(i)));
    const Quad out = narrow(g);
    store(c.out + 4 * long(i), out);
    if (c.u) total += widen(out) * widen(load(c.u + 4 * long(i)));
  }
  return total[0] + total[1] + total[2];
}

void follow(const SheetArrays& arrays, const float* p, int begin, int end) {
  for (int t = begin; t < end; ++t) {
    const int* corner = arrays.corner + 3 * t;
    const float* lever = arrays.lever + 20 * t;
    const Quad q1 = load(lever), q2 = load(lever + 4), origin = load(p + 4 * long(corner[0]));
    const Quad a =
        cross(q1, load(p + 4 * long(corner[1])) - origin) + cross(q2, load(p + 4 * long(corner[2])) - origin);
    const Quad w = a[0] * load(lever + 8) + a[1] * load(lever + 12) + a[2] * load(lever + 16);
    store(arrays.turn + 4 * long(t), w);
    const Quad one = cross(w, q1), two = cross(w, q2);
    float* out = arrays.followed + 12 * long(t);
    store(out, -one - two);
    store(out + 4, one);
    store(out + 8, two);
  }
}

double product(const SheetArrays& arrays, const float* p, float pull, float turning, const SheetCollect& c,
               int begin, int end) {
  Quad64 total = {0, 0, 0, 0};
  for (int i = begin; i < end; ++i) {
    const Quad here = load(p + 4 * long(i));
    Quad sum[4] = {};
    int n = arrays.row[i];
    const int last = arrays.row[i + 1];
    for (; n + 3 < last; n += 4)
      for (int k = 0; k < 4; ++k)
        sum[k] += arrays.value_float[n + k] * (load(p + 4 * long(arrays.column[n + k])) - here);
    for (; n < last; ++n) sum[0] += arrays.value_float[n] * (load(p + 4 * long(arrays.column[n])) - here);
    Quad followed = {0, 0, 0, 0};
    for (int m = arrays.incident_begin[i]; m < arrays.incident_begin[i + 1]; ++m)
      followed += load(arrays.followed + 4 * long(arrays.incident[m]));
    Quad out = pull * ((sum[0] + sum[1]) + (sum[2] + sum[3])) - turning * followed;
    if (c.base) out += load(c.base + 4 * long(i));
    if (c.diagonal) out += c.diagonal[i] * load(c.u + 4 * long(i));
    store(c.out + 4 * long(i), out);
    if (c.u) total += widen(out) * widen(load(c.u + 4 * long(i)));
  }
  return total[0] + total[1] + total[2];
}

constexpr SheetKernels make_sheet_kernels() { return {fit, push, gradient, follow, product}; }

}  // namespace
}  // namespace pliant::geometric
