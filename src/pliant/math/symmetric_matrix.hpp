// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// A sparse symmetric matrix, lower triangle with diagonal, by rows: row i has value[k] at column[k] <= i,
/// ascending, for k in [begin[i], begin[i + 1]); the diagonal is the last entry of its row.
struct SymmetricMatrix {
  std::vector<Index> begin{0}, column;
  std::vector<double> value;

  Index rows() const { return Index(begin.size()) - 1; }
};

/// From rows of pairs {column, value}, each as SymmetricMatrix wants it: a vector of vectors or of maps.
template <class Rows>
SymmetricMatrix symmetric_from_rows(const Rows& rows) {
  SymmetricMatrix out;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      out.column.push_back(column);
      out.value.push_back(value);
    }
    out.begin.push_back(Index(out.column.size()));
  }
  return out;
}

}  // namespace pliant
