// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.hpp; see base/simd.hpp for how such a file is written. Two batches go side
// by side where the registers allow it: the k x 3 sums in memory are then touched half as often.

#include "pliant/math/rotation_kernels.inl"
#include "pliant/methods/geometric/reduced/kernels.hpp"

namespace pliant::geometric {
namespace {

using rotation_lanes::Lanes;
using rotation_lanes::width;

constexpr int batch_lanes = reduced_lanes;

inline Lanes& at(float* p) { return *reinterpret_cast<Lanes*>(p); }
inline Lanes at(const float* p) { return *reinterpret_cast<const Lanes*>(p); }

/// A number that is used several times is loaded once: the compiler would load it with every use, and loads,
/// not products, would bound the sweep. Where registers are few it is right.
inline Lanes load_once(const float* p) {
  Lanes v = at(p);
#if defined(__AVX512F__)
  asm("" : "+v"(v));
#endif
  return v;
}

/// `count` numbers of 16 lanes a batch.
template <class T>
inline T* of_batch(T* array, int count, int batch) {
  return array + static_cast<long>(count) * batch_lanes * batch;
}

/// a[s][9] = Z^T C for the lanes of `sets` batches that follow each other; `add`: += instead.
template <int sets, bool add>
inline void sum_columns(const ReducedArrays& m, const float* z, int batch, int lane, Lanes (*a)[9]) {
  const float* c[sets];
  Lanes sum[sets][9];
  for (int s = 0; s < sets; ++s) {
    c[s] = of_batch(m.pull, 3 * m.columns, batch + s) + lane;
    for (int k = 0; k < 9; ++k) sum[s][k] = add ? a[s][k] : Lanes{};
  }
  for (int k = 0; k < m.columns; ++k) {
    const float z0 = z[3 * k], z1 = z[3 * k + 1], z2 = z[3 * k + 2];
    for (int s = 0; s < sets; ++s) {
      const float* row = c[s] + 3 * batch_lanes * k;
      for (int j = 0; j < 3; ++j) {
        const Lanes entry = load_once(row + batch_lanes * j);
        sum[s][j] += z0 * entry;
        sum[s][3 + j] += z1 * entry;
        sum[s][6 + j] += z2 * entry;
      }
    }
  }
  for (int s = 0; s < sets; ++s)
    for (int k = 0; k < 9; ++k) a[s][k] = sum[s][k];
}

/// sums[k][r] += C[k] . T[r]. C is in the nearest cache by now: the time goes to fetching that of the
/// batches that follow.
template <int sets>
inline void add_sums(const ReducedArrays& m, int batch, int lane, const Lanes (*t)[9], float* sums) {
  const float* c[sets];
  for (int s = 0; s < sets; ++s) c[s] = of_batch(m.pull, 3 * m.columns, batch + s) + lane;
  const long next = static_cast<long>(sets) * 3 * batch_lanes * m.columns;
  for (int k = 0; k < m.columns; ++k) {
    float* out = sums + 3 * batch_lanes * k + lane;
    Lanes sum[3] = {at(out), at(out + batch_lanes), at(out + 2 * batch_lanes)};
    for (int s = 0; s < sets; ++s) {
      const float* row = c[s] + 3 * batch_lanes * k;
      for (int j = 0; j < 3; ++j) {
        const Lanes entry = load_once(row + batch_lanes * j);
        if (lane == 0) __builtin_prefetch(row + next + batch_lanes * j);
        for (int r = 0; r < 3; ++r) sum[r] += t[s][3 * r + j] * entry;
      }
    }
    for (int r = 0; r < 3; ++r) at(out + batch_lanes * r) = sum[r];
  }
}

inline void clear(float* lanes, int count) {
  for (int i = 0; i < count * batch_lanes; i += width) at(lanes + i) = Lanes{};
}

/// In pairs: sixteen additions in a row would take longer than the sweep of a small body.
inline void add_lanes(const float* lanes, int count, double* sum) {
  for (int i = 0; i < count; ++i) {
    double part[batch_lanes];
    for (int lane = 0; lane < batch_lanes; ++lane) part[lane] = lanes[batch_lanes * i + lane];
    for (int half = batch_lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) part[lane] += part[lane + half];
    sum[i] = part[0];
  }
}

/// The symmetric matrix of a batch as nine numbers.
inline void load_symmetric(const float* six, int lane, Lanes a[9]) {
  constexpr int entry[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int k = 0; k < 9; ++k) a[k] = at(six + batch_lanes * entry[k] + lane);
}

/// A(X) of a batch.
inline void load_rest(const ReducedArrays& m, int batch, int lane, Lanes a[9]) {
  load_symmetric(of_batch(m.rest, 6, batch), lane, a);
  if (!m.skew) return;
  const float* axial = of_batch(m.skew, 3, batch) + lane;
  const Lanes x = at(axial), y = at(axial + batch_lanes), z = at(axial + 2 * batch_lanes);
  a[7] += x;
  a[5] -= x;
  a[2] += y;
  a[6] -= y;
  a[3] += z;
  a[1] -= z;
}

inline float (*rows_of(float* array, int count, int batch))[16] {
  return reinterpret_cast<float(*)[16]>(of_batch(array, count, batch));
}

template <int sets>
inline void renew_rotations(const ReducedArrays& m, const float* z, int batch, float (*r)[9][16]) {
  alignas(64) float a[sets][9][16];
  for (int lane = 0; lane < batch_lanes; lane += width) {
    Lanes matrix[sets][9];
    for (int s = 0; s < sets; ++s) load_rest(m, batch + s, lane, matrix[s]);
    sum_columns<sets, true>(m, z, batch, lane, matrix);
    for (int s = 0; s < sets; ++s)
      for (int k = 0; k < 9; ++k) at(a[s][k] + lane) = matrix[s][k];
  }
  unsigned rest = 0;
  const rotation_lanes::Sixteen low{a[0], rows_of(m.quaternion, 4, batch), r[0]};
  if constexpr (sets == 1) {
    rest = rotation_lanes::nearest16(low, 2);
  } else {
    const rotation_lanes::Sixteen high{a[1], rows_of(m.quaternion, 4, batch + 1), r[1]};
    rest = rotation_lanes::nearest32(low, high, 2);
    if (rest >> 16) m.finish(high.a, high.q, high.r, rest >> 16);
  }
  if (rest & 0xffff) m.finish(low.a, low.q, low.r, rest & 0xffff);
}

inline void load_rotation(const ReducedArrays& m, int batch, int lane, Lanes r[9]) {
  const float* q = of_batch(m.quaternion, 4, batch) + lane;
  const Lanes quaternion[4] = {at(q), at(q + batch_lanes), at(q + 2 * batch_lanes), at(q + 3 * batch_lanes)};
  rotation_lanes::to_matrix(quaternion, r);
}

template <int sets>
inline void rotate_batches(const ReducedArrays& m, bool renew, const float* z, int batch, float* sums) {
  alignas(64) float fresh[sets][9][16];
  if (renew) renew_rotations<sets>(m, z, batch, fresh);
  for (int lane = 0; lane < batch_lanes; lane += width) {
    Lanes t[sets][9];
    for (int s = 0; s < sets; ++s) {
      if (renew)
        for (int k = 0; k < 9; ++k) t[s][k] = at(fresh[s][k] + lane);
      else
        load_rotation(m, batch + s, lane, t[s]);
      for (int k = 0; k < 9; ++k) t[s][k] = (k % 4 == 0 ? 1.0f : 0.0f) - t[s][k];
    }
    add_sums<sets>(m, batch, lane, t, sums);
  }
}

template <int sets>
inline void measure_batches(const ReducedArrays& m, const float* z, int batch, float* covariance) {
  for (int lane = 0; lane < batch_lanes; lane += width) {
    Lanes matrix[sets][9];
    for (int s = 0; s < sets; ++s) load_rest(m, batch + s, lane, matrix[s]);
    sum_columns<sets, true>(m, z, batch, lane, matrix);
    for (int s = 0; s < sets; ++s)
      for (int k = 0; k < 9; ++k)
        at(of_batch(covariance, 9, batch + s) + batch_lanes * k + lane) = matrix[s][k];
  }
}

void measure(const ReducedArrays& m, const float* z, float* covariance, int first, int last) {
  int b = first;
  for (; b + 1 < last; b += 2) measure_batches<2>(m, z, b, covariance);
  if (b < last) measure_batches<1>(m, z, b, covariance);
}

void rotate(const ReducedArrays& m, bool renew, const float* z, float* lanes, double* sum, int first,
            int last) {
  clear(lanes, 3 * m.columns);
  int b = first;
  for (; b + 1 < last; b += 2) rotate_batches<2>(m, renew, z, b, lanes);
  if (b < last) rotate_batches<1>(m, renew, z, b, lanes);
  add_lanes(lanes, 3 * m.columns, sum);
}

/// w = J axial(R^T dA), t = R [w]x in place of dA. Returns |w|^2.
inline Lanes turn_lanes(const ReducedArrays& m, int batch, int lane, Lanes t[9]) {
  Lanes r[9], j[9];
  load_rotation(m, batch, lane, r);
  load_symmetric(of_batch(m.slew, 6, batch), lane, j);
  const auto b = [&](int row, int column) { return rotation_lanes::rotated_back(r, t, row, column); };
  const Lanes t0 = b(2, 1) - b(1, 2), t1 = b(0, 2) - b(2, 0), t2 = b(1, 0) - b(0, 1);
  const Lanes w0 = j[0] * t0 + j[1] * t1 + j[2] * t2;
  const Lanes w1 = j[3] * t0 + j[4] * t1 + j[5] * t2;
  const Lanes w2 = j[6] * t0 + j[7] * t1 + j[8] * t2;
  for (int row = 0; row < 9; row += 3) {
    t[row] = w2 * r[row + 1] - w1 * r[row + 2];
    t[row + 1] = w0 * r[row + 2] - w2 * r[row];
    t[row + 2] = w1 * r[row] - w0 * r[row + 1];
  }
  return w0 * w0 + w1 * w1 + w2 * w2;
}

template <int sets>
inline Lanes turn_batches(const ReducedArrays& m, const float* z, int batch, float* sums) {
  Lanes largest = {};
  for (int lane = 0; lane < batch_lanes; lane += width) {
    Lanes t[sets][9];
    sum_columns<sets, false>(m, z, batch, lane, t);
    for (int s = 0; s < sets; ++s)
      largest = rotation_lanes::larger(largest, turn_lanes(m, batch + s, lane, t[s]));
    add_sums<sets>(m, batch, lane, t, sums);
  }
  return largest;
}

float turn(const ReducedArrays& m, const float* z, float* lanes, double* sum, int first, int last) {
  clear(lanes, 3 * m.columns);
  Lanes largest = {};
  int b = first;
  for (; b + 1 < last; b += 2) largest = rotation_lanes::larger(largest, turn_batches<2>(m, z, b, lanes));
  if (b < last) largest = rotation_lanes::larger(largest, turn_batches<1>(m, z, b, lanes));
  add_lanes(lanes, 3 * m.columns, sum);
  float most = 0;
  for (int lane = 0; lane < width; ++lane) most = largest[lane] > most ? largest[lane] : most;
  return most;
}

constexpr ReducedKernels make_reduced_kernels() { return {measure, rotate, turn}; }

}  // namespace
}  // namespace pliant::geometric
