// SPDX-License-Identifier: Apache-2.0
// The sweeps over integration cells that a step is made of, once per instruction set. Eight cells that follow
// one another make a batch: most often the cube of two by two by two between eight nodes, whose cells share
// two thirds of their nodes. A batch lists all its nodes once; a row is one of them with its gradient in each
// of the eight cells, zero where a cell does not know it. So the cells stand side by side in a register, and
// positions are read and forces written once a batch:
//   F = sum_I x_I g_I^T,  G = R^T F - F0,  y_I += P g_I,                                      (energy.hpp)
//   P = w R [ (mu + kappa) G + (mu - kappa) G^T + lambda tr G ]
// with F0 = 0 for the matrix alone and the F of the rest state for forces. Gradients are rounded to single
// precision such that those of a cell still sum to zero exactly (packed_cells.cpp); F0 is the sum of the
// rounded ones, so that rest and rigid motion are free of force to the last digit of double precision.
// Nodes on a lattice repeat: batches whose rows have the same numbers, bit for bit, share them (a table), and
// only differ in the nodes that the rows stand for.
// Batches come in parts; a part numbers the nodes it touches itself, so that it reads a small array and
// writes another of its own, and parts can run side by side.
#pragma once

#include <cstdint>

namespace pliant::meshless {

inline constexpr int lanes = 8;
inline constexpr int row_group = 4;      ///< batches have a multiple of so many rows; the last may be empty
inline constexpr int part_cells = 2048;  ///< a multiple of lanes

/// What one part of the cells has; rows of its batch b are [begin[b], begin[b + 1]), their numbers those of
/// the rows from table[b] on of all tables.
template <class T>
struct CellPart {
  int batches = 0;
  const std::int32_t* begin = nullptr;  ///< of the part's first batch
  const std::int32_t* table = nullptr;  ///< likewise, and one more at the end
  const std::uint16_t* node = nullptr;  ///< the part's number of a row's node, of row 0 of all parts
  const float* gradient = nullptr;      ///< [row / 2][x y z][row % 2][lane] of all tables
  const float* centre_value = nullptr;  ///< [row][lane], likewise
  const T* weight = nullptr;            ///< [batch][lane]: w times relative stiffness, 0 = no cell
  float* quaternion = nullptr;          ///< [batch][w x y z][lane], of the part's first batch
  const float* rest = nullptr;          ///< F0 - I, [batch][9][lane]
  const T* flow = nullptr;              ///< plastic stress, [batch][xx yy zz yz zx xy][lane]; null = none
};

template <class T>
struct Stress {
  T plus = 0;         ///< mu + kappa
  T minus = 0;        ///< mu - kappa
  T lambda = 0;       ///< Pa
  bool rest = false;  ///< forces; else the matrix alone
};

struct CellKernels {
  /// y += sum of P g over the part; x and y four numbers a node of the part, the last of no meaning.
  void (*apply_float)(const CellPart<float>&, const Stress<float>&, const float* x, float* y);
  void (*apply_double)(const CellPart<double>&, const Stress<double>&, const double* x, double* y);
  /// The same with positions and strains in double precision, and what they pull with in single.
  void (*forces)(const CellPart<double>&, const Stress<double>&, const double* x, float* y);
  /// x^T times the matrix of the part times x, without the product: no rest, no plastic stress.
  double (*curvature)(const CellPart<float>&, const Stress<float>&, const float* x);
  /// Unit quaternions at the cells from those at the nodes (w, x, y, z, four numbers a node of the part).
  /// Where the blend is shorter than `shortest` the cell keeps its own. Returns how many did, of the part's
  /// first `cells`.
  int (*blend)(const CellPart<float>&, const float* q, float shortest, int cells);
  /// q_i = sum_s influence[i samples + s] q_s for the nodes [first, last): four numbers each.
  void (*diffuse)(const float* influence, int samples, const float* q_samples, float* q, int first, int last);
};

const CellKernels& cell_kernels();  ///< of base/simd.hpp's level

extern const CellKernels cell_kernels_portable, cell_kernels_avx2, cell_kernels_avx512;

}  // namespace pliant::meshless
