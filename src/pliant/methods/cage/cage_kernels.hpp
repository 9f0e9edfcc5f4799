// SPDX-License-Identifier: Apache-2.0
// The inner loops of the cage method, one set per instruction set (base/simd.hpp), in single and double
// precision. Sixteen quadrature points are a batch and lie side by side; a batch of gradients is [row][3][16]
// with the vertices of the cage first and then its faces.
#pragma once

namespace pliant::cage {

inline constexpr int lanes = 16;

/// The same memory as RotationBatch (math/rotation.hpp) in single precision.
template <class T>
struct alignas(64) PointBatch {
  T a[9][lanes];  ///< row-major deformation gradient along the body's axes
  T q[4][lanes];  ///< its rotation: w, x, y, z
  T r[9][lanes];  ///< the same as a matrix
};

/// Numbers between the three gradients of a point where vertices lie side by side.
inline constexpr int by_point_stride(int vertices) { return vertices + 2 * lanes; }

template <class T>
struct Material {
  T twice_mu, lambda;  ///< Pa
};

template <class T>
struct CageKernels {
  /// a = one + sum over the first `used` of the rows of z_row (outer) g_row for `count` batches; z: three
  /// numbers a row; one: 1, or 0 for a change of the strain.
  void (*strain)(const T* g, int rows, int used, const T* z, T one, int count, PointBatch<T>* batches);
  /// Surface points: out[3][16] = sum over rows of z_row b_row; b: [row][16].
  void (*gather)(const T* b, int rows, const T* z, T* out);
  /// Two at once: out[6][16], of z and then of v.
  void (*gather_two)(const T* b, int rows, const T* z, const T* v, T* out);
  /// Weighted stress P = w (2 mu (F - R (1 + e)) + lambda tr(R^T F - 1 - e) R) of one batch, and the sum of
  /// the energies. weight: 16; plastic: e as xx yy zz yz xz xy of 16 lanes, or null.
  double (*stress)(const T* batch, const T* weight, const T* plastic, Material<T> material, T* p);
  /// The change of the weighted stress with frozen rotations, P = w (mu (dF + R dF^T R) + lambda tr(R^T dF)
  /// R).
  void (*stress_change)(const T* change, const T* r, const T* weight, Material<T> material, T* p);
  /// Surface points of `count` batches: out[count][3][16], as gather.
  void (*gather_many)(const T* b, int rows, const T* z, int count, T* out);
  /// f[3 row + r] = -sum over all points of P g for `used` rows from `first`, batches apart by `stride`
  /// numbers.
  void (*forces)(const T* g, int batches, long stride, int first, int used, const T* p, T* f);
  /// Rows of frozen normals of the points [first, last) of one batch, in panels (math/dense_kernels.hpp) of
  /// `points` columns: freedom c used + i of a point is sqrt(w) (R g_i)_c. g: of the first of these points,
  /// [point][3][16 + used + 16] with zeros before and behind (by_point_stride); r: of the batch.
  void (*frozen_rows)(const T* g, int used, const T* r, const T* root_weight, int first, int last, T* out,
                      int points);
  /// The system of frozen normals from the gram of those rows, both in panels, lower triangle:
  /// K_(ci)(dj) = lambda A_cd(i, j) + mu A_dc(i, j) + delta_cd scalar(i, j), scalar: used x used, symmetric.
  void (*frozen_system)(const T* gram, int used, T lambda, T mu, const T* scalar, T* system);
  /// Rows of consistent normals for the vertices [first, last): six strain rows of 16 lanes for each of a
  /// vertex's three freedoms, out[(c vertices + i) k + 16 row + lane]. incident: for each vertex the faces
  /// around it (begin[i] .. begin[i + 1] - 1) with dy/dx as nine numbers, row-major. twist: null, or a matrix
  /// a point, [9][16]; then three rows more, twist times twice the axial vector of R^T dF.
  void (*consistent_rows)(const T* g, int vertices, int first, int last, const int* begin, const int* face,
                          const T* jacobian, const T* r, const T* root_weight, T alpha, T beta,
                          const T* twist, T* out, long k);
};

extern const CageKernels<float> float_kernels_portable, float_kernels_avx2, float_kernels_avx512;
extern const CageKernels<double> double_kernels_portable, double_kernels_avx2, double_kernels_avx512;

/// Those of simd_level().
template <class T>
const CageKernels<T>& kernels();
template <>
const CageKernels<float>& kernels();
template <>
const CageKernels<double>& kernels();

}  // namespace pliant::cage
