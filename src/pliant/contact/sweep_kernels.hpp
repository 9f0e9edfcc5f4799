// SPDX-License-Identifier: Apache-2.0
// The inner product of the contact sweeps, once per instruction set.
#pragma once

namespace pliant {

inline constexpr int sweep_lanes = 8;  ///< rows and impulses are padded with zeros to a multiple of it

struct SweepKernels {
  /// out = sum_k s[k] (x[k], y[k], z[k]), k in [0, count), count a multiple of sweep_lanes; s on 32, x, y and
  /// z on 64 bytes.
  void (*row)(const float* s, const double* x, const double* y, const double* z, int count, double out[3]);
};

const SweepKernels& sweep_kernels();  ///< of base/simd.hpp's level

extern const SweepKernels sweep_kernels_portable, sweep_kernels_avx2, sweep_kernels_avx512;

}  // namespace pliant
