// SPDX-License-Identifier: Apache-2.0
// The cells as the kernels read them (cell_kernels.hpp), and sweeps over all of them with the pool's threads.
#pragma once

#include <cstdint>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/methods/meshless/cell_kernels.hpp"
#include "pliant/methods/meshless/cells.hpp"

namespace pliant::meshless {

struct alignas(32) Double4 {
  double x = 0, y = 0, z = 0, w = 0;
};

class PackedCells {
 public:
  /// stiffness: of each cell relative to the body's.
  PackedCells(const Cells& cells, const Points& rest, const std::vector<double>& stiffness);

  Index cells() const { return cells_; }
  Index batches() const { return (cells_ + lanes - 1) / lanes; }
  int parts() const { return int(part_.size()); }

  using Quaternions = AlignedVector<float>;  ///< [batch][w x y z][lane]
  Quaternions unturned() const;

  /// y = matrix of the cells times x, or the forces with stress.rest (then of the plastic stress too).
  void apply(const Stress<float>& stress, Quaternions& q, const Float4* x, Float4* y, Pool& pool) const;
  void apply(const Stress<double>& stress, Quaternions& q, const AlignedVector<double>& flow, const Vec3* x,
             Vec3* y, Pool& pool) const;

  /// Those forces, positions and strains in double precision, sums in single: net forces and turns of the
  /// whole are free of force to single precision of the forces, no longer of the positions.
  void forces(const Stress<double>& stress, Quaternions& q, const AlignedVector<double>& flow, const Vec3* x,
              Vec3* y, Pool& pool) const;
  /// x^T times matrix of the cells times x, with half the work of the product.
  double curvature(const Stress<float>& stress, Quaternions& q, const Float4* x, Pool& pool) const;

  /// Cell rotations from those at the nodes. Returns how many cells kept theirs.
  int blend(const Float4* q_nodes, float shortest, Quaternions& q, Pool& pool) const;

  /// Of the float matrix: what cells and nodes must be read and written, without the zeros of the batches.
  std::size_t bytes_per_apply() const;
  std::size_t memory_bytes() const;
  Index tables() const { return tables_; }  ///< as many as batches, less where nodes lie on a lattice

 private:
  struct Part {
    Index first = 0, cells = 0;  ///< the first is that of a batch
    Index begin = 0, nodes = 0;  ///< of local_
  };
  /// The numbers of a batch's rows, as the kernels read them.
  struct Table {
    std::vector<float> gradient, centre_value;
  };
  void number_rows(const Cells& cells);
  void fill_tables(const Cells& cells, const Points& rest);
  void fill_cell(const Cells& cells, const Points& rest, const Part& part, Index cell, Table& table);
  template <class T>
  CellPart<T> view(const Part& part, const AlignedVector<T>& weight, Quaternions& q,
                   const AlignedVector<T>& flow = {}) const;
  void copy_in(const Part& part, const Float4* x) const;
  void copy_in(const Part& part, const Vec3* x) const;
  template <class Four, class Sum>
  void add_parts(const AlignedVector<Four>& out, Sum* y, Pool& pool) const;

  Index cells_ = 0, nodes_ = 0, tables_ = 0;
  std::size_t entries_ = 0;  ///< nodes of the cells, all together
  std::vector<Part> part_;
  std::vector<Index> local_;         ///< node of a part's number, part after part
  std::vector<std::int32_t> begin_;  ///< rows of a batch
  std::vector<std::int32_t> table_;  ///< of a batch: the first of its rows in gradient_ and centre_value_
  AlignedVector<std::uint16_t> node_;
  AlignedVector<float> gradient_, centre_value_, rest_, weight_;
  AlignedVector<double> exact_weight_;
  std::vector<Index> slot_begin_, slot_;  ///< where a node is in local_
  // Scratch of the sweeps.
  mutable AlignedVector<Float4> in_, out_;
  mutable AlignedVector<Double4> exact_in_, exact_out_;
  mutable std::vector<int> kept_;
  mutable std::vector<double> curvature_;
};

}  // namespace pliant::meshless
