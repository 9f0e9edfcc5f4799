// SPDX-License-Identifier: Apache-2.0
// What the V-cycle and its kernels share: plain pointers only (base/simd.hpp tells why).
#pragma once

namespace pliant {

inline constexpr int graph_group = 4;  ///< rows side by side

/// A = diag(mass) + weighted graph Laplacian. Rows go in groups of four, each as long as the longest of them:
/// empty entries (weight 0, to the group itself) fill up; the last group may have fewer rows. Group g has the
/// entries begin[g] .. begin[g + 1] - 1.
struct GraphRows {
  /// The k-th neighbours of the four rows.
  struct Entry {
    int at[graph_group];  ///< 4 x column: where the neighbour's x, y, z, 0 begin
    float weight[graph_group];
  };
  const int* begin;
  const Entry* entries;
  const float* mass;     ///< anchors included; whole groups, as inverse
  const float* inverse;  ///< 1 / A_ii
};

/// One table per instruction set; graph_multigrid_kernels.inl tells what each does. Vectors are x, y, z, 0.
/// Ranges of rows begin with whole groups.
struct GraphKernels {
  void (*scale)(const GraphRows& rows, int begin, int end, const float* r, float* out);
  void (*smooth_scaled)(const GraphRows& rows, int begin, int end, float first, float second, const float* r,
                        const float* scaled, float* out);
  void (*smooth)(const GraphRows& rows, int begin, int end, float omega, const float* r, const float* z,
                 float* out);
  double (*smooth_last)(const GraphRows& rows, int begin, int end, float omega, const float* r,
                        const float* z, float* out);
  void (*residuals)(const GraphRows& rows, int begin, int end, const float* r, const float* z, float* out);
  void (*add_up)(const int* first, const int* child, int begin, int end, const float* fine, float* coarse);
  void (*prolong)(const int* parent, int begin, int end, const float* coarse_z, float* z);
  void (*dense_rows)(const double* inverse, int stride, int begin, int end, const double* r, float* z);
};

extern const GraphKernels graph_kernels_portable, graph_kernels_avx2, graph_kernels_avx512;

}  // namespace pliant
