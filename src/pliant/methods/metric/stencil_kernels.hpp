// SPDX-License-Identifier: Apache-2.0
// The sweeps over a padded lattice, once per instruction set (base/simd.hpp). Arrays have one entry a point
// of the padded lattice; ranges are multiples of stencil_block. What lies around a range is read up to the
// largest offset away, and counts nothing there (padded_grid.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant::metric {

inline constexpr int stencil_block = 16;
/// To whole blocks.
inline int rounded_up(int n) { return (n + stencil_block - 1) / stencil_block * stencil_block; }

/// One set of constraints: between the points p and p + offset, with the share share[p] of its strength; 0
/// where there is none.
struct StencilSet {
  int offset = 0;
  bool squared = false;
  const float* share = nullptr;
  double inverse_h2 = 0;         ///< 1/H^2, 1/m^2
  double eta = 0;                ///< of now, over H^2, N/m
  const double* rest = nullptr;  ///< rest metric over H^2 per base point; null = 1
  double add = 0;                ///< joins max(alpha, floor)/H^2 in the matrix, scaled
  double stretch = 0;            ///< Gauss-Newton: coefficient of dr dr^T for linear sets, scaled
  double stretch_slope = 0;      ///< the same per |s| for squared sets
  float* a = nullptr;            ///< scalar matrix weights per base point, scaled
  float* c = nullptr;            ///< weights of dr dr^T; null = none
};

/// One set of angles: between the edges p -> p + first and p -> p + second.
struct StencilAngle {
  int first = 0, second = 0;  ///< offsets
  std::uint64_t bit = 0;
  double inverse_hh = 0;                          ///< 1/(h_i h_j), 1/m^2
  double eta = 0;                                 ///< J, of now
  float *a_first = nullptr, *a_second = nullptr;  ///< length weights that bound it
  float* w = nullptr;                             ///< paper: alpha/(h_i h_j), scaled
  float* c = nullptr;                             ///< Gauss-Newton: eta/(h_i h_j)^2, scaled
};

struct EvaluateSweep {
  const double *x, *y, *z;
  const std::uint64_t* bits;
  const StencilSet* sets;
  int set_count;
  const StencilAngle* angles;
  int angle_count;
  double* force[3];
  double floor;        ///< of alpha/H^2 in the matrix: 0, or minus infinity for the paper's
  double angle_bound;  ///< share of the angles' Hessian at rest in a_first, a_second: 2 kappa, or 0
  bool angle_clamp;    ///< |alpha| joins a_first, a_second
  double scale;        ///< of the matrix
};

struct ApplySweep {
  const float* in[3];
  float* out[3];
  const float* mass;   ///< diagonal beside the stencil; of the kernels by sums the whole diagonal
  const float* free;   ///< 1 or 0: rows that count
  const float* at[3];  ///< positions, for the sets' c and the angles
  const StencilSet* sets;
  int set_count;
  const StencilAngle* angles;
  int angle_count;
  const float* right[3];   ///< b, of residual and smooth
  const float* smoothing;  ///< inverse diagonal, of smooth and start
  float damping;           ///< times this
  float* scaled[3];        ///< of start: the inverse diagonal times out
};

/// From a lattice to that of its blocks of two by two by two points, along x at points 2 I and 2 I + 1.
struct TransferSweep {
  const float* share;         ///< per fine point: 1 over the weights of the coarse points that exist, or 0
  int fine_step[3], step[3];  ///< offsets of the axes
  int nodes[3];               ///< of the fine lattice
};

/// Part of a coarse weight: the fine weights at 2 I + at.
struct CoarseTerm {
  const float* a;
  int cell[3] = {0, 0, 0};  ///< of the base, from the fine point of the coarse one
  int at = 0;               ///< the same in points
  int end = 0;              ///< of the far point
  float factor = 1;
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
  float* ground;    ///< null, or the sums of rows over the points that count
  float* plain;     ///< null, or the diagonal
};

/// Sums over the points that count.
struct DiagonalSums {
  double mass = 0, diagonal = 0;
};

struct CellSweep {
  const double *x, *y, *z;
  const std::uint64_t* bits;
  std::uint64_t bit;  ///< where a cell begins
  int step[3];        ///< offsets of the axes
  double inverse_volume;
  float* ratio;  ///< J per base point
};

/// b = free (force F + mass (motion d + fall)) with the elastic forces F and the displacements d of no force.
struct RightSideSweep {
  const double* elastic[3];
  const float *mass, *free;
  const float* along[3];  ///< d
  float* out[3];
  double force;
  float motion, fall[3];
};

/// The state of nodes, three numbers each, and the same at points: positions x and displacements h v.
struct StateSweep {
  const double *x, *v;
  double h;
  double* at[3];
  float* along[3];
};

/// And back: x = at + along, v = rate along.
struct EndSweep {
  const double* at[3];
  const float* along[3];
  double rate;
  double *x, *v;
};

struct StencilKernels {
  /// Nodes [node, node + count) to the points [point, point + count), and back; the latter returns the sum of
  /// the magnitudes of all numbers.
  void (*to_points)(const StateSweep& sweep, int node, int point, int count);
  double (*to_nodes)(const EndSweep& sweep, int node, int point, int count);
  /// Forces in double precision and the weights of the matrix.
  void (*evaluate)(const EvaluateSweep& sweep, int begin, int end);
  /// out = A in by scalar weights; returns in . out.
  double (*apply)(const ApplySweep& sweep, int begin, int end);
  /// The same with dr dr^T.
  double (*apply_blocks)(const ApplySweep& sweep, int begin, int end);
  /// The same by the paper's angles.
  double (*apply_angles)(const ApplySweep& sweep, int begin, int end);
  DiagonalSums (*diagonal)(const DiagonalSweep& sweep, int begin, int end);
  void (*diagonal_blocks)(const DiagonalSweep& sweep, int begin, int end);
  /// Returns the least ratio where a cell begins.
  double (*cells)(const CellSweep& sweep, int begin, int end);
  /// out = a + c |dr|^2: scalar weights that bound those of dr dr^T.
  void (*bound)(const ApplySweep& sweep, const StencilSet& set, float* out, int begin, int end);
  void (*right_side)(const RightSideSweep& sweep, int begin, int end);

  // By sums, D in - sum a in, in place of the differences sum a (in - in): fewer operations, and the relative
  // error of a smooth field is that of D over the mass.
  double (*apply_sums)(const ApplySweep& sweep, int begin, int end);
  /// out = b - A in, scaled = smoothing out; returns out . scaled.
  double (*start)(const ApplySweep& sweep, int begin, int end);
  double (*start_sums)(const ApplySweep& sweep, int begin, int end);

  /// out = b - A in, for scalar weights.
  double (*residual)(const ApplySweep& sweep, int begin, int end);
  /// out = in + smoothing (b - A in), for scalar weights; returns b . out.
  double (*smooth)(const ApplySweep& sweep, int begin, int end);

  double (*dot)(const float* a, const float* b, int begin, int end);
  /// r = b - q.
  void (*subtract)(const float* b, const float* q, float* r, int begin, int end);
  /// x += alpha p.
  void (*add)(float alpha, const float* p, float* x, int begin, int end);
  /// x += alpha p, then p = z + beta p.
  void (*turn)(float alpha, float beta, const float* z, float* p, float* x, int begin, int end);
  // The same with z = d r, never stored:
  /// r = b - q, p = d r; returns r . p.
  double (*start_scaled)(const float* d, const float* b, const float* q, float* r, float* p, int begin,
                         int end);
  /// r -= alpha q; returns r . d r.
  double (*lower_scaled)(float alpha, const float* d, const float* q, float* r, int begin, int end);
  void (*turn_scaled)(float alpha, float beta, const float* d, const float* r, float* p, float* x, int begin,
                      int end);
  void (*multiply)(const float* d, const float* r, float* z, int begin, int end);
  /// z = factor d.
  void (*times)(float factor, const float* d, float* z, int begin, int end);
  /// z = factor d r.
  void (*scale)(float factor, const float* d, const float* r, float* z, int begin, int end);
  void (*multiply_blocks)(const float* const d[6], const float* const r[3], float* const z[3], int begin,
                          int end);

  // The row (y, z) of coarse points, `count` of them:
  /// to = exist P^T (share from) from the fine points around `fine` = 2 I.
  void (*restrict_row)(const TransferSweep& sweep, const float* from, const float* exist, float* to, int fine,
                       int coarse, int count, int y, int z);
  /// Fine points [fine, fine + count) of a row, their own coarse row at `coarse`; up, out: +1 or -1, the
  /// other coarse row along y and z. to += share P from.
  void (*prolong_row)(const TransferSweep& sweep, const float* from, float* to, int fine, int coarse, int up,
                      int out, int count);
  /// A row of the weights of a coarse set, of `count` points.
  void (*coarsen_row)(const TransferSweep& sweep, const CoarseTerm* terms, int term_count, const float* free,
                      int fine, float* to, int count, int y, int z);
  /// A row of sums over blocks of eight, and 1 where one of them counts.
  void (*gather_row)(const TransferSweep& sweep, const float* ground, const float* free, int fine,
                     float* mass, float* exist, int count, int y, int z);
};

const StencilKernels& stencil_kernels();  ///< of base/simd.hpp's level

extern const StencilKernels stencil_kernels_portable, stencil_kernels_avx2, stencil_kernels_avx512;

}  // namespace pliant::metric
