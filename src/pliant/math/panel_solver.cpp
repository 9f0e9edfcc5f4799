// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/panel_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/simd.hpp"

namespace pliant {
namespace {

const PanelKernels& panel_kernels() {
  return choose_kernels(panel_kernels_portable, panel_kernels_avx2, panel_kernels_avx512);
}

/// Lane of row i of a block: see panel_kernels.hpp.
constexpr Index lane_of(Index i) { return 4 * (i % 4) + i / 4; }

constexpr double largest_short = 32767;
constexpr double least_diagonal = 10;  // units of a column, so that rounding takes 5 % of it at most

void store(double value, float& to) { to = float(value); }
void store(double value, std::int16_t& to) { to = std::int16_t(std::lround(value)); }

/// Of a column of a panel, so that its largest entry is the largest short.
float scale_of(const double* column, Index height) {
  double most = 0;
  for (Index i = 0; i < height; ++i) most = std::max(most, std::abs(column[i]));
  // A little more, so that rounding the scale makes nothing larger.
  return most > 0 && std::isfinite(most) ? float(most * (1 + 1e-6) / largest_short) : 1.0f;
}

}  // namespace

PanelSolver::PanelSolver(const SupernodalPattern& pattern, bool in_16_bits)
    : rows_(Index(pattern.order.size())), order_(pattern.order) {
  const Index count = pattern.supernodes();
  const Index top_row = pattern.first[pattern.part[1]], top_rows = rows_ - top_row;
  // The second part adds to a private copy of the top rows, so that the parts may run side by side and the
  // sums are the same when they do not. The last row stays zero: it fills up the lists.
  const bool split = pattern.part[1] > 0;
  const Index zero_row = rows_ + (split ? top_rows : 0);
  std::size_t floats = 0;
  Index tallest = 0;
  for (Index s = 0; s < count; ++s) {
    const Index height = pattern.height(s);
    const bool second_part = s >= pattern.part[0] && s < pattern.part[1];
    nodes_.push_back({.panel = std::int64_t(floats),
                      .rows = std::int64_t(row_lists_.size()),
                      .first = pattern.first[s],
                      .width = pattern.width(s),
                      .height = height});
    for (Index row : pattern.rows(s))
      row_lists_.push_back(second_part && row >= top_row ? row + top_rows : row);
    while (row_lists_.size() % panel_block) row_lists_.push_back(zero_row);
    floats += panel_lines(pattern.width(s), height) * panel_block;
    tallest = std::max(tallest, height);
  }
  const std::size_t scratch = std::size_t(tallest + panel_block - 1) / panel_block * 3 * panel_block;
  if (in_16_bits) {
    short_panels_.assign(floats, 0);
    scale_.assign(std::size_t(rows_), 1);
  } else {
    panels_.assign(floats, 0);
  }
  work_.assign(4 * (std::size_t(zero_row) + 1), 0);
  scratch_.assign(2 * scratch, 0);
  const Index middle_row = pattern.first[pattern.part[0]];
  parts_[0] = {0, pattern.part[0], 0, middle_row, scratch_.data()};
  parts_[1] = {pattern.part[0], pattern.part[1], middle_row, top_row, scratch_.data() + scratch};
  top_ = {pattern.part[1], count, top_row, rows_, scratch_.data()};
}

Index PanelSolver::set_panel(const SupernodalPattern& pattern, Index s, const double* panel) {
  if (scale_.empty()) return store_panel(pattern, s, panel, panels_.data() + nodes_[s].panel);
  const Index height = pattern.height(s);
  for (Index c = 0; c < pattern.width(s); ++c) {
    const double* column = panel + std::size_t(c) * height;
    const float scale = scale_[std::size_t(pattern.first[s] + c)] = scale_of(column, height);
    coarse_ |= !(column[c] >= least_diagonal * double(scale));
  }
  return store_panel(pattern, s, panel, short_panels_.data() + nodes_[s].panel);
}

template <class Number>
Index PanelSolver::store_panel(const SupernodalPattern& pattern, Index s, const double* panel,
                               Number* to) const {
  const Index width = pattern.width(s), height = pattern.height(s);
  const Index blocks = (height + panel_block - 1) / panel_block;
  Index bad = -1;
  for (Index j = 0; j < width; j += panel_group) {
    const Index columns = std::min(panel_group, width - j);
    for (Index r = j / panel_block; r < blocks; ++r) {
      const Index first = r * panel_block, count = std::min(panel_block, height - first);
      for (Index c = 0; c < columns; ++c, to += panel_block) {
        const double* from = panel + std::size_t(j + c) * height + first;
        const double scale = scale_.empty() ? 1 : double(scale_[std::size_t(pattern.first[s] + j + c)]);
        bool finite = true;
        for (Index i = 0; i < count; ++i) {
          finite &= std::abs(from[i]) <= std::numeric_limits<float>::max();
          store(finite ? from[i] / scale : 0, to[lane_of(i)]);
        }
        if (!finite && bad < 0) bad = j + c;
      }
    }
  }
  return bad;
}

template <class Number>
PanelRange<Number> PanelSolver::range(const AlignedVector<Number>& panels, const Section& section) {
  return {nodes_.data(),
          section.begin,
          section.end,
          panels.data(),
          scale_.empty() ? nullptr : scale_.data(),
          row_lists_.data(),
          work_.data(),
          section.scratch};
}

void PanelSolver::forward(const Section& section) {
  scale_.empty() ? panel_kernels().forward(range(panels_, section))
                 : panel_kernels().forward_short(range(short_panels_, section));
}

void PanelSolver::backward(const Section& section) {
  scale_.empty() ? panel_kernels().backward(range(panels_, section))
                 : panel_kernels().backward_short(range(short_panels_, section));
}

void PanelSolver::copy_in(const Section& section, const Float4* b) {
  auto* work = reinterpret_cast<Float4*>(work_.data());
  for (Index k = section.first_row; k < section.end_row; ++k) work[k] = b[order_[k]];
}

void PanelSolver::copy_out(const Section& section, Float4* z) const {
  const auto* work = reinterpret_cast<const Float4*>(work_.data());
  for (Index k = section.first_row; k < section.end_row; ++k) z[order_[k]] = work[k];
}

void PanelSolver::solve(const Float4* b, Float4* z, Pool& pool) {
  float* top = work_.data() + 4 * std::size_t(top_.first_row);
  float* private_top = work_.data() + 4 * std::size_t(rows_);
  const std::size_t top_floats = 4 * std::size_t(top_.end_row - top_.first_row);
  if (top_.begin == 0) {
    copy_in(top_, b);
    forward(top_);
    backward(top_);
    copy_out(top_, z);
    return;
  }
  pool.run(2, [&](int part) {
    copy_in(parts_[part], b);
    if (part == 0)
      copy_in(top_, b);
    else
      std::fill_n(private_top, top_floats, 0.0f);
    forward(parts_[part]);
  });
  for (std::size_t i = 0; i < top_floats; ++i) top[i] += private_top[i];
  forward(top_);
  backward(top_);
  std::copy_n(top, top_floats, private_top);
  pool.run(2, [&](int part) {
    backward(parts_[part]);
    copy_out(parts_[part], z);
    if (part == 0) copy_out(top_, z);
  });
}

std::size_t PanelSolver::bytes_per_solve() const {
  const std::size_t once = panel_floats() * sizeof(float) + row_lists_.size() * sizeof(Index) +
                           order_.size() * (sizeof(Index) + sizeof(Float4));
  return 2 * once;  // forward with the right-hand side, backward with the solution
}

std::size_t PanelSolver::memory_bytes() const {
  return (panels_.size() + work_.size() + scratch_.size() + scale_.size()) * sizeof(float) +
         short_panels_.size() * sizeof(std::int16_t) + (row_lists_.size() + order_.size()) * sizeof(Index) +
         nodes_.size() * sizeof(PanelNode);
}

}  // namespace pliant
