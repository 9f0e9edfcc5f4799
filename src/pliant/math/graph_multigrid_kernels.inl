// SPDX-License-Identifier: Apache-2.0
// The sweeps of the V-cycle (graph_multigrid.hpp), single precision, three right-hand sides as x, y, z, 0.
// One row is one node:
//   (A z)_i = mass_i z_i + sum_j weight_ij (z_i - z_j)
// The differences make A exact on constants whatever the ratio of weight to mass. Four rows run side by side,
// so that a sum need not wait for its last addition, and one loop, whose end a processor may guess wrong,
// serves four of them. Internal linkage, raw pointers and vectors only: included by
// graph_multigrid_{portable,avx2,avx512}.cpp.

#include "pliant/math/four_rows.inl"

namespace pliant {
namespace {
namespace graph_rows {

using four_rows::Dot;
using four_rows::Four;
using four_rows::Xyz0;

/// start - A z of the rows of a group, z_i = here.
inline Four residual(const GraphRows& rows, int group, const Four& start, const Four& here, const float* z) {
  Four sum = start - Four::each(rows.mass + graph_group * group) * here;
  const GraphRows::Entry* const end = rows.entries + rows.begin[group + 1];
  for (const GraphRows::Entry* e = rows.entries + rows.begin[group]; e != end; ++e)
    sum = sum + Four::each(e->weight) * (Four::gather(z, e->at) - here);
  return sum;
}

/// Calls run(group, rows in it, place of its first number) for the groups of rows begin .. end - 1; whole
/// groups with a constant.
template <class Run>
inline void for_groups(int begin, int end, Run&& run) {
  const int whole = end / graph_group;
  int group = begin / graph_group;
  for (; group < whole; ++group) run(group, graph_group, 4 * graph_group * static_cast<long>(group));
  const int left = end - graph_group * group;
  if (left > 0) run(group, left, 4 * graph_group * static_cast<long>(group));
}

/// out = D^-1 r.
inline void scale(const GraphRows& rows, int begin, int end, const float* r, float* out) {
  for_groups(begin, end, [&](int group, int count, long at) {
    (Four::each(rows.inverse + graph_group * group) * Four::at(r + at, count)).store(out + at, count);
  });
}

/// Two sweeps from zero in one: out = z + second D^-1 (r - A z) for z = first D^-1 r, scaled = D^-1 r.
inline void smooth_scaled(const GraphRows& rows, int begin, int end, float first, float second,
                          const float* r, const float* scaled, float* out) {
  const GraphRows a = rows;  // stores may alias what it points from
  for_groups(begin, end, [&](int group, int count, long at) {
    const Four here = Four::at(scaled + at, count), right = Four::at(r + at, count);
    const Four rest = right + first * residual(a, group, Four{}, here, scaled);
    (first * here + second * Four::each(a.inverse + graph_group * group) * rest).store(out + at, count);
  });
}

/// z + omega D^-1 (r - A z).
inline Four smoothed(const GraphRows& rows, int group, int count, long at, float omega, const Four& right,
                     const float* z) {
  const Four here = Four::at(z + at, count);
  return here +
         omega * Four::each(rows.inverse + graph_group * group) * residual(rows, group, right, here, z);
}

/// One damped Jacobi sweep, out = z + omega D^-1 (r - A z); out is another array than z and may be r.
inline void smooth(const GraphRows& rows, int begin, int end, float omega, const float* r, const float* z,
                   float* out) {
  const GraphRows a = rows;
  for_groups(begin, end, [&](int group, int count, long at) {
    smoothed(a, group, count, at, omega, Four::at(r + at, count), z).store(out + at, count);
  });
}

/// The same. Returns r . out.
inline double smooth_last(const GraphRows& rows, int begin, int end, float omega, const float* r,
                          const float* z, float* out) {
  const GraphRows a = rows;
  Dot dot;
  for_groups(begin, end, [&](int group, int count, long at) {
    const Four right = Four::at(r + at, count);
    const Four here = smoothed(a, group, count, at, omega, right, z);
    dot.add(right, here);
    here.store(out + at, count);
  });
  return dot.sum();
}

/// out = r - A z.
inline void residuals(const GraphRows& rows, int begin, int end, const float* r, const float* z, float* out) {
  const GraphRows a = rows;
  for_groups(begin, end, [&](int group, int count, long at) {
    residual(a, group, Four::at(r + at, count), Four::at(z + at, count), z).store(out + at, count);
  });
}

/// coarse = P^T fine. The fine nodes of coarse node I are child[first[I]] .. child[first[I + 1] - 1].
inline void add_up(const int* first, const int* child, int begin, int end, const float* fine, float* coarse) {
  const Xyz0* const from = reinterpret_cast<const Xyz0*>(fine);
  Xyz0* const to = reinterpret_cast<Xyz0*>(coarse);
  for (int c = begin; c < end; ++c) {
    Xyz0 sum = {};
    for (int k = first[c]; k < first[c + 1]; ++k) sum += from[child[k]];
    to[c] = sum;
  }
}

/// z += P z_c.
inline void prolong(const int* parent, int begin, int end, const float* coarse_z, float* z) {
  const Xyz0* const czv = reinterpret_cast<const Xyz0*>(coarse_z);
  Xyz0* const zv = reinterpret_cast<Xyz0*>(z);
  for (int i = begin; i < end; ++i) zv[i] += czv[parent[i]];
}

/// Rows begin .. end - 1 of z = inverse r. r is double, x of all nodes, then y, then z, each padded with
/// zeros to `stride`, a multiple of 8; so are the rows of the inverse.
inline void dense_rows(const double* inverse, int stride, int begin, int end, const double* r, float* z) {
  typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));
  const Eight* const x = reinterpret_cast<const Eight*>(r);
  const Eight* const y = reinterpret_cast<const Eight*>(r + stride);
  const Eight* const w = reinterpret_cast<const Eight*>(r + 2 * stride);
  for (int i = begin; i < end; ++i) {
    const Eight* const row = reinterpret_cast<const Eight*>(inverse + static_cast<long>(i) * stride);
    Eight sx = {}, sy = {}, sz = {};
    for (int k = 0; k < stride / 8; ++k) {
      sx += row[k] * x[k];
      sy += row[k] * y[k];
      sz += row[k] * w[k];
    }
    double tx = 0, ty = 0, tz = 0;
    for (int k = 0; k < 8; ++k) {
      tx += sx[k];
      ty += sy[k];
      tz += sz[k];
    }
    z[4 * i] = static_cast<float>(tx);
    z[4 * i + 1] = static_cast<float>(ty);
    z[4 * i + 2] = static_cast<float>(tz);
    z[4 * i + 3] = 0;
  }
}

inline constexpr GraphKernels kernels = {scale,     smooth_scaled, smooth,  smooth_last,
                                         residuals, add_up,        prolong, dense_rows};

}  // namespace graph_rows
}  // namespace
}  // namespace pliant
