// SPDX-License-Identifier: Apache-2.0
// Numerical Cholesky factorisation by fronts: every supernode gathers its matrix entries and its children's
// updates in a small dense matrix, eliminates its columns there, and hands the rest to its parent.
// [DR83] Duff, Reid, The multifrontal solution of indefinite sparse symmetric linear equations, 1983.
#pragma once

#include <functional>
#include <memory>
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

/// The elimination, supernode by supernode, with a workspace for the whole of it: no step allocates.
class Fronts {
 public:
  /// The pattern must outlive it.
  explicit Fronts(const SupernodalPattern& pattern);

  /// Before the first supernode of every factorisation, except right after construction.
  void restart();

  /// Supernodes come in postorder. values is what entries.source points into; panel receives the finished
  /// columns, height x width, column-major without gaps (strictly above the diagonal undefined). Returns -1,
  /// or the column of s whose pivot is not positive.
  Index eliminate(Index s, const double* values, const EntryMap& entries, double* panel);

 private:
  void gather_entries(Index s, const double* values, const EntryMap& entries, double* panel);
  /// Adds and drops the updates of the children of s, which end the stack. Returns where they began.
  std::size_t gather_children(Index s, double* panel, double* update);
  void add_child(Index s, Index child, const double* from, double* panel, double* update);

  const SupernodalPattern* pattern_;
  std::vector<Index> local_;    // place of a row in the current front
  std::vector<Index> place_;    // places of a child's rows
  std::vector<Index> waiting_;  // supernodes whose updates are on the stack
  std::unique_ptr<double[]> stack_;
  std::size_t top_ = 0;
};

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
