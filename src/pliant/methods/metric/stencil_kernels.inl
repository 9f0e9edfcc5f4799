// SPDX-License-Identifier: Apache-2.0
// The kernels of stencil_kernels.hpp; see base/simd.hpp for how such a file is written. All are in gather
// form: a point writes its own entries only, so that any split of the range gives the same bits. A constraint
// is evaluated at both its ends, with differences that are exact negatives of each other: the two forces
// cancel to the last bit.
#include <immintrin.h>

#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX2__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
constexpr int wide = lanes / 2;

typedef float Floats __attribute__((vector_size(4 * lanes), may_alias, aligned(4)));
typedef double Doubles __attribute__((vector_size(8 * wide), may_alias, aligned(8)));
typedef float HalfFloats __attribute__((vector_size(4 * wide), may_alias, aligned(4)));
typedef long long Mask __attribute__((vector_size(8 * wide), may_alias, aligned(8)));

inline Floats load(const float* p) { return *reinterpret_cast<const Floats*>(p); }
inline void store(float* p, Floats v) { *reinterpret_cast<Floats*>(p) = v; }
inline Doubles load(const double* p) { return *reinterpret_cast<const Doubles*>(p); }
inline void store(double* p, Doubles v) { *reinterpret_cast<Doubles*>(p) = v; }
inline void store_float(float* p, Doubles v) {
  *reinterpret_cast<HalfFloats*>(p) = __builtin_convertvector(v, HalfFloats);
}
inline HalfFloats load_half(const float* p) { return *reinterpret_cast<const HalfFloats*>(p); }
inline void add_float(float* p, Doubles v) {
  *reinterpret_cast<HalfFloats*>(p) += __builtin_convertvector(v, HalfFloats);
}

inline double summed(Floats v) {
  double sum = 0;
  for (int k = 0; k < lanes; ++k) sum += double(v[k]);
  return sum;
}

#if defined(__AVX512F__)
typedef __mmask8 Where;
inline Where where(const std::uint64_t* bits, std::uint64_t bit) {
  return _mm512_test_epi64_mask(_mm512_loadu_si512(bits), _mm512_set1_epi64(static_cast<long long>(bit)));
}
inline Doubles only(Doubles v, Where m) { return (Doubles)_mm512_maskz_mov_pd(m, (__m512d)v); }
inline Doubles chosen(Where m, Doubles v, Doubles other) {
  return (Doubles)_mm512_mask_mov_pd((__m512d)other, m, (__m512d)v);
}
#else
typedef Mask Where;
inline Where where(const std::uint64_t* bits, std::uint64_t bit) {
  return (*reinterpret_cast<const Mask*>(bits) & static_cast<long long>(bit)) != 0;
}
inline Doubles only(Doubles v, Where m) { return m ? v : Doubles{}; }
inline Doubles chosen(Where m, Doubles v, Doubles other) { return m ? v : other; }
#endif
inline Doubles absolute(Doubles v) {
  return reinterpret_cast<Doubles>(reinterpret_cast<Mask>(v) & 0x7fffffffffffffffLL);
}

struct Edge {
  Doubles x, y, z;  ///< r_q - r_p
};
inline Edge edge(const EvaluateSweep& s, int p, int q) {
  return {load(s.x + q) - load(s.x + p), load(s.y + q) - load(s.y + p), load(s.z + q) - load(s.z + p)};
}
inline Doubles square(const Edge& e) { return e.x * e.x + e.y * e.y + e.z * e.z; }

void evaluate_angles(const EvaluateSweep& s, int p, Doubles f[3]) {
  for (int k = 0; k < s.angle_count; ++k) {
    const StencilAngle& t = s.angles[k];
    const double ihh = t.inverse_hh;
    // as the corner of the angle
    const Edge a = edge(s, p, p + t.first), b = edge(s, p, p + t.second);
    const Where here = where(s.bits + p, t.bit);
    const Doubles w = only(t.eta * (a.x * b.x + a.y * b.y + a.z * b.z) * ihh * ihh, here);
    f[0] += w * (a.x + b.x), f[1] += w * (a.y + b.y), f[2] += w * (a.z + b.z);
    if (t.w) store_float(t.w + p, s.scale * w);
    if (t.c) store_float(t.c + p, only(Doubles{} + s.scale * t.eta * ihh * ihh, here));
    if (s.angle_clamp) {
      const double bound = s.angle_bound * t.eta * ihh * ihh;
      const Doubles size = absolute(w);
      add_float(t.a_first + p, s.scale * (size + only(bound * square(b), here)));
      add_float(t.a_second + p, s.scale * (size + only(bound * square(a), here)));
    }
    // as the end of the first edge, and of the second
    for (int end = 0; end < 2; ++end) {
      const int o = p - (end == 0 ? t.first : t.second);
      const Edge mine = edge(s, o, p), other = edge(s, o, o + (end == 0 ? t.second : t.first));
      const Doubles v = only(t.eta * (mine.x * other.x + mine.y * other.y + mine.z * other.z) * ihh * ihh,
                             where(s.bits + o, t.bit));
      f[0] -= v * other.x, f[1] -= v * other.y, f[2] -= v * other.z;
    }
  }
}

/// alpha/H^2 of the constraint of the set whose difference is e; its strain in s.
inline Doubles weight(const StencilSet& set, const Edge& e, Doubles rest, Doubles& s) {
  s = square(e) * set.inverse_h2 - rest;
  return set.eta * (set.squared ? s * absolute(s) : s);
}

/// What one round evaluates: points side by side share the numbers of a set and fill each other's waits.
constexpr int side_by_side = lanes == 16 ? 2 : 1;

/// The constraints of a set at p: forces added to f, the weights stored.
template <bool flowed>
inline void evaluate_set(const EvaluateSweep& s, const StencilSet& set, int p, const Doubles at[3],
                         Doubles f[3]) {
  const int q = p + set.offset, o = p - set.offset;
  const Doubles here = __builtin_convertvector(load_half(set.share + p), Doubles),
                there = __builtin_convertvector(load_half(set.share + o), Doubles);
  Doubles rest = Doubles{} + 1, rest_there = rest, sf, sb;
  if constexpr (flowed) rest = load(set.rest + p), rest_there = load(set.rest + o);
  const Edge back = {load(s.x + o) - at[0], load(s.y + o) - at[1], load(s.z + o) - at[2]};
  const Edge forth = {load(s.x + q) - at[0], load(s.y + q) - at[1], load(s.z + q) - at[2]};
  const Doubles v = there * weight(set, back, rest_there, sb);
  const Doubles w = here * weight(set, forth, rest, sf);
  f[0] += v * back.x, f[1] += v * back.y, f[2] += v * back.z;
  f[0] += w * forth.x, f[1] += w * forth.y, f[2] += w * forth.z;
  const Doubles floor = Doubles{} + s.floor;
  store_float(set.a + p, s.scale * (w > floor ? w : floor) + set.add * here);
  if (set.c) store_float(set.c + p, here * (set.stretch + set.stretch_slope * absolute(sf)));
}

// Stores may alias anything: what is loaded before the first store of a round stays in registers.
template <bool flowed>
void evaluate_sets(const EvaluateSweep& sweep, int begin, int end) {
  const EvaluateSweep s = sweep;
  constexpr int round = side_by_side * wide;
  static_assert(stencil_block % round == 0);
  for (int p = begin; p < end; p += round) {
    Doubles f[side_by_side][3] = {}, at[side_by_side][3];
    for (int n = 0; n < side_by_side; ++n)
      at[n][0] = load(s.x + p + n * wide), at[n][1] = load(s.y + p + n * wide),
      at[n][2] = load(s.z + p + n * wide);
    for (int k = 0; k < s.set_count; ++k) {
      const StencilSet set = s.sets[k];
      for (int n = 0; n < side_by_side; ++n) evaluate_set<flowed>(s, set, p + n * wide, at[n], f[n]);
    }
    for (int n = 0; n < side_by_side; ++n) {
      if (s.angle_count > 0) evaluate_angles(s, p + n * wide, f[n]);
      for (int c = 0; c < 3; ++c) store(s.force[c] + p + n * wide, f[n][c]);
    }
  }
}

void evaluate(const EvaluateSweep& s, int begin, int end) {
  if (s.set_count > 0 && s.sets[0].rest)
    evaluate_sets<true>(s, begin, end);
  else
    evaluate_sets<false>(s, begin, end);
}

// Sets by number: loops of a known length are unrolled, so that every stream through memory has loads of its
// own, which the processor learns to fetch ahead (a quarter of the time on 64^3 points). 16 sets are the
// improved model's, 13 those of coarse lattices; 0 = any.
constexpr int usual_sets = 16, coarse_sets = 13;

enum class Use { product, residual, smooth, start };
enum class Form { differences, sums };

template <Form form>
inline void add_pair(Floats out[3], const Floats own[3], Floats a, const float* const in[3], long q) {
  for (int c = 0; c < 3; ++c)
    if constexpr (form == Form::differences)
      out[c] += a * (own[c] - load(in[c] + q));
    else
      out[c] -= a * load(in[c] + q);
}

/// What a use makes of out = A in at p; adds to the sum.
template <Use use>
inline void finish(const ApplySweep& s, long p, const Floats in[3], Floats out[3], Floats& sum) {
  if constexpr (use == Use::smooth) {
    const Floats d = s.damping * load(s.smoothing + p);
    const Floats r[3] = {load(s.right[0] + p), load(s.right[1] + p), load(s.right[2] + p)};
    for (int c = 0; c < 3; ++c) out[c] = in[c] + d * (r[c] - out[c]);
    sum += r[0] * out[0] + r[1] * out[1] + r[2] * out[2];
  } else {
    if constexpr (use != Use::product)
      for (int c = 0; c < 3; ++c) out[c] = load(s.right[c] + p) - out[c];
    const Floats free = load(s.free + p);
    for (int c = 0; c < 3; ++c) out[c] *= free;
    if constexpr (use == Use::start) {
      const Floats d = load(s.smoothing + p), z[3] = {d * out[0], d * out[1], d * out[2]};
      for (int c = 0; c < 3; ++c) store(s.scaled[c] + p, z[c]);
      sum += z[0] * out[0] + z[1] * out[1] + z[2] * out[2];
    } else {
      sum += in[0] * out[0] + in[1] * out[1] + in[2] * out[2];
    }
  }
  for (int c = 0; c < 3; ++c) store(s.out[c] + p, out[c]);
}

/// `together` times `lanes` points at p.
template <Use use, Form form, int known, int together>
inline void apply_round(const ApplySweep& s, const float* const in[3], long p, Floats& sum) {
  const int count = known > 0 ? known : s.set_count;
  Floats own[together][3], out[together][3], behind[together][3] = {};  // two chains of sums
  for (int n = 0; n < together; ++n) {
    const Floats m = load(s.mass + p + n * lanes);
    for (int c = 0; c < 3; ++c) own[n][c] = load(in[c] + p + n * lanes), out[n][c] = m * own[n][c];
  }
#pragma GCC unroll 16
  for (int k = 0; k < count; ++k) {
    // Read anew in every round: as constants of the loop they were more than the registers hold, and what
    // was computed from them came from the stack.
    const long d = s.sets[k].offset;
    const float* a = s.sets[k].a + p;
    for (int n = 0; n < together; ++n) {
      const long at = n * lanes;
      add_pair<form>(out[n], own[n], load(a + at), in, p + d + at);
      add_pair<form>(behind[n], own[n], load(a - d + at), in, p - d + at);
    }
  }
  for (int n = 0; n < together; ++n) {
    for (int c = 0; c < 3; ++c) out[n][c] += behind[n][c];
    finish<use>(s, p + n * lanes, own[n], out[n], sum);
  }
}

template <Use use, Form form, int known>
double apply_sets(const ApplySweep& s, int begin, int end) {
  Floats sum = {};
  const float* const in[3] = {s.in[0], s.in[1], s.in[2]};
  constexpr int together = side_by_side;
  long p = begin;
  for (; p + together * lanes <= end; p += together * lanes)
    apply_round<use, form, known, together>(s, in, p, sum);
  for (; p < end; p += lanes) apply_round<use, form, known, 1>(s, in, p, sum);
  return summed(sum);
}

template <Use use, Form form>
double apply_scalar(const ApplySweep& s, int begin, int end) {
  if (s.set_count == usual_sets) return apply_sets<use, form, usual_sets>(s, begin, end);
  if (s.set_count == coarse_sets) return apply_sets<use, form, coarse_sets>(s, begin, end);
  return apply_sets<use, form, 0>(s, begin, end);
}

double apply(const ApplySweep& s, int begin, int end) {
  return apply_scalar<Use::product, Form::differences>(s, begin, end);
}
double apply_sums(const ApplySweep& s, int begin, int end) {
  return apply_scalar<Use::product, Form::sums>(s, begin, end);
}
double start(const ApplySweep& s, int begin, int end) {
  return apply_scalar<Use::start, Form::differences>(s, begin, end);
}
double start_sums(const ApplySweep& s, int begin, int end) {
  return apply_scalar<Use::start, Form::sums>(s, begin, end);
}
double residual(const ApplySweep& s, int begin, int end) {
  return apply_scalar<Use::residual, Form::differences>(s, begin, end);
}
double smooth(const ApplySweep& s, int begin, int end) {
  return apply_scalar<Use::smooth, Form::differences>(s, begin, end);
}

struct Three {
  Floats x, y, z;
};
inline Three difference(const float* const v[3], int p, int q) {
  return {load(v[0] + p) - load(v[0] + q), load(v[1] + p) - load(v[1] + q), load(v[2] + p) - load(v[2] + q)};
}
inline Floats dot(const Three& a, const Three& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline void add(Three& to, Floats f, const Three& v) { to.x += f * v.x, to.y += f * v.y, to.z += f * v.z; }

/// Of the Gauss-Newton matrix of an angle at o, eta/(h_i h_j)^2 J J^T with J = (b, a, -(a + b)): the row of
/// the corner (role 0), of the first end (1) or of the second (2).
inline void add_angle_block(const ApplySweep& s, const StencilAngle& t, int o, int role, Three& out) {
  const Three a = difference(s.at, o + t.first, o), b = difference(s.at, o + t.second, o);
  const Three da = difference(s.in, o + t.first, o), db = difference(s.in, o + t.second, o);
  const Floats q = load(t.c + o) * (dot(b, da) + dot(a, db));
  if (role == 0) add(out, -q, a), add(out, -q, b);
  if (role == 1) add(out, q, b);
  if (role == 2) add(out, q, a);
}

double apply_blocks(const ApplySweep& s, int begin, int end) {
  Floats sum = {};
  for (int p = begin; p < end; p += lanes) {
    const Three in = {load(s.in[0] + p), load(s.in[1] + p), load(s.in[2] + p)};
    Three out = {};
    add(out, load(s.mass + p), in);
    for (int k = 0; k < s.set_count; ++k) {
      const StencilSet& set = s.sets[k];
      const int q = p + set.offset, o = p - set.offset;
      const Three uf = difference(s.in, p, q), df = difference(s.at, p, q);
      add(out, load(set.a + p), uf);
      add(out, load(set.c + p) * dot(df, uf), df);
      const Three ub = difference(s.in, p, o), db = difference(s.at, p, o);
      add(out, load(set.a + o), ub);
      add(out, load(set.c + o) * dot(db, ub), db);
    }
    for (int k = 0; k < s.angle_count; ++k) {
      const StencilAngle& t = s.angles[k];
      add_angle_block(s, t, p, 0, out);
      add_angle_block(s, t, p - t.first, 1, out);
      add_angle_block(s, t, p - t.second, 2, out);
    }
    const Floats free = load(s.free + p);
    out.x *= free, out.y *= free, out.z *= free;
    store(s.out[0] + p, out.x), store(s.out[1] + p, out.y), store(s.out[2] + p, out.z);
    sum += dot(in, out);
  }
  return summed(sum);
}

/// The paper's matrix of the angles, w [(e_a - e_o)(e_b - e_o)^T + transpose]: on a w (x_b - x_o), on b
/// w (x_a - x_o), on o minus both.
double apply_angles(const ApplySweep& s, int begin, int end) {
  double total = 0;
  for (int p = begin; p < end; p += lanes) {
    apply(s, p, p + lanes);
    const Three in = {load(s.in[0] + p), load(s.in[1] + p), load(s.in[2] + p)};
    Three out = {};
    for (int k = 0; k < s.angle_count; ++k) {
      const StencilAngle& t = s.angles[k];
      const int a = p - t.first, b = p - t.second;
      const Floats w = -load(t.w + p);
      add(out, w, difference(s.in, p + t.first, p));
      add(out, w, difference(s.in, p + t.second, p));
      add(out, load(t.w + a), difference(s.in, a + t.second, a));
      add(out, load(t.w + b), difference(s.in, b + t.first, b));
    }
    const Floats free = load(s.free + p);
    const Three all = {load(s.out[0] + p) + free * out.x, load(s.out[1] + p) + free * out.y,
                       load(s.out[2] + p) + free * out.z};
    store(s.out[0] + p, all.x), store(s.out[1] + p, all.y), store(s.out[2] + p, all.z);
    total += summed(dot(in, all));
  }
  return total;
}

DiagonalSums diagonal(const DiagonalSweep& s, int begin, int end) {
  Floats mass = {}, all = {};
  for (int p = begin; p < end; p += lanes) {
    const Floats m = load(s.mass + p), free = load(s.free + p);
    Floats d = m;
    for (int k = 0; k < s.set_count; ++k)
      d += load(s.sets[k].a + p) + load(s.sets[k].a + p - s.sets[k].offset);
    mass += free * m, all += free * d;
    if (s.plain) store(s.plain + p, d);
    // the paper's may be negative: its size serves, and the solve finds out
    const Floats size = d < 0 ? -d : d, some = size > 0 ? size : Floats{} + 1;
    store(s.scalar + p, size > 0 ? free / some : Floats{});
    if (!s.ground) continue;
    Floats g = m;
    for (int k = 0; k < s.set_count; ++k) {
      const int q = p + s.sets[k].offset, o = p - s.sets[k].offset;
      g += load(s.sets[k].a + p) * (1 - load(s.free + q)) + load(s.sets[k].a + o) * (1 - load(s.free + o));
    }
    store(s.ground + p, free * g);
  }
  return {summed(mass), summed(all)};
}

struct Six {
  Floats xx, xy, xz, yy, yz, zz;
};
inline void add_square(Six& to, Floats c, const Three& d) {
  to.xx += c * d.x * d.x, to.xy += c * d.x * d.y, to.xz += c * d.x * d.z;
  to.yy += c * d.y * d.y, to.yz += c * d.y * d.z, to.zz += c * d.z * d.z;
}

void bound(const ApplySweep& s, const StencilSet& set, float* out, int begin, int end) {
  for (int p = begin; p < end; p += lanes) {
    const Three d = difference(s.at, p, p + set.offset);
    store(out + p, load(set.a + p) + load(set.c + p) * dot(d, d));
  }
}

void diagonal_blocks(const DiagonalSweep& s, int begin, int end) {
  for (int p = begin; p < end; p += lanes) {
    Floats d = load(s.mass + p);
    Six m = {};
    for (int k = 0; k < s.set_count; ++k) {
      const StencilSet& set = s.sets[k];
      const int q = p + set.offset, o = p - set.offset;
      d += load(set.a + p) + load(set.a + o);
      add_square(m, load(set.c + p), difference(s.at, p, q));
      add_square(m, load(set.c + o), difference(s.at, p, o));
    }
    for (int k = 0; k < s.angle_count; ++k) {
      const StencilAngle& t = s.angles[k];
      const Three a = difference(s.at, p + t.first, p), b = difference(s.at, p + t.second, p);
      add_square(m, load(t.c + p), {a.x + b.x, a.y + b.y, a.z + b.z});
      const int oa = p - t.first, ob = p - t.second;
      add_square(m, load(t.c + oa), difference(s.at, oa + t.second, oa));
      add_square(m, load(t.c + ob), difference(s.at, ob + t.first, ob));
    }
    // d I + m is definite wherever a node is: relative to d, so that nothing overflows
    const Floats some = d > 0 ? d : Floats{} + 1, inverse = 1 / some;
    const Floats xx = m.xx * inverse + 1, yy = m.yy * inverse + 1, zz = m.zz * inverse + 1;
    const Floats xy = m.xy * inverse, xz = m.xz * inverse, yz = m.yz * inverse;
    const Floats cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
    const Floats det = xx * cxx + xy * cxy + xz * cxz;
    const Floats f = d > 0 ? load(s.free + p) * inverse / det : Floats{};
    store(s.block[0] + p, f * cxx), store(s.block[1] + p, f * cxy), store(s.block[2] + p, f * cxz);
    store(s.block[3] + p, f * (xx * zz - xz * xz)), store(s.block[4] + p, f * (xy * xz - xx * yz));
    store(s.block[5] + p, f * (xx * yy - xy * xy));
  }
}

/// V of a cell by the six tetrahedra about the diagonal from corner 0 to 7 (cell_volume.hpp).
double cells(const CellSweep& s, int begin, int end) {
  const int ring[6] = {s.step[0], s.step[0] + s.step[1], s.step[1], s.step[1] + s.step[2],
                       s.step[2], s.step[2] + s.step[0]};
  const int far = s.step[0] + s.step[1] + s.step[2];
  Doubles least = Doubles{} + 1e30;
  for (int p = begin; p < end; p += wide) {
    const Doubles ox = load(s.x + p), oy = load(s.y + p), oz = load(s.z + p);
    Doubles nx = {}, ny = {}, nz = {};
    Doubles px = load(s.x + p + ring[5]) - ox, py = load(s.y + p + ring[5]) - oy,
            pz = load(s.z + p + ring[5]) - oz;
    for (int k = 0; k < 6; ++k) {
      const Doubles qx = load(s.x + p + ring[k]) - ox, qy = load(s.y + p + ring[k]) - oy,
                    qz = load(s.z + p + ring[k]) - oz;
      nx += py * qz - pz * qy, ny += pz * qx - px * qz, nz += px * qy - py * qx;
      px = qx, py = qy, pz = qz;
    }
    const Doubles volume =
        (load(s.x + p + far) - ox) * nx + (load(s.y + p + far) - oy) * ny + (load(s.z + p + far) - oz) * nz;
    const Doubles ratio = volume * (s.inverse_volume / 6);
    store_float(s.ratio + p, ratio);
    const Doubles counted = chosen(where(s.bits + p, s.bit), ratio, least);
    least = counted < least ? counted : least;
  }
  double all = least[0];
  for (int k = 1; k < wide; ++k) all = least[k] < all ? least[k] : all;
  return all;
}

void right_side(const RightSideSweep& s, int begin, int end) {
  for (int p = begin; p < end; p += wide) {
    const HalfFloats mass = load_half(s.mass + p), free = load_half(s.free + p);
    for (int c = 0; c < 3; ++c) {
      const Doubles elastic = s.force * load(s.elastic[c] + p);
      const HalfFloats along = s.motion * load_half(s.along[c] + p) + s.fall[c];
      *reinterpret_cast<HalfFloats*>(s.out[c] + p) =
          free * (__builtin_convertvector(elastic, HalfFloats) + mass * along);
    }
  }
}

// Plain loops: the compiler turns triples to lanes and back by itself.
inline void spread_triples(const double* __restrict in, double* __restrict x, double* __restrict y,
                           double* __restrict z, int count) {
  for (int i = 0; i < count; ++i) x[i] = in[3 * i], y[i] = in[3 * i + 1], z[i] = in[3 * i + 2];
}
inline void spread_triples(const double* __restrict in, double factor, float* __restrict x,
                           float* __restrict y, float* __restrict z, int count) {
  for (int i = 0; i < count; ++i)
    x[i] = float(factor * in[3 * i]), y[i] = float(factor * in[3 * i + 1]),
    z[i] = float(factor * in[3 * i + 2]);
}

void to_points(const StateSweep& s, int node, int point, int count) {
  spread_triples(s.x + 3 * long(node), s.at[0] + point, s.at[1] + point, s.at[2] + point, count);
  spread_triples(s.v + 3 * long(node), s.h, s.along[0] + point, s.along[1] + point, s.along[2] + point,
                 count);
}

inline void gather_triples(const double* __restrict x, const double* __restrict y, const double* __restrict z,
                           double* __restrict out, int count) {
  for (int i = 0; i < count; ++i) out[3 * i] = x[i], out[3 * i + 1] = y[i], out[3 * i + 2] = z[i];
}

double to_nodes(const EndSweep& s, int node, int point, int count) {
  constexpr int few = 64;  // through a buffer in the nearest cache
  double x[3][few], v[3][few];
  Doubles sum = {};
  for (int done = 0; done < count; done += few) {
    const int some = count - done < few ? count - done : few;
    for (int c = 0; c < 3; ++c) {
      const double* at = s.at[c] + point + done;
      const float* along = s.along[c] + point + done;
      int i = 0;
      for (; i + wide <= some; i += wide) {
        const Doubles d = __builtin_convertvector(load_half(along + i), Doubles);
        const Doubles end = load(at + i) + d, speed = s.rate * d;
        store(x[c] + i, end), store(v[c] + i, speed);
        sum += absolute(end) + absolute(speed);
      }
      for (; i < some; ++i) {
        x[c][i] = at[i] + double(along[i]), v[c][i] = s.rate * double(along[i]);
        sum[0] += __builtin_fabs(x[c][i]) + __builtin_fabs(v[c][i]);
      }
    }
    gather_triples(x[0], x[1], x[2], s.x + 3 * long(node + done), some);
    gather_triples(v[0], v[1], v[2], s.v + 3 * long(node + done), some);
  }
  double all = 0;
  for (int k = 0; k < wide; ++k) all += sum[k];
  return all;
}

double dot(const float* a, const float* b, int begin, int end) {
  Floats sum = {};
  for (int p = begin; p < end; p += lanes) sum += load(a + p) * load(b + p);
  return summed(sum);
}

void subtract(const float* b, const float* q, float* r, int begin, int end) {
  for (int k = begin; k < end; k += lanes) store(r + k, load(b + k) - load(q + k));
}

void add(float alpha, const float* p, float* x, int begin, int end) {
  for (int k = begin; k < end; k += lanes) store(x + k, load(x + k) + alpha * load(p + k));
}

void turn(float alpha, float beta, const float* z, float* p, float* x, int begin, int end) {
  for (int k = begin; k < end; k += lanes) {
    const Floats along = load(p + k);
    store(x + k, load(x + k) + alpha * along);
    store(p + k, load(z + k) + beta * along);
  }
}

double start_scaled(const float* d, const float* b, const float* q, float* r, float* p, int begin, int end) {
  Floats sum = {};
  for (int k = begin; k < end; k += lanes) {
    const Floats left = load(b + k) - load(q + k), z = load(d + k) * left;
    store(r + k, left), store(p + k, z);
    sum += left * z;
  }
  return summed(sum);
}

double lower_scaled(float alpha, const float* d, const float* q, float* r, int begin, int end) {
  Floats sum = {};
  for (int k = begin; k < end; k += lanes) {
    const Floats left = load(r + k) - alpha * load(q + k);
    store(r + k, left);
    sum += left * left * load(d + k);
  }
  return summed(sum);
}

void turn_scaled(float alpha, float beta, const float* d, const float* r, float* p, float* x, int begin,
                 int end) {
  for (int k = begin; k < end; k += lanes) {
    const Floats along = load(p + k);
    store(x + k, load(x + k) + alpha * along);
    store(p + k, load(d + k) * load(r + k) + beta * along);
  }
}

void multiply(const float* d, const float* r, float* z, int begin, int end) {
  for (int k = begin; k < end; k += lanes) store(z + k, load(d + k) * load(r + k));
}

void times(float factor, const float* d, float* z, int begin, int end) {
  for (int k = begin; k < end; k += lanes) store(z + k, factor * load(d + k));
}

void scale(float factor, const float* d, const float* r, float* z, int begin, int end) {
  for (int k = begin; k < end; k += lanes) store(z + k, factor * load(d + k) * load(r + k));
}

void multiply_blocks(const float* const d[6], const float* const r[3], float* const z[3], int begin,
                     int end) {
  for (int k = begin; k < end; k += lanes) {
    const Floats x = load(r[0] + k), y = load(r[1] + k), w = load(r[2] + k);
    store(z[0] + k, load(d[0] + k) * x + load(d[1] + k) * y + load(d[2] + k) * w);
    store(z[1] + k, load(d[1] + k) * x + load(d[3] + k) * y + load(d[4] + k) * w);
    store(z[2] + k, load(d[2] + k) * x + load(d[4] + k) * y + load(d[5] + k) * w);
  }
}

// Between a lattice and that of its blocks of 2 x 2 x 2 points: along every axis a fine point has 3/4 of its
// own block and 1/4 of the next on its side. Rows go through a buffer in pieces.
constexpr int piece = 64;  // coarse points

void restrict_row(const TransferSweep& s, const float* from, const float* exist, float* to, int fine,
                  int coarse, int count, int y, int z) {
  constexpr float weight[4] = {0.25f, 0.75f, 0.75f, 0.25f};  // of fine points -1, 0, 1, 2
  constexpr int width = 2 * piece + 2 + lanes;
  float sum[width], rows[16];
  for (int r = 0; r < 16; ++r) {
    const int up = 2 * y - 1 + r % 4, out = 2 * z - 1 + r / 4;
    const bool inside = up >= 0 && up < s.nodes[1] && out >= 0 && out < s.nodes[2];
    rows[r] = inside ? weight[r % 4] * weight[r / 4] : 0.0f;
  }
  for (int done = 0; done < count; done += piece) {
    const int some = count - done < piece ? count - done : piece, length = 2 * some + 2;
    const int left = 2 * done - 1, first = fine + left - s.fine_step[1] - s.fine_step[2];
    int k = 0;
    for (; k + lanes <= length; k += lanes) {
      Floats acc = {};
      for (int r = 0; r < 16; ++r) {
        const int at = first + k + (r % 4) * s.fine_step[1] + (r / 4) * s.fine_step[2];
        acc += rows[r] * load(from + at) * load(s.share + at);
      }
      store(sum + k, acc);
    }
    for (; k < length; ++k) {
      sum[k] = 0;
      for (int r = 0; r < 16; ++r) {
        const int at = first + k + (r % 4) * s.fine_step[1] + (r / 4) * s.fine_step[2];
        sum[k] += rows[r] * from[at] * s.share[at];
      }
    }
    if (left < 0) sum[0] = 0;
    for (k = s.nodes[0] - left; k < length; ++k) sum[k] = 0;
    for (int i = 0; i < some; ++i)
      to[coarse + done + i] = exist[coarse + done + i] * (0.25f * (sum[2 * i] + sum[2 * i + 3]) +
                                                          0.75f * (sum[2 * i + 1] + sum[2 * i + 2]));
  }
}

void prolong_row(const TransferSweep& s, const float* from, float* to, int fine, int coarse, int up, int out,
                 int count) {
  const int y = up * s.step[1], z = out * s.step[2];
  float own[piece + 2 + lanes], spread[2 * piece + lanes];
  for (int done = 0; 2 * done < count; done += piece) {
    const int some = count - 2 * done < 2 * piece ? count - 2 * done : 2 * piece, blocks = (some + 1) / 2;
    const float* row = from + coarse + done - 1;
    for (int k = 0; k < blocks + 2; k += lanes)
      store(own + k, 0.5625f * load(row + k) + 0.1875f * (load(row + k + y) + load(row + k + z)) +
                         0.0625f * load(row + k + y + z));
    for (int i = 0; i < blocks; ++i) {
      spread[2 * i] = 0.75f * own[i + 1] + 0.25f * own[i];
      spread[2 * i + 1] = 0.75f * own[i + 1] + 0.25f * own[i + 2];
    }
    const int at = fine + 2 * done;
    for (int k = 0; k < some; ++k) to[at + k] += s.share[at + k] * spread[k];
  }
}

void coarsen_row(const TransferSweep& s, const CoarseTerm* terms, int term_count, const float* free, int fine,
                 float* to, int count, int y, int z) {
  for (int i = 0; i < count; ++i) to[i] = 0;
  for (int t = 0; t < term_count; ++t) {
    const int up = 2 * y + terms[t].cell[1], out = 2 * z + terms[t].cell[2], along = terms[t].cell[0];
    if (up < 0 || up >= s.nodes[1] || out < 0 || out >= s.nodes[2]) continue;
    const float* a = terms[t].a + fine + terms[t].at;
    const float* near = free + fine + terms[t].at;
    const float* far = free + fine + terms[t].end;
    const float factor = terms[t].factor;
    // bases 2 i + along within the row
    const int first = along < 0 ? 1 : 0, inside = (s.nodes[0] - along + 1) / 2;
    const int last = inside < count ? inside : count;
    for (int i = first; i < last; ++i) to[i] += factor * a[2 * i] * near[2 * i] * far[2 * i];
  }
}

void gather_row(const TransferSweep& s, const float* ground, const float* free, int fine, float* mass,
                float* exist, int count, int y, int z) {
  for (int i = 0; i < count; ++i) {
    float sum = 0, any = 0;
    for (int c = 0; c < 8; ++c) {
      const int x = c & 1, up = c >> 1 & 1, out = c >> 2 & 1;
      if (2 * i + x >= s.nodes[0] || 2 * y + up >= s.nodes[1] || 2 * z + out >= s.nodes[2]) continue;
      const int at = fine + 2 * i + x + up * s.fine_step[1] + out * s.fine_step[2];
      sum += ground[at], any += free[at];
    }
    mass[i] = sum, exist[i] = any > 0 ? 1.0f : 0.0f;
  }
}

constexpr StencilKernels make_stencil_kernels() {
  return {to_points,
          to_nodes,
          evaluate,
          apply,
          apply_blocks,
          apply_angles,
          diagonal,
          diagonal_blocks,
          cells,
          bound,
          right_side,
          apply_sums,
          start,
          start_sums,
          residual,
          smooth,
          dot,
          subtract,
          add,
          turn,
          start_scaled,
          lower_scaled,
          turn_scaled,
          multiply,
          times,
          scale,
          multiply_blocks,
          restrict_row,
          prolong_row,
          coarsen_row,
          gather_row};
}

}  // namespace
}  // namespace pliant::metric
