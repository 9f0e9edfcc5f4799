// SPDX-License-Identifier: Apache-2.0
// A^-1 b for three right-hand sides in single precision, from panels with inverted diagonal blocks: a solve
// is matrix-vector products only, without a chain of divisions. Per supernode with own rows 1 and rows below
// 2,
//   P1 = L11^-1, P2 = -L21 L11^-1;  forward y1 = P1 b1, b2 += P2 b1;  backward x1 = P1^T y1 + P2^T x2.
// Panels may be stored in 16-bit integers, each column with a scale of its own. Whatever rounding does to
// them, both passes read the same ones: the answer is that of a symmetric positive definite matrix near
// A^-1, as a preconditioner must be. (Half precision has four bits less where a column is large, and stiff
// holds cancel there.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/types.hpp"
#include "pliant/math/panel_kernels.hpp"
#include "pliant/math/supernodes.hpp"

namespace pliant {

class PanelSolver {
 public:
  PanelSolver() = default;
  explicit PanelSolver(const SupernodalPattern& pattern, bool in_16_bits = false);

  /// Stores the panel of supernode s, given in double, column-major. Returns the first column with an entry
  /// that single precision cannot hold, or -1.
  Index set_panel(const SupernodalPattern& pattern, Index s, const double* panel);

  /// Whether 16 bits were too few for some column: its diagonal is below a thousandth of its largest entry,
  /// as where a light node hangs on stiff ones. Rounding would then change the answer there by per cents and
  /// more.
  bool coarse() const { return coarse_; }

  /// b and z are in the numbering of the matrix and may be the same array.
  void solve(const Float4* b, Float4* z, Pool& pool);

  std::size_t panel_floats() const { return std::max(panels_.size(), short_panels_.size()); }
  /// Panels count as of single precision, which limits rest on, whatever they are stored in.
  std::size_t bytes_per_solve() const;
  std::size_t memory_bytes() const;

 private:
  struct Section {
    Index begin, end;          ///< supernodes
    Index first_row, end_row;  ///< their own rows
    float* scratch;
  };
  template <class Number>
  PanelRange<Number> range(const AlignedVector<Number>& panels, const Section& section);
  void forward(const Section& section);
  void backward(const Section& section);
  template <class Number>
  Index store_panel(const SupernodalPattern& pattern, Index s, const double* panel, Number* to) const;
  void copy_in(const Section& section, const Float4* b);
  void copy_out(const Section& section, Float4* z) const;

  Index rows_ = 0;
  std::vector<Index> order_;
  std::vector<PanelNode> nodes_;
  std::vector<Index> row_lists_;
  AlignedVector<float> panels_;               ///< or
  AlignedVector<std::int16_t> short_panels_;  ///< and then
  std::vector<float> scale_;                  ///< of the columns
  bool coarse_ = false;
  AlignedVector<float> work_, scratch_;
  Section parts_[2] = {}, top_ = {};
};

}  // namespace pliant
