// SPDX-License-Identifier: Apache-2.0
// The inner products of the contact sweeps, once per instruction set.
#pragma once

namespace pliant {

inline constexpr int sweep_lanes = 8;  ///< rows and impulses are padded with zeros to a multiple of it

struct SweepKernels {
  /// out = sum_k s[k] (x[k], y[k], z[k]), k in [0, count), count a multiple of sweep_lanes; s on 32, x, y and
  /// z on 64 bytes.
  void (*row)(const float* s, const double* x, const double* y, const double* z, int count, double out[3]);
  /// (x, y, z)[i] += (sum_k weight[k] column[k][i]) change, i in [0, count), of one to four columns; alignment as above.
  void (*spread)(const float* const* column, const double* weight, int columns, const double* change,
                 double* x, double* y, double* z, int count);
};

const SweepKernels& sweep_kernels();  ///< of base/simd.hpp's level

extern const SweepKernels sweep_kernels_portable, sweep_kernels_avx2, sweep_kernels_avx512;

}  // namespace pliant
