// SPDX-License-Identifier: Apache-2.0
// What the block conjugate gradients and their kernels share: plain pointers only (base/simd.hpp tells why).
#pragma once

namespace pliant {

struct BlockRows {
  const int* begin;
  const int* column;
  const double* blocks;   ///< nine numbers, column-major, and one more at the end of the array
  const double* inverse;  ///< of the diagonal blocks, the same way
};

/// One table per instruction set; block_gradients_kernels.inl tells what each does. Vectors are x, y, z, 0.
struct BlockKernels {
  double (*product)(const BlockRows& rows, int begin, int end, const double* p, double* q);
  double (*precondition)(const BlockRows& rows, int begin, int end, const double* r, double* z);
  double (*advance)(const BlockRows& rows, int begin, int end, double a, const double* p, const double* q,
                    double* x, double* r, double* z);
  void (*redirect)(int begin, int end, double b, const double* z, double* p);
};

extern const BlockKernels block_kernels_portable, block_kernels_avx2, block_kernels_avx512;

}  // namespace pliant
