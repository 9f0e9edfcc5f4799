// SPDX-License-Identifier: Apache-2.0
// What the V-cycle and its kernels share: plain pointers only (base/simd.hpp tells why).
#pragma once

namespace pliant {

/// A = diag(mass) + weighted graph Laplacian by rows: row i has the entries begin[i] .. begin[i + 1] - 1.
struct GraphRows {
  struct Entry {
    int at;  ///< 4 x column: where the neighbour's x, y, z, 0 begin (saves a shift per edge, a tenth of a
             ///< sweep)
    float weight;
  };
  const int* begin;
  const Entry* entries;
  const float* mass;     ///< anchors included
  const float* inverse;  ///< 1 / A_ii
};

/// One table per instruction set; graph_multigrid_kernels.inl tells what each does. Vectors are x, y, z, 0.
struct GraphKernels {
  void (*smooth_from_zero)(const GraphRows& rows, int begin, int end, float first, float second,
                           const float* r, float* out);
  void (*smooth)(const GraphRows& rows, int begin, int end, float omega, const float* r, const float* z,
                 float* out);
  double (*smooth_last)(const GraphRows& rows, int begin, int end, float omega, const float* r,
                        const float* z, float* out);
  void (*restrict_residual)(const GraphRows& rows, const int* first, const int* child, int begin, int end,
                            const float* r, const float* z, float* coarse_r);
  void (*prolong)(const int* parent, int begin, int end, const float* coarse_z, float* z);
  void (*dense_rows)(const double* inverse, int stride, int begin, int end, const double* r, float* z);
};

extern const GraphKernels graph_kernels_portable, graph_kernels_avx2, graph_kernels_avx512;

}  // namespace pliant
