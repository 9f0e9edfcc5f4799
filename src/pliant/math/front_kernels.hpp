// SPDX-License-Identifier: Apache-2.0
// The inner loops of element_factor.hpp in double precision, one set per instruction set (base/simd.hpp).
//
// A front of `height` rows of which the first `width` are eliminated is a panel, its first columns, and an
// update, what they leave below: both column-major, columns `panel_stride` and `update_stride` apart, which
// are the rows rounded up to whole registers of eight. Entries above the diagonal and beyond the last row
// are scratch.
#pragma once

namespace pliant {

/// Rows of a column in memory.
inline constexpr int front_stride(int rows) { return (rows + 7) / 8 * 8; }

/// Numbers that may be read (not used) behind the last column of a panel.
inline constexpr int front_margin = 32;

struct FrontKernels {
  /// [L1; L2] of the panel in place, L1 L1^T its upper part. Returns -1, or the column whose pivot is not
  /// positive. `inverse`: 1 / the diagonal of L1.
  int (*eliminate)(double* panel, int width, int height, double* inverse);
  /// update -= L2 L2^T.
  void (*update)(const double* panel, int width, int height, double* update);
  /// y <- L1^-1 y, below -= L2 y.
  void (*forward)(const double* panel, const double* inverse, int width, int height, double* y,
                  double* below);
  /// y <- L1^-T (y - L2^T below).
  void (*backward)(const double* panel, const double* inverse, int width, int height, double* y,
                   const double* below);
  /// to += from.
  void (*add)(const double* from, int count, double* to);
  /// out = -(three rows of `count` numbers, `stride` apart)^T (the same): a square of columns `stride` apart.
  void (*minus_square)(const double* rows, int count, int stride, double* out);
};

extern const FrontKernels front_kernels_portable, front_kernels_avx2, front_kernels_avx512;

}  // namespace pliant
