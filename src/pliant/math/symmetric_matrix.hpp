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

}  // namespace pliant
