// SPDX-License-Identifier: Apache-2.0
// The kernels of cage_kernels.hpp; see base/simd.hpp for how such a file is written.
#include "pliant/methods/cage/cage_kernels.hpp"

namespace pliant::cage {
namespace {

#define PLIANT_INLINE inline __attribute__((always_inline))

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

template <class T>
struct Register;
template <>
struct Register<float> {
  typedef float type __attribute__((vector_size(register_bytes), may_alias));
};
template <>
struct Register<double> {
  typedef double type __attribute__((vector_size(register_bytes), may_alias));
};
template <class T>
using Lanes = typename Register<T>::type;
template <class T>
constexpr int width = register_bytes / int(sizeof(T));

template <class T>
PLIANT_INLINE Lanes<T> load(const T* p) {
  return *reinterpret_cast<const Lanes<T>*>(p);
}
/// From any place.
template <class T>
PLIANT_INLINE Lanes<T> loose(const T* p) {
  typedef Lanes<T> Loose __attribute__((aligned(alignof(T))));
  return *reinterpret_cast<const Loose*>(p);
}
template <class T>
PLIANT_INLINE void store(T* p, const Lanes<T>& v) {
  *reinterpret_cast<Lanes<T>*>(p) = v;
}

/// `count` batches at a time share the factors.
template <class T, int count>
PLIANT_INLINE void strains(const T* g, long apart, int used, const T* z, T one, PointBatch<T>* batches) {
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> sum[count][9] = {};
    const T* at = g + part;
    for (int k = 0; k < used; ++k, at += 3 * lanes)
      for (int e = 0; e < 3; ++e) {
        Lanes<T> x[count];
        for (int b = 0; b < count; ++b) x[b] = load(at + b * apart + e * lanes);
        for (int r = 0; r < 3; ++r) {
          const T factor = z[3 * k + r];
          for (int b = 0; b < count; ++b) sum[b][3 * r + e] += factor * x[b];
        }
      }
    for (int b = 0; b < count; ++b)
      for (int e = 0; e < 9; ++e) store(&batches[b].a[e][part], sum[b][e] + (e % 4 == 0 ? one : T(0)));
  }
}

template <class T>
void strain(const T* g, int rows, int used, const T* z, T one, int count, PointBatch<T>* batches) {
  const long apart = static_cast<long>(rows) * 3 * lanes;
  int b = 0;
  if (register_bytes == 64)  // enough registers for two
    for (; b + 2 <= count; b += 2) strains<T, 2>(g + b * apart, apart, used, z, one, batches + b);
  for (; b < count; ++b) strains<T, 1>(g + b * apart, apart, used, z, one, batches + b);
}

template <class T>
void gather(const T* b, int rows, const T* z, T* out) {
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> even[3] = {}, odd[3] = {};
    const T* at = b + part;
    int k = 0;
    for (; k + 1 < rows; k += 2, at += 2 * lanes) {
      const Lanes<T> u = load(at), v = load(at + lanes);
      for (int r = 0; r < 3; ++r) {
        even[r] += z[3 * k + r] * u;
        odd[r] += z[3 * k + 3 + r] * v;
      }
    }
    if (k < rows)
      for (int r = 0; r < 3; ++r) even[r] += z[3 * k + r] * load(at);
    for (int r = 0; r < 3; ++r) store(out + lanes * r + part, even[r] + odd[r]);
  }
}

template <class T>
void gather_two(const T* b, int rows, const T* z, const T* v, T* out) {
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> sum[6] = {};
    const T* at = b + part;
    for (int k = 0; k < rows; ++k, at += lanes) {
      const Lanes<T> u = load(at);
      for (int r = 0; r < 3; ++r) {
        sum[r] += z[3 * k + r] * u;
        sum[3 + r] += v[3 * k + r] * u;
      }
    }
    for (int r = 0; r < 6; ++r) store(out + lanes * r + part, sum[r]);
  }
}

/// `count` batches at a time share the factors; what comes next is asked for early.
template <class T, int count>
PLIANT_INLINE void gathers(const T* b, long apart, int rows, const T* z, T* out) {
  constexpr int ahead = 32;  // rows
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> sum[count][3] = {};
    const T* at = b + part;
    for (int k = 0; k < rows; ++k, at += lanes) {
      Lanes<T> u[count];
      for (int e = 0; e < count; ++e) {
        __builtin_prefetch(at + e * apart + ahead * lanes);
        u[e] = load(at + e * apart);
      }
      for (int r = 0; r < 3; ++r) {
        const T factor = z[3 * k + r];
        for (int e = 0; e < count; ++e) sum[e][r] += factor * u[e];
      }
    }
    for (int e = 0; e < count; ++e)
      for (int r = 0; r < 3; ++r) store(out + lanes * (3 * e + r) + part, sum[e][r]);
  }
}

template <class T>
void gather_many(const T* b, int rows, const T* z, int count, T* out) {
  const long apart = static_cast<long>(rows) * lanes;
  int k = 0;
  for (; k + 4 <= count; k += 4) gathers<T, 4>(b + k * apart, apart, rows, z, out + 3 * lanes * k);
  for (; k < count; ++k) gathers<T, 1>(b + k * apart, apart, rows, z, out + 3 * lanes * k);
}

template <class T>
void stress_change(const T* change, const T* r, const T* weight, Material<T> material, T* p) {
  const T mu = material.twice_mu / 2;
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> f[9], turn[9], back[9];  // dF, R, dF^T R
    for (int k = 0; k < 9; ++k) {
      f[k] = load(change + lanes * k + part);
      turn[k] = load(r + lanes * k + part);
    }
    Lanes<T> trace = {};
    for (int k = 0; k < 9; ++k) trace += turn[k] * f[k];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        back[3 * i + j] = f[i] * turn[j] + f[3 + i] * turn[3 + j] + f[6 + i] * turn[6 + j];
    const Lanes<T> w = load(weight + part), pressure = material.lambda * trace;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        store(p + lanes * (3 * i + j) + part,
              w * (mu * (f[3 * i + j] + turn[3 * i] * back[j] + turn[3 * i + 1] * back[3 + j] +
                         turn[3 * i + 2] * back[6 + j]) +
                   pressure * turn[3 * i + j]));
  }
}

/// e of a batch as nine numbers.
template <class T>
PLIANT_INLINE void plastic_matrix(const T* plastic, int part, Lanes<T> e[9]) {
  constexpr int entry[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
  for (int k = 0; k < 9; ++k) e[k] = load(plastic + lanes * entry[k] + part);
}

template <class T>
double stress(const T* batch, const T* weight, const T* plastic, Material<T> material, T* p) {
  double energy = 0;
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> f[9], r[9], rest[9];
    for (int k = 0; k < 9; ++k) {
      f[k] = load(batch + lanes * k + part);
      r[k] = load(batch + lanes * (13 + k) + part);
      rest[k] = r[k];
    }
    Lanes<T> trace = {};
    for (int k = 0; k < 9; ++k) trace += r[k] * (f[k] - r[k]);  // tr(R^T F) - 3, R^T R = 1
    if (plastic) {
      Lanes<T> e[9];
      plastic_matrix<T>(plastic, part, e);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k) rest[3 * i + j] += r[3 * i + k] * e[3 * k + j];
      trace -= e[0] + e[4] + e[8];
    }
    const Lanes<T> w = load(weight + part);
    Lanes<T> squares = {};
    for (int k = 0; k < 9; ++k) {
      const Lanes<T> d = f[k] - rest[k];
      squares += d * d;
      store(p + lanes * k + part, w * (material.twice_mu * d + material.lambda * trace * r[k]));
    }
    const Lanes<T> density = T(0.5) * w * (material.twice_mu * squares + material.lambda * trace * trace);
    for (int lane = 0; lane < width<T>; ++lane) energy += density[lane];
  }
  return energy;
}

/// `count` rows at a time: their sums stay in registers while the batches go by.
template <class T, int count>
PLIANT_INLINE void force_rows(const T* g, int batches, long stride, const T* p, T* f) {
  double total[3 * count] = {};
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> sum[3 * count] = {};
    const T *at = g + part, *stress_at = p + part;
    for (int b = 0; b < batches; ++b, at += stride, stress_at += 9 * lanes)
      for (int c = 0; c < 3; ++c) {
        Lanes<T> s[3];
        for (int r = 0; r < 3; ++r) s[r] = load(stress_at + lanes * (3 * r + c));
        for (int k = 0; k < count; ++k) {
          const Lanes<T> gradient = load(at + lanes * (3 * k + c));
          for (int r = 0; r < 3; ++r) sum[3 * k + r] += s[r] * gradient;
        }
      }
    for (int k = 0; k < 3 * count; ++k)
      for (int lane = 0; lane < width<T>; ++lane) total[k] += sum[k][lane];
  }
  for (int k = 0; k < 3 * count; ++k) f[k] = T(-total[k]);
}

template <class T>
void forces(const T* g, int batches, long stride, int first, int used, const T* p, T* f) {
  int k = first;
  const int end = first + used;
  for (; k + 4 <= end; k += 4) force_rows<T, 4>(g + 3 * lanes * k, batches, stride, p, f + 3 * k);
  for (; k < end; ++k) force_rows<T, 1>(g + 3 * lanes * k, batches, stride, p, f + 3 * k);
}

template <class T>
void frozen_rows(const T* g, int used, const T* r, const T* root_weight, int first, int last, T* out,
                 int points) {
  const long stride = by_point_stride(used);
  const int panels = (3 * used + lanes - 1) / lanes, count = last - first;
  T turn[lanes][9];
  for (int q = 0; q < count; ++q)
    for (int e = 0; e < 9; ++e) turn[q][e] = root_weight[first + q] * r[lanes * e + first + q];
  for (int p = 0; p < panels; ++p)
    for (int part = 0; part < lanes; part += width<T>) {
      // The axes whose vertices are here: beyond its own an axis reads zeros.
      const int at = p * lanes + part, begin = at / used;
      T* to = out + static_cast<long>(p) * points * lanes + part;
      for (int c = begin; c < 3 && (c == begin || c * used < at + width<T>); ++c) {
        const T* from = g + lanes + (at - c * used);
        for (int q = 0; q < count; ++q, from += 3 * stride) {
          const T* by = turn[q] + 3 * c;
          const Lanes<T> sum =
              by[0] * loose(from) + by[1] * loose(from + stride) + by[2] * loose(from + 2 * stride);
          store(to + lanes * q, c == begin ? sum : load(to + lanes * q) + sum);
        }
      }
    }
}

/// Calls run(first row, rows, their place in `column` of a matrix in panels) for rows that lie side by side.
template <class Run>
PLIANT_INLINE void panel_runs(int begin, int end, int columns, int column, Run&& run) {
  for (int i = begin; i < end;) {
    const int stop = (i / lanes + 1) * lanes < end ? (i / lanes + 1) * lanes : end;
    run(i, stop - i, (static_cast<long>(i / lanes) * columns + column) * lanes + i % lanes);
    i = stop;
  }
}

template <class T>
void frozen_system(const T* gram, int used, T lambda, T mu, const T* scalar, T* system) {
  const int columns = (3 * used + lanes - 1) / lanes * lanes;
  for (int d = 0; d < 3; ++d)
    for (int j = 0; j < used; ++j) {
      const int column = d * used + j;
      const T* own = scalar + static_cast<long>(j) * used;
      panel_runs(column, (d + 1) * used, columns, column, [&](int i, int rows, long at) {
        for (int k = 0; k < rows; ++k) system[at + k] = (lambda + mu) * gram[at + k] + own[i - d * used + k];
      });
    }
  // The blocks below, A_dc(i, j) = A(c j, d i): in tiles, because one of the two is read across.
  for (int d = 0; d < 3; ++d)
    for (int c = d + 1; c < 3; ++c)
      for (int tile = 0; tile < used; tile += lanes)
        panel_runs(c * used, (c + 1) * used, columns, d * used, [&](int i, int rows, long first) {
          for (int j = tile; j < used && j < tile + lanes; ++j) {
            const int row = c * used + j;
            const long at = first + static_cast<long>(j) * lanes;
            const T* from = gram +
                            (static_cast<long>(row / lanes) * columns + d * used + i - c * used) * lanes +
                            row % lanes;
            for (int k = 0; k < rows; ++k)
              system[at + k] = lambda * gram[at + k] + mu * from[static_cast<long>(k) * lanes];
          }
        });
}

template <class T>
void consistent_rows(const T* g, int vertices, int first, int last, const int* begin, const int* face,
                     const T* jacobian, const T* r, const T* root_weight, T alpha, T beta, const T* twist,
                     T* out, long k) {
  const T half = alpha * T(0.70710678118654752);
  for (int part = 0; part < lanes; part += width<T>) {
    Lanes<T> turn[9];
    const Lanes<T> w = load(root_weight + part);
    for (int e = 0; e < 9; ++e) turn[e] = w * load(r + lanes * e + part);
    Lanes<T> root[9] = {};
    if (twist)
      for (int e = 0; e < 9; ++e) root[e] = load(twist + lanes * e + part);
    for (int i = first; i < last; ++i) {
      const T* own = g + 3 * lanes * i + part;
      for (int c = 0; c < 3; ++c) {  // dF/dx_ic = e_c g_i^T + sum_j (J_ji e_c) h_j^T
        Lanes<T> d[9] = {};
        for (int e = 0; e < 3; ++e) d[3 * c + e] = load(own + lanes * e);
        for (int n = begin[i]; n < begin[i + 1]; ++n) {
          const T* at = g + 3 * lanes * (static_cast<long>(vertices) + face[n]) + part;
          const T* j = jacobian + 9 * n;
          for (int e = 0; e < 3; ++e) {
            const Lanes<T> h = load(at + lanes * e);
            for (int a = 0; a < 3; ++a) d[3 * a + e] += j[3 * a + c] * h;
          }
        }
        Lanes<T> s[9];  // R^T dF
        for (int a = 0; a < 3; ++a)
          for (int e = 0; e < 3; ++e)
            s[3 * a + e] = turn[a] * d[e] + turn[3 + a] * d[3 + e] + turn[6 + a] * d[6 + e];
        const Lanes<T> trace = beta * (s[0] + s[4] + s[8]);
        T* to = out + (static_cast<long>(c) * vertices + i) * k + part;
        store(to, alpha * s[0] + trace);
        store(to + lanes, alpha * s[4] + trace);
        store(to + 2 * lanes, alpha * s[8] + trace);
        store(to + 3 * lanes, half * (s[1] + s[3]));
        store(to + 4 * lanes, half * (s[2] + s[6]));
        store(to + 5 * lanes, half * (s[5] + s[7]));
        if (!twist) continue;
        const Lanes<T> x = s[7] - s[5], y = s[2] - s[6], z = s[3] - s[1];
        for (int e = 0; e < 3; ++e)
          store(to + (6 + e) * lanes, root[3 * e] * x + root[3 * e + 1] * y + root[3 * e + 2] * z);
      }
    }
  }
}

template <class T>
constexpr CageKernels<T> make_kernels() {
  return {strain<T>,      gather<T>, gather_two<T>,  stress<T>,        stress_change<T>,
          gather_many<T>, forces<T>, frozen_rows<T>, frozen_system<T>, consistent_rows<T>};
}

}  // namespace
}  // namespace pliant::cage
