// SPDX-License-Identifier: Apache-2.0
// Plastic flow of rows that flow by themselves (plastic_flow.hpp), four at a time, in double, once per
// instruction set. A row is a directed edge in the order of the step; d lies in the order of the model.
#pragma once

namespace pliant::geometric {

struct FlowArrays {
  const int* begin = nullptr;         ///< rows of the node at a place: [begin[i], begin[i + 1]), padded
  const int* target = nullptr;        ///< the place at the other end
  const int* first = nullptr;         ///< by place: the node's first row in d
  const int* count = nullptr;         ///< by place: how many rows it has, without padding
  const int* mirror = nullptr;        ///< of row k: the row the other way
  const float* weight = nullptr;      ///< a
  const double* length = nullptr;     ///< |X_j - X_i|, m
  const float* quaternion = nullptr;  ///< [batch][w x y z][16]
  float* star = nullptr;              ///< a d and a number that stays, see SweepArrays
  float* row = nullptr;               ///< -a d of the row the other way
  const double* d = nullptr;          ///< 3 a row
  float* slew = nullptr;              ///< J of the stars, see SweepArrays
  float* edge_sum = nullptr;          ///< sum of a d and a number that stays
  float* relief = nullptr;            ///< Q of the stars, see SweepArrays; null without relief
  const float* relieved = nullptr;    ///< by place: theta; null without relief
  float* watched = nullptr;           ///< [batch][sum of a |d|^2, least a |d|^2][16], see StarWatch
};

/// kappa = min(1, slope (rho - yield)), |d|/|first d| in [shortest, longest].
struct FlowLaw {
  double yield = 0, slope = 0, shortest = 0, longest = 0, no_change = 0;
  bool along_body = false;  ///< rows flow towards R^T (x_j - x_i); else towards x_j - x_i, as printed
};

/// What a flow looked at.
struct FlowLook {
  int stars = 0, rows = 0;  ///< in single precision
  int decided = 0;          ///< rows in double precision
};

/// Part of |d| that the strain of a row must stay below to be passed over by what single precision knows of
/// it.
float certain_strain(const FlowLaw& law);

struct FlowKernels {
  /// Rows of the places [begin, end) at x (4 doubles a place), of those that may_flow says by the bits of
  /// their batches (null: all); d: those of the arrays, to be changed; flowed[i] = how many of place i did;
  /// adds to look.
  void (*flow)(const FlowArrays&, const FlowLaw&, const double* x, const unsigned* may_flow, double* d,
               int* flowed, int begin, int end, FlowLook& look);
  /// Writes both copies of the rows of a place as d has them.
  void (*copy)(const FlowArrays&, int place);
  /// sum of a d (x y z) and of a d d^T (xx xy xz yy yz zz) over the rows of a place; writes what is watched.
  void (*sum)(const FlowArrays&, int place, double sum[9]);
  /// Writes the slew, the sum of a d and the relief of a place whose star has edge rows only. False, and nothing
  /// is written, where the determinant of what J or Q inverts is not above that part of its mean eigenvalue,
  /// cubed.
  bool (*renew)(const FlowArrays&, int place, double least_determinant);
};

const FlowKernels& flow_kernels();  ///< of base/simd.hpp's level

extern const FlowKernels flow_kernels_portable, flow_kernels_avx2, flow_kernels_avx512;

}  // namespace pliant::geometric
