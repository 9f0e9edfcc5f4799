// SPDX-License-Identifier: Apache-2.0
// surface = W c: every embedding has this form, W constant and made once at rest, c the channels a method
// fills (node positions). Forces go back by W^T.
#pragma once

#include <span>

#include "pliant/base/types.hpp"

namespace pliant {

/// A sparse matrix W by rows: row r has weight[k] at column[k] for k in [begin[r], begin[r + 1]).
struct Gather {
  std::vector<Index> begin{0}, column;
  std::vector<double> weight;

  Index rows() const { return Index(begin.size()) - 1; }
};

/// out = W channels. out has one entry a row.
void gather(const Gather& w, std::span<const Vec3> channels, std::span<Vec3> out);

/// channels += W^T forces.
void scatter_add(const Gather& w, std::span<const Vec3> forces, std::span<Vec3> channels);

/// Rows that copy the given columns.
Gather pick(const std::vector<Index>& columns);

}  // namespace pliant
