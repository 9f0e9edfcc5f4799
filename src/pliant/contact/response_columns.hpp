// SPDX-License-Identifier: Apache-2.0
// Columns B j^T of surface vertices, j the row of a vertex over the nodes and B the inverse of a constant
// matrix. They are kept while the matrix stands. When there is no room for more, the column that was not used
// for longest gives way.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

class ResponseColumns {
 public:
  explicit ResponseColumns(std::size_t most_bytes = std::size_t(256) << 20) : most_bytes_(most_bytes) {}

  /// The matrix has changed: all columns are forgotten.
  void flush();

  /// Columns of `length` entries for all these vertices, each given once, of a surface of so many rows. Those
  /// that are not known are computed three at a time, one in each coordinate of a solve:
  /// solve(vertices), then take(k, vertex, column) for the k-th of them.
  template <class Solve, class Take>
  void need(std::span<const Index> vertices, Index rows, std::size_t length, Solve&& solve, Take&& take) {
    begin(vertices, rows);
    std::array<Index, 3> batch;
    std::size_t count = 0;
    const auto compute = [&] {
      solve(std::span<const Index>(batch.data(), count));
      for (std::size_t k = 0; k < count; ++k) {
        Column& column = columns_[std::size_t(slot(length, vertices.size()))];
        column.vertex = batch[k];
        column.used = uses_;
        column.value.resize(length);
        slot_of_[std::size_t(batch[k])] = Index(&column - columns_.data());
        take(int(k), batch[k], std::span<float>(column.value));
      }
      count = 0;
    };
    for (const Index v : vertices) {
      if (slot_of_[std::size_t(v)] >= 0) continue;
      batch[count++] = v;
      if (count == batch.size()) compute();
    }
    if (count > 0) compute();
  }

  /// The column of a vertex that was needed.
  std::span<const float> operator[](Index vertex) const {
    return columns_[std::size_t(slot_of_[std::size_t(vertex)])].value;
  }

  std::size_t memory_bytes() const;

 private:
  struct Column {
    Index vertex = -1;  ///< -1: empty
    std::uint64_t used = 0;
    std::vector<float> value;
  };
  /// Marks the columns that are known as used.
  void begin(std::span<const Index> vertices, Index rows);
  /// A place for a new column: an empty one, a new one while there is room, or the oldest.
  Index slot(std::size_t length, std::size_t needed);

  std::size_t most_bytes_;
  std::vector<Column> columns_;
  std::vector<Index> slot_of_;  // of a vertex, -1: none
  std::uint64_t uses_ = 0;
};

}  // namespace pliant
