// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/block_solver.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pliant/base/aligned.hpp"
#include "pliant/base/check.hpp"
#include "pliant/math/supernodal_factor.hpp"

namespace pliant {
namespace {

MatrixGraph graph_of_blocks(const BlockPattern& pattern) {
  SymmetricMatrix nodes;
  nodes.begin = pattern.begin;
  nodes.column = pattern.column;
  nodes.value.assign(pattern.column.size(), 1.0);
  return graph_of(nodes);
}

/// The pattern of the numbers from that of the blocks: every position p becomes 3p, 3p + 1, 3p + 2.
SupernodalPattern expand(const SupernodalPattern& blocks) {
  SupernodalPattern out = blocks;
  out.order.clear();
  out.row.clear();
  const auto three = [](std::vector<Index>& list, Index at) {
    for (Index c = 0; c < 3; ++c) list.push_back(3 * at + c);
  };
  for (Index at : blocks.order) three(out.order, at);
  for (Index at : blocks.row) three(out.row, at);
  for (Index& at : out.first) at *= 3;
  for (std::size_t& at : out.row_begin) at *= 3;
  return out;
}

/// Where the numbers of the blocks go in the expanded factor.
EntryMap map_blocks(const BlockPattern& pattern, const SupernodalPattern& factor) {
  std::vector<Index> position(factor.order.size());
  for (std::size_t k = 0; k < position.size(); ++k) position[factor.order[k]] = Index(k);
  const auto each_number = [&](auto&& visit) {
    for (Index i = 0; i < pattern.rows(); ++i)
      for (Index k = pattern.begin[i]; k < pattern.begin[i + 1]; ++k)
        for (Index r = 0; r < 3; ++r)
          for (Index c = 0; c < (pattern.column[k] == i ? r + 1 : 3); ++c) {
            const auto [column, row] = std::minmax(position[3 * i + r], position[3 * pattern.column[k] + c]);
            visit(column, row, 9 * k + 3 * r + c);
          }
  };
  EntryMap map;
  map.begin.assign(position.size() + 1, 0);
  each_number([&](Index column, Index, Index) { ++map.begin[column + 1]; });
  std::partial_sum(map.begin.begin(), map.begin.end(), map.begin.begin());
  map.row.resize(map.begin.back());
  map.source.resize(map.begin.back());
  std::vector<Index> next(map.begin.begin(), map.begin.end() - 1);
  each_number([&](Index column, Index row, Index source) {
    map.row[next[column]] = row;
    map.source[next[column]++] = source;
  });
  return map;
}

}  // namespace

struct BlockSolver::Impl {
  explicit Impl(const BlockPattern& blocks)
      : pattern(expand(pliant::analyse(graph_of_blocks(blocks)))),
        entries(map_blocks(blocks, pattern)),
        fronts(pattern),
        work(pattern.order.size()) {
    std::size_t size = 0;
    Index most_below = 0;
    for (Index s = 0; s < pattern.supernodes(); ++s) {
      begin.push_back(size);
      size += std::size_t(pattern.width(s)) * pattern.height(s);
      most_below = std::max(most_below, pattern.height(s) - pattern.width(s));
    }
    panels.resize(size);
    below.resize(most_below);
  }

  SupernodalPattern pattern;
  EntryMap entries;
  Fronts fronts;
  AlignedVector<double> panels;    // [L11; L21] of every supernode, column-major
  std::vector<std::size_t> begin;  // of a supernode's panel
  std::vector<double> work, below;
  bool factored = false;
};

BlockSolver::BlockSolver() = default;
BlockSolver::~BlockSolver() = default;
BlockSolver::BlockSolver(BlockSolver&&) noexcept = default;
BlockSolver& BlockSolver::operator=(BlockSolver&&) noexcept = default;

void BlockSolver::analyse(const BlockPattern& pattern) { impl_ = std::make_unique<Impl>(pattern); }

std::string BlockSolver::factor(const double* blocks) {
  PLIANT_CHECK(impl_ != nullptr);
  Impl& m = *impl_;
  const SingleThreadedBlas guard;
  m.fronts.restart();
  m.factored = false;
  for (Index s : m.pattern.postorder) {
    const Index failed = m.fronts.eliminate(s, blocks, m.entries, m.panels.data() + m.begin[s]);
    if (failed >= 0)
      return fmt::format("the matrix is not positive definite at row {}",
                         m.pattern.order[m.pattern.first[s] + failed] / 3);
  }
  m.factored = true;
  return {};
}

void BlockSolver::solve(const double* b, double* x) {
  PLIANT_CHECK(impl_ != nullptr && impl_->factored);
  Impl& m = *impl_;
  const SingleThreadedBlas guard;
  const std::vector<Index>& order = m.pattern.order;
  for (std::size_t k = 0; k < order.size(); ++k) m.work[k] = b[order[k]];
  for (Index s = 0; s < m.pattern.supernodes(); ++s) {
    const Index width = m.pattern.width(s), height = m.pattern.height(s), rest = height - width;
    const double* panel = m.panels.data() + m.begin[s];
    double* own = m.work.data() + m.pattern.first[s];
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, width, panel, height, own, 1);
    if (rest == 0) continue;
    cblas_dgemv(CblasColMajor, CblasNoTrans, rest, width, 1, panel + width, height, own, 1, 0, m.below.data(),
                1);
    const std::span<const Index> rows = m.pattern.rows(s).subspan(width);
    for (Index i = 0; i < rest; ++i) m.work[rows[i]] -= m.below[i];
  }
  for (Index s = m.pattern.supernodes() - 1; s >= 0; --s) {
    const Index width = m.pattern.width(s), height = m.pattern.height(s), rest = height - width;
    const double* panel = m.panels.data() + m.begin[s];
    double* own = m.work.data() + m.pattern.first[s];
    if (rest > 0) {
      const std::span<const Index> rows = m.pattern.rows(s).subspan(width);
      for (Index i = 0; i < rest; ++i) m.below[i] = m.work[rows[i]];
      cblas_dgemv(CblasColMajor, CblasTrans, rest, width, -1, panel + width, height, m.below.data(), 1, 1,
                  own, 1);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, width, panel, height, own, 1);
  }
  for (std::size_t k = 0; k < order.size(); ++k) x[order[k]] = m.work[k];
}

std::size_t BlockSolver::factor_entries() const { return impl_ ? impl_->panels.size() : 0; }

std::size_t BlockSolver::memory_bytes() const {
  if (!impl_) return 0;
  const Impl& m = *impl_;
  return m.panels.size() * sizeof(double) +
         (m.pattern.row.size() + m.entries.row.size() + m.entries.source.size()) * sizeof(Index);
}

}  // namespace pliant
