// SPDX-License-Identifier: Apache-2.0
// The sweeps over a padded lattice, once per instruction set (base/simd.hpp). Arrays have one entry a point
// of the padded lattice; ranges are multiples of stencil_block. What lies around a range is read up to the
// largest offset away, and counts nothing there (padded_grid.hpp).
#pragma once

#include <cstddef>

namespace pliant::metric {

inline constexpr int stencil_block = 16;

/// One set of constraints: between the points p and p + offset, where bit `bit` of bits[p] says so.
struct StencilSet {
  int offset = 0;
  unsigned bit = 0;
  bool squared = false;
  double inverse_h2 = 0;         ///< 1/H^2, 1/m^2
  double eta = 0;                ///< J, of now
  const double* rest = nullptr;  ///< rest metric over H^2 per base point; null = 1
  double add = 0;                ///< joins max(alpha, floor) in the matrix, J
  double stretch = 0;            ///< Gauss-Newton: coefficient of dr dr^T for linear sets, J
  double stretch_slope = 0;      ///< the same per |s| for squared sets, J
  float* a = nullptr;            ///< scalar matrix weights per base point, scaled
  float* c = nullptr;            ///< weights of dr dr^T; null = none
};

/// One set of angles: between the edges p -> p + first and p -> p + second.
struct StencilAngle {
  int first = 0, second = 0;  ///< offsets
  unsigned bit = 0;
  double inverse_hh = 0;                          ///< 1/(h_i h_j), 1/m^2
  double eta = 0;                                 ///< J, of now
  float *a_first = nullptr, *a_second = nullptr;  ///< length weights that bound it
  float* w = nullptr;                             ///< paper: alpha/(h_i h_j), scaled
  float* c = nullptr;                             ///< Gauss-Newton: eta/(h_i h_j)^2, scaled
};

struct EvaluateSweep {
  const double *x, *y, *z;
  const unsigned* bits;
  const StencilSet* sets;
  int set_count;
  const StencilAngle* angles;
  int angle_count;
  double* force[3];
  double floor;        ///< of alpha in the matrix: 0, or minus infinity for the paper's
  double angle_bound;  ///< share of the angles' Hessian at rest in a_first, a_second: 2 kappa, or 0
  bool angle_clamp;    ///< |alpha| joins a_first, a_second
  double scale;        ///< of the matrix
};

struct ApplySweep {
  const float* in[3];
  float* out[3];
  const float* mass;   ///< diagonal beside the stencil
  const float* free;   ///< 1 or 0: rows that count
  const float* at[3];  ///< positions, for the sets' c and the angles
  const StencilSet* sets;
  int set_count;
  const StencilAngle* angles;
  int angle_count;
};

struct DiagonalSweep {
  const float* mass;
  const float* free;
  const float* at[3];
  const StencilSet* sets;
  int set_count;
  const StencilAngle* angles;
  int angle_count;
  float* scalar;    ///< 1/diagonal, 0 where no row counts; or
  float* block[6];  ///< xx xy xz yy yz zz of the inverse diagonal blocks
};

struct CellSweep {
  const double *x, *y, *z;
  int step[3];  ///< offsets of the axes
  double inverse_volume;
  float* ratio;  ///< J per base point
};

struct StencilKernels {
  /// Forces in double precision and the weights of the matrix.
  void (*evaluate)(const EvaluateSweep& sweep, int begin, int end);
  /// out = A in by scalar weights; returns in . out.
  double (*apply)(const ApplySweep& sweep, int begin, int end);
  /// The same with dr dr^T.
  double (*apply_blocks)(const ApplySweep& sweep, int begin, int end);
  /// The same by the paper's angles.
  double (*apply_angles)(const ApplySweep& sweep, int begin, int end);
  void (*diagonal)(const DiagonalSweep& sweep, int begin, int end);
  void (*diagonal_blocks)(const DiagonalSweep& sweep, int begin, int end);
  void (*cells)(const CellSweep& sweep, int begin, int end);

  double (*dot)(const float* a, const float* b, int begin, int end);
  /// x += alpha p, r -= alpha q; returns r . r.
  double (*advance)(float alpha, const float* p, const float* q, float* x, float* r, int begin, int end);
  /// p = z + beta p.
  void (*turn)(float beta, const float* z, float* p, int begin, int end);
  void (*multiply)(const float* d, const float* r, float* z, int begin, int end);
  void (*multiply_blocks)(const float* const d[6], const float* const r[3], float* const z[3], int begin,
                          int end);
};

const StencilKernels& stencil_kernels();  ///< of base/simd.hpp's level

extern const StencilKernels stencil_kernels_portable, stencil_kernels_avx2, stencil_kernels_avx512;

}  // namespace pliant::metric
