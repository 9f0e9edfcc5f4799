// SPDX-License-Identifier: Apache-2.0
// The sweeps over integration cells that a step is made of, once per instruction set. Cells come in parts of
// part_cells; a part numbers the nodes it touches itself, so that it reads a small array and writes another
// of its own, and parts can run side by side. Inside, batches of 16 cells share the closed form of the stress
// (energy.hpp):
//   F = sum_I x_I g_I^T,  M = R^T F,  P = w [ (mu + kappa) F + (mu - kappa) R M^T + (lambda tr M - rest) R ],
//   y_I += P g_I
#pragma once

#include <cstdint>

namespace pliant::meshless {

inline constexpr int lanes = 16;
inline constexpr int part_cells = 2048;  ///< a multiple of lanes

/// What one part of the cells has; entries of cell c are [begin[c], begin[c + 1]).
template <class T>
struct CellPart {
  int cells = 0;
  const std::int32_t* begin = nullptr;  ///< of the part's first cell
  const std::uint16_t* node = nullptr;  ///< the part's number of a node, of entry 0 of all parts
  const T* gradient = nullptr;          ///< three an entry, likewise
  const float* centre_value = nullptr;  ///< one an entry, likewise
  const T* weight = nullptr;            ///< w times relative stiffness, of the part's first cell
  float* quaternion = nullptr;          ///< [batch][w x y z][16], of the part's first batch
  const T* flow = nullptr;              ///< plastic stress, [batch][xx yy zz yz zx xy][16]; null = none
};

template <class T>
struct Stress {
  T plus = 0;    ///< mu + kappa
  T minus = 0;   ///< mu - kappa
  T lambda = 0;  ///< Pa
  T rest = 0;    ///< 2 mu + 3 lambda: forces; 0: the matrix alone
};

struct CellKernels {
  /// y = sum of P g over the part; x and y four numbers a node of the part, the last 0.
  void (*apply_float)(const CellPart<float>&, const Stress<float>&, const float* x, float* y);
  void (*apply_double)(const CellPart<double>&, const Stress<double>&, const double* x, double* y);
  /// Unit quaternions at the cells from those at the nodes (w, x, y, z, four numbers a node of the part).
  /// Where the blend is shorter than `shortest` the cell keeps its own. Returns how many did.
  int (*blend)(const CellPart<float>&, const float* q, float shortest);
  /// q_i = sum_s influence[i samples + s] q_s for the nodes [first, last): four numbers each.
  void (*diffuse)(const float* influence, int samples, const float* q_samples, float* q, int first, int last);
};

const CellKernels& cell_kernels();  ///< of base/simd.hpp's level

extern const CellKernels cell_kernels_portable, cell_kernels_avx2, cell_kernels_avx512;

}  // namespace pliant::meshless
