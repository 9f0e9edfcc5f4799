// SPDX-License-Identifier: Apache-2.0
// Numerical Cholesky factorisation by fronts: every supernode gathers its matrix entries and its children's
// updates in a small dense matrix, eliminates its columns there, and hands the rest to its parent.
// [DR83] Duff, Reid, The multifrontal solution of indefinite sparse symmetric linear equations, 1983.
#pragma once

#include <functional>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/math/supernodes.hpp"
#include "pliant/math/symmetric_matrix.hpp"

namespace pliant {

/// Where each matrix entry goes: entries of column j (position in the order) are k in [begin[j],
/// begin[j + 1]), at row[k], with the value matrix.value[source[k]].
struct EntryMap {
  std::vector<Index> begin, row, source;
};

EntryMap map_entries(const SymmetricMatrix& matrix, const SupernodalPattern& pattern);

/// The finished columns of a supernode: height x width, column-major without gaps, lower triangle on top.
/// Strictly above the diagonal the values are undefined. The receiver may overwrite them.
using PanelReceiver = std::function<void(Index supernode, double* panel)>;

/// Calls receive once for each supernode. Returns -1, or the position in the order whose pivot is not
/// positive.
Index factor_supernodes(const SymmetricMatrix& matrix, const SupernodalPattern& pattern,
                        const EntryMap& entries, const PanelReceiver& receive);

/// In place: [L11; L21] becomes [L11^-1; -L21 L11^-1], zero above the diagonal.
void invert_panel(double* panel, Index width, Index height);

/// While it lives, OpenBLAS works in the calling thread only; afterwards its number of threads is what it
/// was. Guards may nest and overlap in several threads.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

}  // namespace pliant
