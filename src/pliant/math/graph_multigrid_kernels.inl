// SPDX-License-Identifier: Apache-2.0
// The sweeps of the V-cycle (graph_multigrid.hpp), single precision, three right-hand sides as x, y, z, 0 in
// one 128-bit register. One row is one node:
//   (A z)_i = mass_i z_i + sum_j weight_ij (z_i - z_j)
// The differences make A exact on constants whatever the ratio of weight to mass. Internal linkage, raw
// pointers and GCC vectors only: included by graph_multigrid_{portable,avx2,avx512}.cpp.

namespace pliant {
namespace {
namespace graph_rows {

// Deduced types (auto) would lose these attributes.
typedef float Xyz0 __attribute__((vector_size(16), may_alias));
typedef double Xyz0_double __attribute__((vector_size(32), may_alias));

/// r_i - (A z)_i.
inline Xyz0 residual(const GraphRows& rows, int i, const float* r, const float* z) {
  const Xyz0 here = reinterpret_cast<const Xyz0*>(z)[i];
  Xyz0 sum = reinterpret_cast<const Xyz0*>(r)[i] - rows.mass[i] * here;
  const GraphRows::Entry* const end = rows.entries + rows.begin[i + 1];
  for (const GraphRows::Entry* e = rows.entries + rows.begin[i]; e != end; ++e)
    sum += e->weight * (*reinterpret_cast<const Xyz0*>(z + e->at) - here);
  return sum;
}

/// One damped Jacobi sweep, out = z + omega D^-1 (r - A z); out is another array than z and may be r.
inline void smooth(const GraphRows& rows, int begin, int end, float omega, const float* r, const float* z,
                   float* out) {
  const Xyz0* const zv = reinterpret_cast<const Xyz0*>(z);
  Xyz0* const to = reinterpret_cast<Xyz0*>(out);
  for (int i = begin; i < end; ++i) to[i] = zv[i] + omega * rows.inverse[i] * residual(rows, i, r, z);
}

/// The same. Returns r . out.
inline double smooth_last(const GraphRows& rows, int begin, int end, float omega, const float* r,
                          const float* z, float* out) {
  const Xyz0* const zv = reinterpret_cast<const Xyz0*>(z);
  Xyz0* const to = reinterpret_cast<Xyz0*>(out);
  Xyz0_double dot = {};
  for (int i = begin; i < end; ++i) {
    const Xyz0 right = reinterpret_cast<const Xyz0*>(r)[i];
    const Xyz0 here = zv[i] + omega * rows.inverse[i] * residual(rows, i, r, z);
    dot += __builtin_convertvector(right, Xyz0_double) * __builtin_convertvector(here, Xyz0_double);
    to[i] = here;
  }
  return (dot[0] + dot[1]) + dot[2];
}

/// Two sweeps from zero in one: z = first D^-1 r is never stored, out = z + second D^-1 (r - A z).
inline void smooth_from_zero(const GraphRows& rows, int begin, int end, float first, float second,
                             const float* r, float* out) {
  Xyz0* const to = reinterpret_cast<Xyz0*>(out);
  for (int i = begin; i < end; ++i) {
    const Xyz0 right = reinterpret_cast<const Xyz0*>(r)[i], here = rows.inverse[i] * right;
    Xyz0 sum = -rows.mass[i] * here;
    const GraphRows::Entry* const row_end = rows.entries + rows.begin[i + 1];
    for (const GraphRows::Entry* e = rows.entries + rows.begin[i]; e != row_end; ++e)
      sum += e->weight * (rows.inverse[e->at >> 2] * *reinterpret_cast<const Xyz0*>(r + e->at) - here);
    to[i] = first * here + second * rows.inverse[i] * (right + first * sum);
  }
}

/// Coarse right-hand side r_c = P^T (r - A z). The fine nodes of coarse node I are child[first[I]] ..
/// child[first[I + 1] - 1].
inline void restrict_residual(const GraphRows& rows, const int* first, const int* child, int begin, int end,
                              const float* r, const float* z, float* coarse_r) {
  Xyz0* const to = reinterpret_cast<Xyz0*>(coarse_r);
  for (int c = begin; c < end; ++c) {
    Xyz0 sum = {};
    for (int k = first[c]; k < first[c + 1]; ++k) sum += residual(rows, child[k], r, z);
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

inline constexpr GraphKernels kernels = {smooth_from_zero,  smooth,  smooth_last,
                                         restrict_residual, prolong, dense_rows};

}  // namespace graph_rows
}  // namespace
}  // namespace pliant
