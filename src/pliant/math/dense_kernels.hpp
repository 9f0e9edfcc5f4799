// SPDX-License-Identifier: Apache-2.0
// The inner loops of dense_system.hpp, one set per instruction set (base/simd.hpp), in single and double
// precision. Matrices lie in panels: sixteen rows side by side, column after column; entry (i, k) of a matrix
// of `columns` columns at ((i/16) columns + k) 16 + i%16.
#pragma once

namespace pliant {

inline constexpr int panel_rows = 16;

template <class T>
struct DenseKernels {
  /// The columns [first, last), multiples of 16, of c = a a^T from their panel on down; `begin` to `end` are
  /// the columns of a that take part. The first time c is set, then added to.
  void (*gram)(int panels, int first, int last, long columns, int begin, int end, const T* a, T* c);
  /// Lower Cholesky factor in place. False: not positive definite.
  bool (*factor)(int panels, T* a);
  /// b (panels of rows) <- b L^-T: every row r becomes L^-1 r.
  void (*solve_rows)(int panels, const T* l, int row_panels, T* b);
  /// b <- L^-1 b and b <- L^-T b of one vector.
  void (*solve_lower)(int panels, const T* l, T* b);
  void (*solve_upper)(int panels, const T* l, T* b);
};

extern const DenseKernels<float> dense_float_portable, dense_float_avx2, dense_float_avx512;
extern const DenseKernels<double> dense_double_portable, dense_double_avx2, dense_double_avx512;

/// Those of simd_level().
template <class T>
const DenseKernels<T>& dense_kernels();

}  // namespace pliant
