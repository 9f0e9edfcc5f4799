// SPDX-License-Identifier: Apache-2.0
// The sweeps over nodes and edges that a step is made of, in single precision, once per instruction set.
// Nodes come in batches of 16: node-wise arithmetic runs on 16 nodes at a time (arrays [batch][entry][16]),
// edge-wise arithmetic on the coordinates of one node (arrays of x, y, z, 0).
//
// Two sweeps make the elastic gradient, two more each product with the model Hessian:
//   1. per node: the 3x3 sum over the star, one 3x3 T_i from it (rotate: T = R, turn: T = R [w]x)
//   2. per node: T_i s_i + sum_j T_j a_ij r_ij, and the rest of the row (collect)
// with r_ij = X_j - X_i and s_i = sum_j a_ij r_ij. After plastic flow sweep 1 and s_i have d_ij for r_ij,
// sweep 2 has -d_ji. Volume rows add w_i (T_i - F_i) to R_i, its change to R_i [w]x (volume_target.hpp). Relief
// subtracts A_i Q_i, its change dA_i Q_i (model.hpp), and makes c_ij = a_ij (1 - (theta_i + theta_j)/2).
#pragma once

namespace pliant::geometric {

inline constexpr int lanes = 16;

/// Arrays of a body in the order of the step, raw so that kernels need no inline code of others. Padded to
/// whole batches; the nodes of a batch have the same number of directed edges, filled up by empty ones to
/// themselves.
struct SweepArrays {
  const int* begin = nullptr;        ///< directed edges of node i: [begin[i], begin[i + 1])
  const int* target = nullptr;       ///< the other node of a directed edge
  const float* row = nullptr;        ///< per directed edge, for sweep 2: a r, c (Model::linear_weight)
  const float* star = nullptr;       ///< for sweep 1: r by its weight in the covariance, c; may be row
  const float* own = nullptr;        ///< for sweep 1 of a product: a r, c; row, or star after flow
  const float* weight = nullptr;     ///< per directed edge: a; null without plastic flow
  const float* volume = nullptr;     ///< [batch][B^-1/tr(B^-1): 6, tr(B^-1), w][16]; null without volume rows
  const float* relief = nullptr;     ///< [batch][xx xy xz yy yz zz][16]: Q; null without relief
  const float* slew = nullptr;       ///< [batch][xx xy xz yy yz zz][16]: J of energy.hpp
  const float* edge_sum = nullptr;   ///< per node: s_i, -sum_j c_ij
  const float* laplacian = nullptr;  ///< [batch][d_i, scale][16] of model.hpp; null without Laplacian rows
  const float* laplacian_share = nullptr;  ///< per directed edge: c; empty edges have 0
  float laplacian_weight = 0;              ///< lambda, N/m
  bool laplacian_turns = false;            ///< Laplacian rows take part in the covariance

  float* quaternion = nullptr;  ///< [batch][w x y z][16]: warm start in, result out
  float* rotation = nullptr;    ///< [batch][9][16], row-major R
  float* bulk = nullptr;        ///< [batch][9][16]: N = cof(T)/sqrt(cof(T) : cof(T) Y) of the volume targets
  float* turn = nullptr;        ///< [batch][3][16]: w of the last turn sweep, rad per unit of p
  float* turn_sum = nullptr;    ///< [batch][3][16]: rad
  float* covariance = nullptr;  ///< [batch][9][16], row-major A; only for measure, may be null
  float* tensor = nullptr;      ///< [node][16]: what the second sweep gathers, see the kernels

  /// math/rotation.hpp: finish_rotations.
  unsigned (*finish)(const float (*)[16], float (*)[16], float (*)[16], unsigned) = nullptr;
};

/// Which stars have no row that flows (flow_kernels.hpp), told by their sums: with the strains s_j of its
/// rows a star has sum a |s|^2 = sum a |e|^2 - 2 R : A + sum a |d|^2, and no row has more than all.
struct StarWatch {
  const float* rest = nullptr;   ///< [batch][sum of a |d|^2, least a |d|^2][16]
  float share = 0;               ///< a row of a |s|^2 < share a |d|^2 does not flow
  unsigned* may_flow = nullptr;  ///< bit k of a batch: rows of node k must be looked at
};

/// The ends of a step, where nodes go from the caller's order to that of the step and back.
struct EndArrays {
  const int* node;      ///< the node at a place
  const double* hat_x;  ///< 3 a node
  const double* hat_v;
  const double* mass;
  double h;  ///< h', s
};

/// What becomes of the turns w of the last product: sum = share w, or sum += share w (add).
struct TurnShare {
  float share;
  bool add;
};

struct StepKernels {
  /// Sweep 1 of the gradient over batches [first, last): rotations at the positions x (4 doubles a node) from
  /// the warm start; T = scale R.
  void (*rotate)(const SweepArrays&, const double* x, float scale, int first, int last);
  /// The rotations alone, and N of volume rows. With a watch, which needs edge rows only, what it asks for.
  void (*only_rotate)(const SweepArrays&, const double* x, const StarWatch* watch, int first, int last);
  /// `rotate` with the rotations that are there.
  void (*stretch)(const SweepArrays&, const double* x, float scale, int first, int last);
  /// `rotate` in two, for rotations that are decided between: first the covariances A and what of the tensor
  /// does not depend on R; then, with R there, T = scale R.
  void (*measure)(const SweepArrays&, const double* x, float scale, int first, int last);
  void (*carry)(const SweepArrays&, float scale, int first, int last);
  /// Sweep 1 of the product with p: w = J axial(R^T dA), T = turn_scale R [w]x, the linear part by
  /// pull_scale. `last_turns`, if not null, is done with the w of the product before.
  void (*turn)(const SweepArrays&, const float* p, float pull_scale, float turn_scale,
               const TurnShare* last_turns, int first, int last);
  /// Sweep 2 over nodes [begin, end): out = base + diagonal u + what the first sweep left; begin by four;
  /// base, diagonal and u may be null. Returns u . out.
  double (*collect)(const SweepArrays&, const float* base, const float* diagonal, const float* u, float* out,
                    int begin, int end);
  /// y += s x over floats [begin, end).
  void (*add)(float s, const float* x, float* y, int begin, int end);
  /// p = s p - z.
  void (*redirect)(float s, float* p, const float* z, int begin, int end);
  /// d += a p, then p = s p - z; and d += a p - z, in one pass each.
  void (*advance)(float a, float s, float* d, float* p, const float* z, int begin, int end);
  void (*finish)(float a, float* d, const float* p, const float* z, int begin, int end);
  double (*dot)(const float* a, const float* b, int begin, int end);
  /// x^ = x + a (x - x_before) + b v and v^ = v + a (v - v_before) over numbers [begin, end).
  void (*extrapolate)(const double* x, const double* v, const double* x_before, const double* v_before,
                      double a, double b, double* hat_x, double* hat_v, int begin, int end);
  /// Places [begin, end): start = x^ + h v^ and base = -m elastic (gravity - drag v^) from nodes in the
  /// caller's order (3 doubles each).
  void (*predict)(const EndArrays&, double elastic, double drag, const double* gravity, double* start,
                  float* base, int begin, int end);
  /// v = v^ + d/h, x = x^ + h v.
  void (*accept)(const EndArrays&, const float* d, double* x, double* v, int begin, int end);
  /// Largest squared length of the turns: those of the last product, taken as `share` says; batches
  /// [first, last).
  float (*largest_turn)(const SweepArrays&, const TurnShare& share, int first, int last);
};

const StepKernels& step_kernels();  ///< of base/simd.hpp's level

extern const StepKernels step_kernels_portable, step_kernels_avx2, step_kernels_avx512;

}  // namespace pliant::geometric
